// What the whole process takes of the host's memory on the CPU, libraries included.
#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <string>
#include <utility>

#include "src/simulation/devices.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

/// The largest resident size of this process until now, bytes; 0 where the system does not tell.
double largest_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  return 0;
}

// It is largest while the particles go from where they are loaded to where they stay, and in the walk. With all of them in both places it
// would be 199 bytes.
TEST(ProcessMemory, IsAtMost192BytesAParticleFromLoadingToTheSecondStep) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer takes memory of its own";
#endif
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // as the program does
  const Communicator comm(MPI_COMM_SELF);
  constexpr std::uint64_t n = 1 << 20;
  const auto sim = make_simulation("cpu", fmm_gravity(1e-3, 0.01, 4), comm);
  ParticleSet particles = plummer(n);
  sim->start(std::move(particles), 0);
  for (int step = 0; step < 2; ++step) sim->step(1e-4);
  const double bytes = largest_resident_bytes();
  ASSERT_GT(bytes, 0) << "/proc/self/status has no VmHWM";
  EXPECT_GT(bytes, 102.0 * n);
  EXPECT_LT(bytes, 192.0 * n);
}

}  // namespace
}  // namespace grove::tests
