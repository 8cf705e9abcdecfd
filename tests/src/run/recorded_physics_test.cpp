// The physics that check and bench take from files of other programs.
#include "src/run/start/recorded_physics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/formats/reader.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "src/run/start/initial_state.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

/// A file of 4 halo and 3 disc particles, with the parameters of a run of GADGET-4.
class RecordedPhysicsTest : public testing::Test {
 protected:
  void write(double of_halo, double of_disc, bool names_disc = true) {
    if (comm.is_root()) {
      write_gadget_file(path, {.types = {{.type = 1, .count = 4}, {.type = 2, .count = 3, .first = 4}}});
      const Hdf5Handle file(check_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path), H5Fclose);
      const Hdf5Handle parameters = open_group(file, "Parameters");
      write_attribute(parameters, "SofteningClassOfPartType1", 0);
      if (names_disc) write_attribute(parameters, "SofteningClassOfPartType2", 1);
      write_attribute(parameters, "SofteningComovingClass0", of_halo);
      write_attribute(parameters, "SofteningComovingClass1", of_disc);
    }
    comm.barrier();
  }
  Config config_with(const RecordedPhysics& physics, const std::vector<std::string>& settings) const {
    std::vector<std::string> overrides = physics.overrides();
    overrides.push_back("initial_conditions.file=" + path);
    overrides.insert(overrides.end(), settings.begin(), settings.end());
    return parse_config("", "", overrides);
  }

  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("in.hdf5");
};

TEST_F(RecordedPhysicsTest, SofteningLengthsByTypeAreThoseOfTheComponents) {
  write(0.5, 0.125);
  const RecordedPhysics physics(path, read_info(path, comm), {});
  const Config config = config_with(physics, {});
  EXPECT_EQ(config.gravity.softening_of_component, (NumberTable{{"disc", 0.125}, {"halo", 0.5}}));
  EXPECT_FALSE(physics.leaves_softening());
  EXPECT_NE(physics.text(config).find("records: gravity.softening = {disc = 0.125, halo = 0.5}"), std::string::npos)
      << physics.text(config);
  const std::vector<std::string> own{"gravity.softening=0.25"};
  const RecordedPhysics beside(path, read_info(path, comm), own);
  EXPECT_EQ(config_with(beside, own).gravity.softening, 0.25);
  const std::string text = beside.text(config_with(beside, own));
  EXPECT_NE(text.find("note: gravity.softening = 0.25 here, the file records {disc = 0.125, halo = 0.5}"), std::string::npos) << text;
}

TEST_F(RecordedPhysicsTest, TheRecordedGHoldsInTheUnitsOfTheFile) {
  ReadInfo info;
  info.G = 2.5;
  const auto overrides_G = [&](const std::vector<std::string>& settings) {
    const RecordedPhysics physics(path, info, settings);
    return std::any_of(physics.overrides().begin(), physics.overrides().end(), [](const auto& one) { return one == "gravity.G=2.5"; });
  };
  EXPECT_TRUE(overrides_G({}));
  EXPECT_TRUE(overrides_G({"units.system=file"}));
  EXPECT_TRUE(overrides_G({"units.system=\"file\""}));
  EXPECT_FALSE(overrides_G({"units.system=kpc, km/s, 1e10 Msun"}));
  EXPECT_FALSE(overrides_G({"units.system=file", "gravity.G=3"}));
}

TEST_F(RecordedPhysicsTest, EqualSofteningLengthsAreOne) {
  write(0.5, 0.5);
  const Config config = config_with(RecordedPhysics(path, read_info(path, comm), {}), {});
  EXPECT_TRUE(config.gravity.softening_of_component.empty());
  EXPECT_EQ(config.gravity.softening, 0.5);
}

TEST_F(RecordedPhysicsTest, SofteningLengthsThatAreNotUsedAreTold) {
  write(0.5, 0.125, false);
  const RecordedPhysics physics(path, read_info(path, comm), {});
  Config config = config_with(physics, {});
  EXPECT_EQ(config.gravity.softening, 0);
  EXPECT_TRUE(physics.leaves_softening());
  EXPECT_NE(physics.text(config).find("; not recorded: gravity.softening = 0.0"), std::string::npos) << physics.text(config);
  const InitialState state = load_initial_state(config, comm);
  const std::vector<std::string> notes = notes_on_softening(config, state);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("softening 0.5 of halo (/Parameters SofteningComovingClass0)"), std::string::npos) << notes[0];
}

TEST_F(RecordedPhysicsTest, ALengthOf0InAFileSaysNothing) {
  write(0, 0);
  Config config = config_with({}, {"gravity.softening=0.25"});
  EXPECT_TRUE(notes_on_softening(config, load_initial_state(config, comm)).empty());
}

}  // namespace
}  // namespace grove
