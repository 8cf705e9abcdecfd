// The model of memory against what simulations hold.
#include "src/solver/memory_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

std::vector<GravityParameters> methods() {
  return {fmm_gravity(1e-3, 0, 4), fmm_gravity(1e-3, 0.01, 4), fmm_gravity(1e-3, 0, 5), fmm_gravity(1e-3, 0.01, 5),
          tree_gravity("barnes", 0.8, 0.01)};
}

/// What the fullest rank holds over what the model says of a rank with an equal share.
double held_over_model(const GravityParameters& gravity, const ParticleSet& all, const Communicator& comm) {
  const auto sim = simulation(gravity, comm);
  sim->start(share_of(all, comm), 0);
  // Until then the blocks of the first forces have become one.
  for (int step = 0; step < 4; ++step) sim->step(1e-5);
  const MemoryModel model(gravity, *standard_fields(), sim->device_state().is_gpu(), true);
  const double share = static_cast<double>(all.size()) / comm.size();
  return static_cast<double>(comm.max(sim->work_counts().bytes_held)) / model.device_bytes(share, comm.size());
}

TEST(MemoryModel, IsWithinItsMarginOfWhatIsHeld) {
  const Communicator comm(MPI_COMM_WORLD);
  const double margin = MemoryModel::margin(comm.size());
  for (const std::uint64_t n : {30'000ULL, 120'000ULL})
    for (const GravityParameters& gravity : methods()) {
      const double ratio = held_over_model(gravity, plummer(n), comm);
      EXPECT_GT(ratio, 1 - margin) << gravity.method << " of order " << gravity.order << ", softening " << gravity.softening
                                   << ", n = " << n;
      EXPECT_LT(ratio, 1 + margin) << gravity.method << " of order " << gravity.order << ", softening " << gravity.softening
                                   << ", n = " << n;
    }
}

TEST(MemoryModel, KnowsSeveralSofteningLengths) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::uint64_t n : {30'000ULL, 120'000ULL})
    for (const std::size_t lengths : {2U, 4U}) {
      GravityParameters gravity = fmm_gravity(1e-3, 0, 4);
      for (int type = 0; type < particle_type_count; ++type)
        gravity.softening_of_type.push_back(0.01 * static_cast<double>(1 + static_cast<std::size_t>(type) % lengths));
      gravity.softening = gravity.softening_of_type[lengths - 1];
      ParticleSet all = plummer(n);
      for (std::size_t i = 0; i < n; ++i) all.type[i] = static_cast<std::uint8_t>(i % lengths);
      const double ratio = held_over_model(gravity, all, comm);
      EXPECT_GT(ratio, 1 - MemoryModel::margin(comm.size())) << lengths << " lengths, n = " << n;
      EXPECT_LT(ratio, 1 + MemoryModel::margin(comm.size())) << lengths << " lengths, n = " << n;
    }
}

TEST(MemoryModel, KnowsDirectSums) {
  const Communicator comm(MPI_COMM_WORLD);
  const double ratio = held_over_model(direct_gravity(0.01), plummer(6'000), comm);
  EXPECT_GT(ratio, 1 - MemoryModel::margin(comm.size()));
  EXPECT_LT(ratio, 1 + MemoryModel::margin(comm.size()));
}

TEST(MemoryModel, CountsTheFieldsOfIntegratorsAndTheCopiesOnTheHost) {
  const MemoryModel plain({}, *standard_fields(), true, false), output({}, *standard_fields(), true, true);
  const FieldTablePtr more = fields_with({{.name = "further", .type = ElementType::f8, .components = 3}});
  EXPECT_NEAR(MemoryModel({}, *more, true, false).device_bytes(1000, 1) - plain.device_bytes(1000, 1), 24'000, 1e-6);
  EXPECT_NEAR(plain.host_bytes(1000, 1), 65'000, 1e-6);
  EXPECT_NEAR(output.host_bytes(1000, 1), 101'000, 1e-6);
  const MemoryModel cpu({}, *standard_fields(), false, false), output_of_cpu({}, *standard_fields(), false, true);
  EXPECT_NEAR(cpu.host_bytes(1000, 2), cpu.device_bytes(1000, 2), 1e-6);
  EXPECT_NEAR(output_of_cpu.host_bytes(1000, 2), 101'000 + cpu.device_bytes(1000, 2), 1e-6);
}

}  // namespace
}  // namespace grove::tests
