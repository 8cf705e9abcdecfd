// A sample is of the file that was opened, whatever becomes of its name meanwhile.
#include "src/view/sample_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/snapshots/snapshot.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class SampleCacheTest : public testing::Test {
 protected:
  SampleCacheTest() {
    make(place_.file(name), 100);
    make(other_.file("secret.hdf5"), 7);
  }
  static void make(const std::string& path, std::uint64_t count) {
    ParticleSet particles;
    particles.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      particles.id[i] = i;
      particles.type[i] = 1;
      particles.mass[i] = 1;
    }
    write_snapshot(path, particles, SnapshotHeader(), Communicator(MPI_COMM_WORLD));
  }
  /// The sample of a file that has been opened and looked at before `meanwhile` is done.
  template <class Work>
  std::string sample_after(Work meanwhile) {
    const OpenFile file = files_.open(name);
    const std::string tag = file.facts().tag();
    meanwhile();
    return *cache_.sample(file, tag);
  }

  static constexpr const char* name = "snapshot_0000.hdf5";
  TemporaryDirectory place_, other_;
  RunFiles files_{place_.path()};
  SampleCache cache_{files_, std::stop_token()};
};

TEST_F(SampleCacheTest, OfAFileThatStaysHasItsParticlesUnderItsName) {
  const std::string sample = sample_after([] {});
  EXPECT_NE(sample.find("\"snapshot\":\"snapshot_0000.hdf5\""), std::string::npos);
  EXPECT_NE(sample.find("\"particles\":100"), std::string::npos);
}

TEST_F(SampleCacheTest, ALinkPutUnderTheNameAfterTheLookIsNotFollowed) {
  EXPECT_THROW((void)sample_after([&] {
                 std::filesystem::rename(place_.file(name), place_.file("aside"));
                 std::filesystem::create_symlink(other_.file("secret.hdf5"), place_.file(name));
               }),
               FileRefused);
}

TEST_F(SampleCacheTest, OfAFileThatIsReplacedIsNotKept) {
  EXPECT_THROW((void)sample_after([&] { std::filesystem::rename(other_.file("secret.hdf5"), place_.file(name)); }), FileNotThere);
  EXPECT_NE(sample_after([] {}).find("\"particles\":7"), std::string::npos);
}

TEST_F(SampleCacheTest, OfAFileThatHasGoneIsNotThere) {
  EXPECT_THROW((void)sample_after([&] { std::filesystem::remove(place_.file(name)); }), FileNotThere);
}

TEST_F(SampleCacheTest, WhatIsWrongIsSaidOfTheFilesName) {
  std::filesystem::resize_file(place_.file(name), 3000);
  try {
    (void)sample_after([] {});
    FAIL() << "a damaged file has a sample";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find(name), 0U) << error.what();
    EXPECT_EQ(std::string(error.what()).find("/proc"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace grove
