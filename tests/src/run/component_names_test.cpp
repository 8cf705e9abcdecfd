// Names of components and ids of particles, from a file through a run, its snapshots and its checkpoints.
#include <gtest/gtest.h>

#include <map>

#include "io/formats/reader.hpp"
#include "io/snapshots/info.hpp"
#include "src/run/files/snapshot_writer.hpp"
#include "src/run/loop/run_loop.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/resume/checkpoints.hpp"
#include "src/run/resume/continuation.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/simulation/devices.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

/// A file with particles of two components, whose names and ids are nobody's default.
class ComponentNamesTest : public testing::Test {
 protected:
  ComponentNamesTest() {
    if (comm.is_root()) {
      write_gadget_file(path, {.types = {{.type = 1, .count = 40}, {.type = 3, .count = 25, .first = 40}}});
      const Hdf5Handle file(check_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path), H5Fclose);
      write_attribute(open_group(file, "PartType1"), "ComponentName", std::string("galaxy 1"));
      write_attribute(open_group(file, "PartType3"), "ComponentName", std::string("globular clusters"));
    }
    comm.barrier();
    expected[1] = "galaxy 1";
    expected[3] = "globular clusters";
    config.initial_conditions.file = path;
    config.initial_conditions.generator.clear();
    config.gravity.softening = 0.1;
    config.time.dt = 0.25;
    config.output.directory = output.path();
    config.output.checkpoint_minutes = 0;
  }

  void run() {
    const std::unique_ptr<Simulation> simulation = make_simulation("cpu", config.gravity, comm);
    InitialState state = load_initial_state(config, comm);
    EXPECT_EQ(state.components, expected);
    ObserverSetup setup{config, output, schedule, simulation->device_description()};
    setup.components = state.components;
    Checkpoints checkpoints(config, output, comm, 0, state.components);
    RunLoop(*simulation, comm, schedule, make_observers(*simulation, comm, setup), {.checkpoints = &checkpoints})
        .run(std::move(state.particles));
    comm.barrier();
  }
  /// The mass, which is another for each, and the type of the particle with each id: (id, mass, type).
  std::map<std::uint64_t, std::pair<double, int>> identities(const ParticleSet& local) const {
    const ParticleSet all = all_particles(local, comm);
    std::map<std::uint64_t, std::pair<double, int>> result;
    for (std::size_t i = 0; i < all.size(); ++i) result[all.id[i]] = {all.mass[i], all.type[i]};
    return result;
  }

  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("in.hdf5");
  OutputDirectory output{directory.file("output")};
  StepSchedule schedule{0, 1, 0.25, 0.5};
  Config config;
  ComponentNames expected = usual_component_names();
};

TEST_F(ComponentNamesTest, StayThroughSnapshotsAndCheckpointsAndSoDoIds) {
  comm.agree([&] {
    if (comm.is_root()) output.prepare(EarlierResults::refuse);
  });
  const auto before = identities(read_particles(path, comm));
  ASSERT_EQ(before.size(), 65U);
  run();
  for (std::uint64_t i = 0; i < 3; ++i) {
    ReadInfo info;
    const ParticleSet local = read_particles(output.snapshot(i), comm, &info);
    EXPECT_EQ(info.components, expected);
    EXPECT_EQ(identities(local), before) << "snapshot " << i;
  }
  EXPECT_TRUE(names(full_description(summarise_file(output.snapshot(2))), {"galaxy 1", "globular clusters"}));
  comm.barrier();

  // What continues from the checkpoint, and from the snapshot where there is none, has them as well.
  config.time.end = 2;
  const ContinuedRun continuing{output, config, standard_fields()};
  const RestartPoint from = find_restart_point(continuing, comm);
  EXPECT_TRUE(from.is_checkpoint);
  EXPECT_EQ(from.components, expected);
  EXPECT_EQ(identities(from.particles), before);
  comm.barrier();
  if (comm.is_root())
    for (int generation = 0; generation < OutputDirectory::checkpoint_generations; ++generation)
      std::filesystem::remove(output.checkpoint(generation));
  comm.barrier();
  const RestartPoint from_snapshot = find_restart_point({output, config, standard_fields()}, comm);
  EXPECT_TRUE(from_snapshot.exists() && !from_snapshot.is_checkpoint);
  EXPECT_EQ(from_snapshot.components, expected);
  EXPECT_EQ(identities(from_snapshot.particles), before);
}

TEST_F(ComponentNamesTest, ThatAStateLacksAreAnError) {
  SavedState state;
  state.put(saved_components, std::string("a\nb\n"));
  EXPECT_THROW(component_names_in(state), DataError);
}

}  // namespace
}  // namespace grove
