#include "src/run/files/disk_room.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

constexpr std::uint64_t particles = 1000;
// Of a particle, by the table of fields: position, velocity, mass, id, potential, acceleration; in a checkpoint type and work, too.
constexpr double snapshot = 1000 * 96, checkpoint = 1000 * 102;

OutputBytes bytes_of(const OutputParameters& output, int checkpoints = 0) {
  return output_bytes(*standard_fields(), output, StepSchedule(0, 4, 0.5, 1), checkpoints > 0 ? 2 : 0, particles, checkpoints);
}
std::string error_of(const OutputParameters& output, const OutputBytes& needed, double free_bytes) {
  try {
    require_disk_room(output, needed, free_bytes);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(OutputBytesTest, AreThoseOfAllSnapshotsAndThreeCheckpointsAndOfTheFirstOnes) {
  OutputParameters output;
  EXPECT_EQ(bytes_of(output).all, 5 * snapshot + 3 * checkpoint);
  EXPECT_EQ(bytes_of(output).least, snapshot + 2 * checkpoint);
  output.checkpoints = "no";
  EXPECT_EQ(bytes_of(output).all, 5 * snapshot);
  EXPECT_EQ(bytes_of(output).least, snapshot);
  output.snapshots = "none";
  EXPECT_EQ(bytes_of(output).least, 0);
}

TEST(OutputBytesTest, AreFewerWithoutFieldsAndInSinglePrecisionAndCountedAsIfNothingWerePacked) {
  OutputParameters output;
  output.checkpoints = "no";
  output.leave_out = "acceleration";
  EXPECT_EQ(bytes_of(output).least, snapshot - 1000 * 24);
  output.single_precision = "position, potential";
  output.compression = 9;
  EXPECT_EQ(bytes_of(output).least, snapshot - 1000 * (24 + 12 + 4));
}

TEST(OutputBytesTest, OfARunThatGoesOnHaveNoCheckpointsThatAreThere) {
  EXPECT_EQ(bytes_of({}, 2).all, 3 * snapshot + checkpoint);
  EXPECT_EQ(bytes_of({}, 2).least, snapshot + checkpoint) << "one more while it is written";
  EXPECT_EQ(bytes_of({}, 1).least, snapshot + checkpoint);
}

TEST(DiskRoom, OfLessThanTheFirstSnapshotAndTwoCheckpointsIsAnErrorThatNamesTheKeys) {
  OutputParameters output;
  output.directory = "somewhere";
  const OutputBytes needed = bytes_of(output);
  EXPECT_EQ(error_of(output, needed, needed.least), "");
  const std::string message = error_of(output, needed, needed.least - 1);
  for (const char* part : {"output.directory = \"somewhere\"", "293 KiB", "output.checkpoints", "output.snapshots", "output.on_error"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
}

TEST(DiskRoom, OfLessThanAllIsANote) {
  OutputParameters output;
  const OutputBytes needed = bytes_of(output);
  EXPECT_EQ(require_disk_room(output, needed, needed.all), "");
  EXPECT_EQ(require_disk_room(output, needed, std::nullopt), "");
  EXPECT_EQ(require_disk_room(output, needed, needed.all - 1).rfind("the snapshots and checkpoints of this run take about ", 0), 0U);
  output.on_error = "continue";
  EXPECT_NE(require_disk_room(output, needed, 1.0), "");
}

TEST(DiskRoom, IsThatOfTheDiskOnWhichTheDirectoryWillBe) {
  const TemporaryDirectory parent;
  const auto here = free_disk_bytes(parent.path()), there = free_disk_bytes(parent.file("a/b/c"));
  ASSERT_TRUE(here && there);
  EXPECT_NEAR(*here, *there, 0.1 * *here) << "others write, too";
  EXPECT_TRUE(free_disk_bytes("absent/output"));
}

}  // namespace
}  // namespace grove
