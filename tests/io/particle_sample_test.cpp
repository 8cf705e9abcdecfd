// A sample of a snapshot has the same particles in every snapshot of a run, as they are in the file.
#include "io/snapshots/particle_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "io/hdf5/hdf5_handles.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// Ids in an order that `seed` decides. The place of a particle tells its id: x, y and z are its digits in base 1000.
ParticleSet particles_of(std::uint64_t count, std::uint64_t seed) {
  ParticleSet particles;
  particles.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t id = (i * 7919 + seed) % count;
    particles.id[i] = id;
    particles.mass[i] = 1 + static_cast<double>(id);
    particles.type[i] = static_cast<std::uint8_t>(id % 3 + 1);
    for (std::size_t axis = 0, rest = id; axis < 3; ++axis, rest /= 1000)
      particles.position[3 * i + axis] = static_cast<double>(rest % 1000);
  }
  return particles;
}

std::uint64_t id_of(const ParticleSample& sample, std::size_t i) {
  double id = 0;
  for (const std::size_t axis : {2, 1, 0}) id = 1000 * id + std::round(sample.positions[3 * i + axis] + sample.centre[axis]);
  return static_cast<std::uint64_t>(id);
}

class Sample : public testing::Test {
 protected:
  std::string write(const ParticleSet& particles, const std::string& name = "snapshot_0000.hdf5", double time = 0) const {
    SnapshotHeader header;
    header.time = time;
    write_snapshot(directory_.file(name), particles, header, Communicator(MPI_COMM_WORLD));
    return directory_.file(name);
  }
  template <class Failing>
  static std::string message_of(Failing failing) {
    try {
      failing();
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryDirectory directory_;
};

// More than are read at a time.
constexpr std::uint64_t many = 600000;

TEST_F(Sample, HasTheSameParticlesInSnapshotsOfAnyOrder) {
  std::array<std::set<std::uint64_t>, 2> ids;
  for (std::uint64_t k = 0; k < 2; ++k) {
    const ParticleSample sample = read_particle_sample(write(particles_of(many, 17 * k), "snapshot.hdf5"), 20000);
    for (std::size_t i = 0; i < sample.types.size(); ++i) {
      const std::uint64_t id = id_of(sample, i);
      EXPECT_EQ(sample.types[i], id % 3 + 1);
      EXPECT_EQ(sample.masses[i], 1 + static_cast<double>(id));
      EXPECT_TRUE(is_in_sample(id, many, 20000));
      EXPECT_TRUE(ids[k].insert(id).second) << id << " is there twice";
    }
  }
  EXPECT_EQ(ids[0], ids[1]);
  // Five standard deviations of a random choice.
  EXPECT_NEAR(static_cast<double>(ids[0].size()), 20000, 5 * std::sqrt(20000.0));
}

TEST_F(Sample, TakesEveryPartOfTheIdsAlike) {
  std::array<int, 10> found{};
  for (std::uint64_t id = 0; id < many; ++id) found[id * found.size() / many] += is_in_sample(id, many, 60000) ? 1 : 0;
  for (const int count : found) EXPECT_NEAR(count, 6000, 5 * std::sqrt(6000.0));
}

TEST_F(Sample, OfFewParticlesHasAllOfThem) {
  const ParticleSample sample = read_particle_sample(write(particles_of(997, 0), "snapshot.hdf5", 2.5), 50000);
  EXPECT_EQ(sample.types.size(), 997U);
  EXPECT_EQ(sample.particles(), 997U);
  EXPECT_EQ(sample.count_of_type[1], 333U);
  EXPECT_EQ(sample.time, 2.5);
}

TEST_F(Sample, CentreAndRadiusAreThoseOfMostParticles) {
  ParticleSet particles = particles_of(1001, 0);
  for (std::uint64_t i = 0; i < 1001; ++i) {
    // On a line from 9 to 11 along x; a few are very far away.
    particles.position[3 * i] = 9 + 0.002 * static_cast<double>(i);
    particles.position[3 * i + 1] = 5;
    particles.position[3 * i + 2] = i < 20 ? 1e9 : -3;
  }
  const ParticleSample sample = read_particle_sample(write(particles), 5000);
  EXPECT_NEAR(sample.centre[0], 10, 1e-9);
  EXPECT_NEAR(sample.centre[1], 5, 1e-9);
  EXPECT_NEAR(sample.centre[2], -3, 1e-9);
  // 900 of 1001 are that close.
  EXPECT_NEAR(sample.radius, 0.9, 0.003);
}

TEST_F(Sample, LeavesOutParticlesWithoutAPlace) {
  ParticleSet particles = particles_of(100, 0);
  particles.position[3 * 40 + 1] = std::numeric_limits<double>::quiet_NaN();
  const ParticleSample sample = read_particle_sample(write(particles), 5000);
  EXPECT_EQ(sample.types.size(), 99U);
  EXPECT_EQ(sample.not_finite, 1U);
}

TEST_F(Sample, OfADamagedFileIsAnErrorThatNamesIt) {
  const std::string path = write(particles_of(5000, 0));
  const auto size = std::filesystem::file_size(path);
  for (const double share : {0.99, 0.5, 0.01, 0.0}) {
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    const std::string message = message_of([&] { (void)read_particle_sample(path, 50000); });
    EXPECT_NE(message.find("snapshot_0000.hdf5"), std::string::npos) << share << ": " << message;
  }
}

TEST_F(Sample, OfPositionsThatHaveChangedIsAnErrorThatNamesThem) {
  const std::string path = write(particles_of(5000, 0));
  {
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle positions = open_dataset(open_group(file, "PartType2"), "Coordinates");
    std::vector<double> numbers(3 * 5000);
    ASSERT_GE(H5Dread(positions.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    numbers[100] += 1;
    ASSERT_GE(H5Dwrite(positions.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
  }
  const std::string message = message_of([&] { (void)read_particle_sample(path, 50000); });
  EXPECT_NE(message.find("PartType2/Coordinates: is damaged"), std::string::npos) << message;
}

TEST_F(Sample, OfIdsThatAreAllTheSameIsAnError) {
  ParticleSet particles = particles_of(many, 0);
  std::uint64_t chosen = 0;
  while (!is_in_sample(chosen, many, 1000)) ++chosen;
  std::fill(particles.id.begin(), particles.id.end(), chosen);
  const std::string path = write(particles);
  EXPECT_NE(message_of([&] { (void)read_particle_sample(path, 1000); }).find("same id"), std::string::npos);
}

TEST_F(Sample, CanBeReadByManyThreads) {
  const std::string path = write(particles_of(30000, 0));
  std::array<std::size_t, 4> sizes{};
  std::vector<std::thread> threads;
  for (std::size_t& size : sizes) threads.emplace_back([&] { size = read_particle_sample(path, 1000).types.size(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(sizes[0], 0U);
  EXPECT_EQ(std::set<std::size_t>(sizes.begin(), sizes.end()).size(), 1U);
}

TEST_F(Sample, IsGivenUpWhenItIsAskedToStop) {
  const std::string path = write(particles_of(1000, 0));
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW((void)read_particle_sample(path, 1000, source.get_token()), SystemError);
}

}  // namespace
}  // namespace grove
