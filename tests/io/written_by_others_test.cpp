// Files that other programs wrote: tests/data/input/README.md says which, and with what values.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

struct WrittenFile {
  const char* name;
  const char* format;
  std::vector<std::uint8_t> types;
  std::vector<std::uint64_t> ids;  ///< empty: numbers of the rows
  double time;
  std::vector<std::string> notes;  ///< parts of them
};

class WrittenByOthers : public testing::TestWithParam<WrittenFile> {};

TEST_P(WrittenByOthers, IsReadAsItWasWritten) {
  const Communicator comm(MPI_COMM_WORLD);
  const WrittenFile& file = GetParam();
  ReadInfo info;
  const ParticleSet all = all_particles(read_particles(std::string(GROVE_INPUT_FILES) + "/" + file.name, comm, &info), comm);
  EXPECT_EQ(info.format, file.format);
  EXPECT_EQ(info.time, file.time);
  EXPECT_EQ(all.type, file.types);
  ASSERT_EQ(all.size(), file.types.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto n = static_cast<double>(i);
    EXPECT_EQ(all.mass[i], n + 1);
    EXPECT_EQ(all.id[i], file.ids.empty() ? i : file.ids[i]);
    const double position[3] = {n + 0.25, 2 * n, -n}, velocity[3] = {-n - 0.5, n, 0.125};
    EXPECT_TRUE(std::equal(position, position + 3, &all.position[3 * i])) << i;
    EXPECT_TRUE(std::equal(velocity, velocity + 3, &all.velocity[3 * i])) << i;
  }
  std::string notes;
  for (const std::string& note : info.notes) notes += note + '\n';
  EXPECT_TRUE(names(notes, file.notes));
  const std::vector<FileSoftening> of_tipsy = {{"eps of dark particles", 0.5, 0.5, 1}, {"eps of star particles", 0.25, 0.25, 4}};
  EXPECT_EQ(info.softenings, info.format == std::string("TIPSY binary") ? of_tipsy : std::vector<FileSoftening>());
  EXPECT_EQ(why_not_isolated(info.universe), "");
}

const std::vector<std::uint8_t> tipsy_types = {0, 0, 1, 1, 1, 1, 4, 4, 4};
const std::vector<std::string> tipsy_notes = {"big-endian", "metals of the gas are not used", "metals and formation times"};

std::vector<std::string> tipsy_notes_with(const std::string& precision) {
  std::vector<std::string> notes = tipsy_notes;
  notes.push_back(precision);
  return notes;
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrittenByOthers,
    testing::Values(WrittenFile{"pynbody_fp32.tipsy", "TIPSY binary", tipsy_types, {}, 0, tipsy_notes_with("all numbers in FP32")},
                    WrittenFile{"pynbody_fp64_positions.tipsy", "TIPSY binary", tipsy_types, {}, 0, tipsy_notes_with("positions in FP64")},
                    WrittenFile{"pynbody_fp64_positions_velocities.tipsy",
                                "TIPSY binary",
                                tipsy_types,
                                {},
                                0,
                                tipsy_notes_with("positions and velocities in FP64")},
                    WrittenFile{"pynbody.gadget2",
                                "GADGET binary",
                                {0, 0, 1, 1, 1, 1, 2, 2, 2},
                                {100, 101, 200, 201, 202, 203, 300, 301, 302},
                                1,
                                {"format 2", "little-endian"}},
                    WrittenFile{"unsio.gadget2",
                                "GADGET binary",
                                {1, 1, 1, 1, 2, 2, 2, 4, 4},
                                {100, 101, 102, 103, 104, 105, 106, 107, 108},
                                2.5,
                                {"format 2", "little-endian"}},
                    WrittenFile{"unsio_fp32.nemo", "NEMO snapshot", {1, 1, 1, 1, 1}, {}, 2.5, {}},
                    WrittenFile{"unsio_fp64.nemo", "NEMO snapshot", {1, 1, 1, 1, 1}, {}, 2.5, {}}),
    [](const auto& file) {
      std::string name = file.param.name;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

}  // namespace
}  // namespace grove
