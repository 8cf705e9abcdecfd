// The list of a run's snapshots, where some of them cannot be read.
#include "src/run/files/snapshot_writer.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "io/hdf5/hdf5_handles.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "src/run/files/output_directory.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class SnapshotSeriesTest : public testing::Test {
 protected:
  /// Makes the snapshot of a number, whose time is that number.
  std::string make(std::uint64_t number) const {
    ParticleSet particles;
    particles.resize(10);
    for (std::uint64_t i = 0; i < 10; ++i) {
      particles.id[i] = i;
      particles.type[i] = 1;
      particles.mass[i] = 1;
    }
    SnapshotHeader header;
    header.time = static_cast<double>(number);
    write_snapshot(directory_.snapshot(number), particles, header, Communicator(MPI_COMM_WORLD));
    return directory_.snapshot(number);
  }
  /// Gives the snapshot Coordinates of this shape instead of its own.
  void spoil(std::uint64_t number, const std::vector<hsize_t>& shape) const {
    const std::string path = make(number);
    const Hdf5Handle file(check_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path), H5Fclose);
    const Hdf5Handle group = open_group(file, "PartType1");
    check_hdf5(H5Ldelete(group.id(), "Coordinates", H5P_DEFAULT), path);
    create_dataset(group, "Coordinates", H5T_NATIVE_DOUBLE, shape);
  }
  /// The times in the list, in its order.
  std::vector<int> listed() const {
    const std::string text = text_of_file(directory_.snapshot_series());
    const std::regex form("<Time Value=\"([0-9]+)\"/>");
    std::vector<int> times;
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) times.push_back(std::stoi((*at)[1]));
    return times;
  }
  /// Takes the turn only when the snapshot has been made, which takes it, too.
  static void add(SnapshotSeries& series, const std::string& snapshot) { series.add(snapshot, Hdf5Turn()); }
  static std::string aside(const std::string& path) { return path + ".aside"; }

  TemporaryDirectory place_;
  OutputDirectory directory_{place_.path()};
};

using Times = std::vector<int>;

TEST_F(SnapshotSeriesTest, WhatCouldNotBeReadIsListedWithTheNextSnapshot) {
  SnapshotSeries series(directory_, 0, true);
  add(series, make(0));
  for (const std::uint64_t number : {1, 2}) {
    const std::string path = make(number);
    std::filesystem::rename(path, aside(path));
    series.add(path, Hdf5Turn());
  }
  EXPECT_EQ(listed(), Times({0}));
  for (const std::uint64_t number : {1, 2}) std::filesystem::rename(aside(directory_.snapshot(number)), directory_.snapshot(number));
  add(series, make(3));
  EXPECT_EQ(listed(), Times({0, 1, 2, 3}));
}

TEST_F(SnapshotSeriesTest, WhatCouldNotBeReadIsListedAtTheEnd) {
  SnapshotSeries series(directory_, 0, true);
  series.add(directory_.snapshot(0), Hdf5Turn());
  make(0);
  series.flush();
  EXPECT_EQ(listed(), Times({0}));
}

TEST_F(SnapshotSeriesTest, ADamagedSnapshotDoesNotHoldUpTheOthers) {
  SnapshotSeries series(directory_, 0, true);
  spoil(0, {});
  series.add(directory_.snapshot(0), Hdf5Turn());
  series.add(directory_.snapshot(1), Hdf5Turn());
  make(1);
  for (const std::uint64_t number : {2, 3}) add(series, make(number));
  EXPECT_EQ(listed(), Times({1, 2, 3}));
}

TEST_F(SnapshotSeriesTest, WithoutLeaveToGoOnASnapshotThatCannotBeReadIsAnError) {
  SnapshotSeries series(directory_, 0, false);
  // What the run has written itself is no mistake in its input.
  EXPECT_THROW(series.add(directory_.snapshot(0), Hdf5Turn()), SystemError);
}

TEST_F(SnapshotSeriesTest, StrangeSnapshotsOfJobsBeforeArePassedOver) {
  make(0);
  spoil(1, {});
  spoil(2, {10});
  spoil(3, {10, 2});
  spoil(4, {10, 3, 2});
  make(5);
  const SnapshotSeries series(directory_, 6, false);
  EXPECT_EQ(listed(), Times({0, 5}));
}

}  // namespace
}  // namespace grove
