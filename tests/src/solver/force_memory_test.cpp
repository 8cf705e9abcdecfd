// What a force evaluation holds in memory, and what becomes of more particles than are copied at once between host and device.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/local_expansion.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "src/simulation/devices.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

constexpr std::uint64_t particles = 300000;
constexpr double bytes_of_fields = 102, bytes_of_magnitude = 4;

/// Keys, magnitudes and order, and what the sort of keys takes.
constexpr double bytes_of_sort = 8 + 4 + 4 + 16;

/// Bytes of a cell of the own tree: links, geometry, multipole and least acceleration.
double bytes_of_cell(ExpansionForm form) {
  return sizeof(CellLinks) + sizeof(CellGeometry) + sizeof(float) * static_cast<std::size_t>(multipole_stride(form)) + sizeof(float);
}

/// Bytes a particle of the targets of `fmm`: groups (first particle, cell above, least acceleration, work), of 44 particles on average
/// here, and target cells (cell, cell above, list, work, local expansion), of 128.
double bytes_of_targets(ExpansionForm form) { return (4 + 4 + 4 + 16) / 44.0 + (4 + 4 + 8 + 16 + 4 * local_stride(form)) / 128.0; }

/// Both orders, with harmonic and with all terms.
std::vector<GravityParameters> all_expansions(double tolerance) {
  return {fmm_gravity(tolerance, 0, 4), fmm_gravity(tolerance, 0, 5), fmm_gravity(tolerance, 0.01, 4), fmm_gravity(tolerance, 0.01, 5)};
}
std::string name_of(const GravityParameters& gravity) {
  return "order " + std::to_string(gravity.order) + ", softening " + std::to_string(gravity.softening);
}

TEST(ForceMemory, IsThatOfTheFieldsAndTheTreeAndNoMoreInLaterSteps) {
  const Communicator comm(MPI_COMM_SELF);
  const ParticleSet set = plummer(particles);
  for (const GravityParameters& gravity : all_expansions(1e-2)) {
    SCOPED_TRACE(name_of(gravity));
    const auto sim = make_simulation("cpu", gravity, comm);
    sim->start(set, 0);
    sim->step(1e-4);
    const WorkCounts counts = sim->work_counts();
    const auto n = static_cast<double>(particles);
    const double per_particle = static_cast<double>(counts.bytes_held) / n;
    const double tree = static_cast<double>(counts.cells) / n * bytes_of_cell(GravityLaw(gravity).expansion_form());
    EXPECT_GT(per_particle, bytes_of_fields + tree);
    const double links = static_cast<double>(counts.cells) / n * 8;  // to the cell above, and from the cells below
    const double evaluation = tree + links + bytes_of_magnitude + bytes_of_targets(GravityLaw(gravity).expansion_form());
    // With a margin of 1/64, and what does not grow with the particles.
    EXPECT_LT(per_particle, bytes_of_fields + 1.02 * std::max(bytes_of_sort, evaluation) + 1) << counts.cells << " cells";
    for (int step = 0; step < 3; ++step) {
      sim->step(1e-4);
      EXPECT_EQ(sim->work_counts().bytes_held, counts.bytes_held);
    }
  }
}

TEST(ForceMemory, LaterStepsNeedNoMoreOnAnyDevice) {
  const Communicator comm(MPI_COMM_SELF);
  const ParticleSet set = plummer(particles);
  for (const GravityParameters& gravity : all_expansions(1e-3)) {
    SCOPED_TRACE(name_of(gravity));
    const auto sim = simulation(gravity, comm);
    sim->start(set, 0);
    // Until then the GPU's lists are sized: for the first forces, by a geometric criterion, and for those that follow, which need less.
    std::uint64_t most = sim->work_counts().bytes_held;
    for (int step = 0; step < 3; ++step) {
      sim->step(1e-5);
      most = std::max(most, sim->work_counts().bytes_held);
    }
    const std::size_t held = sim->work_counts().bytes_held;
    for (int step = 0; step < 4; ++step) {
      sim->step(1e-5);
      EXPECT_EQ(sim->work_counts().bytes_held, held) << "step " << step;
    }
    EXPECT_EQ(sim->most_bytes_held(), most);
  }
}

TEST(ForceMemory, OfTheGroupWalkIsThatOfTheSortOrTheTree) {
  const Communicator comm(MPI_COMM_SELF);
  const auto sim = make_simulation("cpu", tree_gravity("barnes", 1.0, 0.01), comm);
  sim->start(plummer(particles), 0);
  sim->step(1e-4);
  // The sort; or the tree with its moments, and what its build needs.
  const WorkCounts counts = sim->work_counts();
  const auto n = static_cast<double>(particles);
  const double tree = static_cast<double>(counts.cells) / n * static_cast<double>(bytes_of_cell(WalkTerms::form) + 8) + 2;
  EXPECT_LT(static_cast<double>(counts.bytes_held) / n, bytes_of_fields + 1.02 * std::max(bytes_of_sort, tree));
}

TEST(ForceMemory, NoParticleIsLostOnTheWayToTheDeviceAndBack) {
  const Communicator comm(MPI_COMM_SELF);
  const ParticleSet before = plummer(particles);
  const auto sim = simulation(tree_gravity("barnes", 1.0, 0.01), comm);
  sim->start(before, 0);
  const ParticleSet after = collected(*sim, comm);
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.position, before.position);
  EXPECT_EQ(after.velocity, before.velocity);
  EXPECT_EQ(after.mass, before.mass);
  EXPECT_EQ(after.type, before.type);
  const ReferenceForces sample = sim->reference_forces(500, 7);
  EXPECT_EQ(sample.id.size(), 500u);
  EXPECT_GT(*std::max_element(sample.id.begin(), sample.id.end()), 262144u);
  const ForceSample errors = sim->compare_forces(sample);
  EXPECT_EQ(errors.id.size(), 500u);
  EXPECT_LT(percentiles_of(errors.acceleration_error).p99, 0.05);
}

}  // namespace
}  // namespace grove::tests
