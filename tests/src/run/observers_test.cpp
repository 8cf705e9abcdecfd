// Observers of a run: those of the table in a small real run, and one of the test's own that works on the particles where they are.
#include "src/run/observers/observers.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/formats/reader.hpp"
#include "io/snapshots/info.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/loop/run_loop.hpp"
#include "tests/support/drifting_simulation.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {

struct AlongX {
  const Double4* position;
  GROVE_HD double operator()(std::size_t i) const { return position[i].w * position[i].x; }
};
struct AddUp {
  GROVE_HD double operator()(double a, double b) const { return a + b; }
};

/// Sum of m x over all particles of all ranks, after every second step.
template <class Space>
class MassMomentObserver final : public Observer {
 public:
  using Moments = std::vector<std::pair<double, double>>;  ///< time and sum
  MassMomentObserver(const ObserverContext<Space>& context, Moments& moments) : context_(context), moments_(moments) {}
  bool due(const RunState& state) const override { return state.step % 2 == 0; }
  void observe(const RunState& state) override {
    const double here =
        context_.space.transform_reduce(context_.particles.size(), 0.0, AlongX{context_.particles.position.data()}, AddUp{});
    moments_.emplace_back(state.time, context_.comm.sum(here));
  }

 private:
  const ObserverContext<Space> context_;
  Moments& moments_;
};

namespace {

/// Throws on one rank at one step, as a full disk would.
class FailingObserver final : public Observer {
 public:
  FailingObserver(const Communicator& comm, std::uint64_t step) : comm_(comm), step_(step) {}
  bool due(const RunState&) const override { return true; }
  void observe(const RunState& state) override {
    comm_.agree([&] {
      if (state.step == step_ && comm_.rank() == comm_.size() - 1)
        throw SystemError("rank " + std::to_string(comm_.rank()) + " cannot go on");
    });
  }

 private:
  const Communicator& comm_;
  std::uint64_t step_;
};

/// Whose particles are not copied.
class ObservedSimulation final : public DriftingSimulation {
 public:
  using DriftingSimulation::DriftingSimulation;
  ParticleSet particles() override {
    ADD_FAILURE() << "a copy of all particles on the host";
    return {};
  }
};

constexpr std::uint64_t particle_count = 500;
constexpr std::size_t lines_before_first = 1;  ///< of a log, without comments: the names of the columns

class ObserversTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  OutputDirectory output{directory.path()};
  StepSchedule schedule{0, 1, 0.25, 0.5};
  Config config;
  ParticleSet all = plummer(particle_count, 3);

  std::unique_ptr<Simulation> real() const {
    GravityParameters gravity = fmm_gravity(1e-3, 0.05);
    return make_simulation(BackEnd::on_gpu ? "gpu" : "cpu", gravity, comm);
  }
  ObserverSetup setup_for(const Simulation& simulation) const { return {config, output, schedule, simulation.device_description()}; }
  RunReport run(Simulation& simulation) {
    const ObserverSetup setup = setup_for(simulation);
    return run(simulation, make_observers(simulation, comm, setup));
  }
  RunReport run(Simulation& simulation, Observers observers) {
    return RunLoop(simulation, comm, schedule, std::move(observers)).run(share_of(all, comm));
  }

  /// The numbers of a log, a row a line; the names of the columns in `names`.
  std::vector<std::vector<double>> rows_of(const std::string& path, std::string* names = nullptr) const {
    comm.barrier();
    std::istringstream text(text_of_file(path));
    std::vector<std::vector<double>> rows;
    std::size_t count = 0;
    for (std::string line; std::getline(text, line);) {
      if (line[0] == '#') continue;
      if (count++ < lines_before_first) {
        if (names) *names = line;
        continue;
      }
      std::istringstream values(line);
      rows.emplace_back();
      for (std::string value; std::getline(values, value, ',');) rows.back().push_back(std::stod(value));
    }
    return rows;
  }
  bool has(const std::string& path) const { return is_there(path, comm); }
  std::string agreed_error_of(const std::function<void()>& work) const { return grove::agreed_error_of(work, 4, comm); }
};

TEST_F(ObserversTest, ReachTheParticlesWhereTheyAre) {
  MassMomentObserver<BackEnd>::Moments moments;
  ObservedSimulation simulation(comm);
  const ObserverSetup setup = setup_for(simulation);
  Observers observers;
  observers.push_back(std::make_unique<MassMomentObserver<BackEnd>>(simulation.context(setup), moments));
  run(simulation, std::move(observers));
  ASSERT_EQ(moments.size(), 3U) << "of steps 0 to 4, every second one";
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const double time = 0.5 * static_cast<double>(k);
    double expected = 0;
    for (std::size_t i = 0; i < all.size(); ++i) expected += all.mass[i] * (all.position[3 * i] + time * all.velocity[3 * i]);
    EXPECT_EQ(moments[k].first, time);
    EXPECT_NEAR(moments[k].second, expected, 1e-14);
  }
}

TEST_F(ObserversTest, WriteTheEnergiesOfEveryState) {
  const auto simulation = real();
  const RunReport report = run(*simulation);
  const auto rows = rows_of(output.energy());
  ASSERT_EQ(rows.size(), 5U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], 0.25 * static_cast<double>(i)) << "time";
    EXPECT_EQ(rows[i][1] + rows[i][2], rows[i][3]) << "kinetic + potential = total";
    EXPECT_NEAR(rows[i][4], rows[i][3] / rows[0][3] > 0 ? (rows[i][3] - rows[0][3]) / std::abs(rows[0][3]) : 0, 1e-15);
    EXPECT_LT(std::abs(rows[i][4]), 1e-2);
  }
  const Diagnostics last = simulation->diagnostics();
  EXPECT_EQ(rows.back()[1], last.kinetic);
  EXPECT_EQ(rows.back()[2], last.potential);
  EXPECT_EQ(report.last.relative_error, rows.back()[4]);
}

TEST_F(ObserversTest, WriteTheTimingsOfEveryState) {
  const auto simulation = real();
  run(*simulation);
  std::string names;
  const auto rows = rows_of(output.timings(), &names);
  ASSERT_EQ(rows.size(), 5U);
  for (const char* name : {"step,time,", ",walk_mean_s,walk_max_s,", ",total_s,imbalance,particles_per_s"})
    EXPECT_NE(names.find(name), std::string::npos) << name << " in " << names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    EXPECT_EQ(row[0], static_cast<double>(i)) << "step";
    EXPECT_EQ(row[1], 0.25 * static_cast<double>(i)) << "time";
    for (std::size_t k = 2; k + 3 < row.size(); k += 2) EXPECT_LE(row[k], row[k + 1] * (1 + 1e-12)) << "mean and maximum of a phase";
    EXPECT_GT(row[row.size() - 3], 0) << "seconds";
    EXPECT_NEAR(row.back() * row[row.size() - 3], particle_count, 1e-6 * particle_count) << "particles a second";
  }
}

TEST_F(ObserversTest, WriteSnapshotsAtTheTimesOfTheSchedule) {
  const auto simulation = real();
  const RunReport report = run(*simulation);
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, output.snapshot(2));
  EXPECT_FALSE(has(output.snapshot(3)));
  for (std::uint64_t i = 0; i < 3; ++i) {
    ReadInfo info;
    const ParticleSet local = read_particles(output.snapshot(i), comm, &info);
    EXPECT_EQ(info.time, 0.5 * static_cast<double>(i));
    const auto ids = comm.all_gather_vectors<std::uint64_t>(local.id);
    EXPECT_EQ(ids, all.id) << "sorted by id over all ranks";
    if (i > 0) continue;
    EXPECT_EQ(comm.all_gather_vectors<double>(local.position), all.position);
    EXPECT_EQ(comm.all_gather_vectors<double>(local.velocity), all.velocity);
    EXPECT_EQ(comm.all_gather_vectors<double>(local.mass), all.mass);
  }
  const ParticleSet last = read_particles(output.snapshot(2), comm), present = sort_by_id(simulation->particles(), comm);
  EXPECT_EQ(comm.all_gather_vectors<double>(last.position), comm.all_gather_vectors<double>(present.position));
  EXPECT_EQ(comm.all_gather_vectors<double>(last.velocity), comm.all_gather_vectors<double>(present.velocity));
}

TEST_F(ObserversTest, WriteNoSnapshotWhereNoneIsAskedFor) {
  config.output.snapshots = "none";
  const auto simulation = real();
  const RunReport report = run(*simulation);
  EXPECT_EQ(report.kept.file, "");
  EXPECT_FALSE(has(output.snapshot(0)));
  EXPECT_TRUE(has(output.energy()));
}

TEST_F(ObserversTest, WriteTheFieldsAskedForAndNoOthers) {
  for (const char* fields : {"", "work"}) {
    config.output.fields = fields;
    const auto simulation = real();
    run(*simulation);
    comm.barrier();
    const std::string text = full_description(summarise_file(output.snapshot(1)));
    EXPECT_NE(text.find("PartType1/Potential"), std::string::npos) << text;
    EXPECT_EQ(text.find("PartType1/Work") != std::string::npos, config.output.fields == "work") << text;
    comm.barrier();
  }
}

TEST_F(ObserversTest, ThatCannotBeMadeOnOneRankEndAllRanksWithOneError) {
  output = OutputDirectory(directory.file("absent"));
  const auto simulation = real();
  // The root alone opens energy.csv.
  const std::string message = agreed_error_of([&] { make_observers(*simulation, comm, setup_for(*simulation)); });
  EXPECT_NE(message.find("absent/energy.csv"), std::string::npos) << message;
}

TEST_F(ObserversTest, ThatFailOnOneRankEndAllRanksWithOneErrorAfterTheSameStep) {
  const auto simulation = real();
  const ObserverSetup setup = setup_for(*simulation);
  Observers observers = make_observers(*simulation, comm, setup);
  observers.push_back(std::make_unique<FailingObserver>(comm, 2));
  RunLoop loop(*simulation, comm, schedule, std::move(observers));
  const std::string message = agreed_error_of([&] { loop.run(share_of(all, comm)); });
  EXPECT_NE(message.find("rank " + std::to_string(comm.size() - 1) + " cannot go on"), std::string::npos) << message;
  EXPECT_EQ(simulation->time(), 0.5);
  EXPECT_EQ(rows_of(output.energy()).size(), 3U) << "of steps 0, 1 and 2, whose lines are whole";
}

TEST_F(ObserversTest, WhoseSnapshotCannotBeMadeEndAllRanksWithOneError) {
  for (const char* in_background : {"no", "yes"}) {
    config.output.in_background = in_background;
    const auto simulation = real();
    // The name under which the second snapshot is written until it is complete.
    if (comm.is_root()) std::filesystem::create_directory(output.snapshot(1) + ".partial");
    comm.barrier();
    const std::string message = agreed_error_of([&] { run(*simulation); });
    EXPECT_NE(message.find("snapshot_0001.hdf5"), std::string::npos) << message;
    // In the background, some steps may have been taken until the error is known; the request for the next snapshot waits for it at the
    // latest.
    if (config.output.in_background == "no")
      EXPECT_EQ(simulation->time(), 0.5);
    else
      EXPECT_GE(simulation->time(), 0.5);
    EXPECT_TRUE(has(output.snapshot(0)));
    EXPECT_FALSE(has(output.snapshot(1)));
    EXPECT_FALSE(has(output.snapshot(2)));
    comm.barrier();
  }
}

}  // namespace
}  // namespace grove::tests
