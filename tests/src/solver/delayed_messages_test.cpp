// The same bits whatever the order of arrival: messages between ranks are delayed at random, by way of MPI's profiling interface.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "kernels/gravity/gravity_names.hpp"
#include "src/solver/force_method.hpp"
#include "tests/support/particle_systems.hpp"
#include "tests/support/shared_system.hpp"

namespace {

std::mt19937 delay_generator;  // NOLINT(cert-msc51-cpp): each test gives it a seed
int longest_delay_us = 0;      ///< 0: no delays
int delayed = 0;

}  // namespace

/// Takes the place of MPI's own function, which has another name, too.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (longest_delay_us > 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, longest_delay_us)(delay_generator)));
    ++delayed;
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace grove {
namespace {

/// Forces after two evaluations, and the ids to which they belong: all of this rank's bits.
struct Result {
  std::vector<Double4> position, acceleration;
  std::vector<std::uint64_t> id;

  bool operator==(const Result& other) const {
    return id == other.id && position.size() == other.position.size() &&
           std::memcmp(position.data(), other.position.data(), position.size() * sizeof(Double4)) == 0 &&
           std::memcmp(acceleration.data(), other.acceleration.data(), acceleration.size() * sizeof(Double4)) == 0;
  }
};

Result forces_with_delays(const Communicator& comm, const GravityParameters& gravity, TransportWay way, unsigned seed, int delay_us) {
  BackEnd space = tests::make_space();
  tests::SharedSystem shared(space, comm, gravity, tests::plummer_sphere(6000, 3), way);
  delay_generator.seed(seed + static_cast<unsigned>(comm.rank()));
  longest_delay_us = delay_us;
  shared.compute_forces(2);
  longest_delay_us = 0;
  const Particles<BackEnd>& particles = shared.particles();
  return {tests::download(space, particles.position), tests::download(space, particles.acceleration), tests::download(space, particles.id)};
}

TEST(DelayedMessages, ChangeNoBitOfTheForces) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::string& method : method_names())
    for (const TransportWay way : {TransportWay::automatic, TransportWay::shared, TransportWay::staged}) {
      SCOPED_TRACE(method + (way == TransportWay::staged ? ", staged" : way == TransportWay::shared ? ", shared" : ", automatic"));
      GravityParameters gravity{.method = method, .softening = 0.01};
      const Result prompt = forces_with_delays(comm, gravity, way, 0, 0);
      delayed = 0;
      for (const unsigned seed : {1U, 100U, 10000U}) EXPECT_TRUE(forces_with_delays(comm, gravity, way, seed, 3000) == prompt) << seed;
      EXPECT_GT(comm.max(delayed), 0) << "nothing was delayed";
    }
}

}  // namespace
}  // namespace grove
