// What ranks would exchange, counted in one process, against what the ranks of this test exchange.
#include "src/bench/virtual_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/gravity/cell.hpp"
#include "kernels/tree/tree.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

class VirtualRanksTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  ParticleSet all = plummer(20000, 5);

  VirtualRanks measured(const GravityParameters& gravity, int ranks) const {
    const std::vector<VirtualRanks> rows = measure_virtual_ranks(all, gravity, {ranks});
    EXPECT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().ranks, ranks);
    return rows.front();
  }
};

std::vector<GravityParameters> laws() { return {fmm_gravity(2.6e-3, 0), tree_gravity("barnes", 0.7, 0.02)}; }

TEST_F(VirtualRanksTest, ImportNothingWhenThereIsOne) {
  for (const GravityParameters& gravity : laws()) {
    const VirtualRanks one = measured(gravity, 1);
    EXPECT_EQ(one.particles, 20000);
    EXPECT_EQ(one.imported_particles.most, 0);
    EXPECT_EQ(one.imported_cells.most, 0);
    EXPECT_EQ(one.imported_bytes.most, 0);
    EXPECT_EQ(one.near_ranks.most, 0);
    EXPECT_EQ(one.senders.most, 0);
    EXPECT_EQ(one.import_share(), 0);
    EXPECT_NEAR(one.balance, 1, 1e-10);
  }
}

TEST_F(VirtualRanksTest, ImportAboutAsMuchAsRealRanks) {
  for (const GravityParameters& gravity : laws()) {
    SCOPED_TRACE(gravity.method);
    const VirtualRanks virtual_ranks = measured(gravity, comm.size());
    const auto sim = make_simulation("cpu", gravity, comm);
    sim->start(share_of(all, comm), 0);
    // Domains are cut by the work of the forces before.
    for (int i = 0; i < 3; ++i) sim->compute_forces();
    const WorkCounts real = sim->work_counts();
    // Real cuts come from a sample, and lie at other particles.
    const auto expect_near = [&](const MeanAndMost& counted, std::uint64_t here) {
      const auto count = static_cast<double>(here);
      EXPECT_NEAR(counted.mean, comm.sum(count) / comm.size(), 0.05 * counted.mean);
      EXPECT_NEAR(counted.most, comm.max(count), 0.1 * counted.most);
    };
    expect_near(virtual_ranks.imported_particles, real.imported_particles);
    expect_near(virtual_ranks.imported_cells, real.imported_cells);
    EXPECT_EQ(virtual_ranks.imported_cells.mean > 0, comm.size() > 1);
    EXPECT_LT(virtual_ranks.balance, 1.05);
  }
}

TEST_F(VirtualRanksTest, CountTheBytesOfWhatIsImported) {
  const GravityParameters gravity = tree_gravity("barnes", 0.7, 0.02);
  const VirtualRanks two = measured(gravity, 2);
  // Each rank has one sender, all of whose boxes are known; a multipole of order 2 has 6 numbers.
  EXPECT_EQ(two.near_ranks.mean, 1);
  EXPECT_EQ(two.senders.mean, 1);
  const double cell_bytes = sizeof(CellLinks) + sizeof(CellGeometry) + 6 * sizeof(float);
  EXPECT_NEAR(two.imported_bytes.mean, sizeof(Double4) * two.imported_particles.mean + cell_bytes * two.imported_cells.mean, 1e-3);
  EXPECT_EQ(two.import_share(), two.imported_particles.mean / 10000);
}

TEST_F(VirtualRanksTest, MayBeMoreThanParticles) {
  all = plummer(3);
  const VirtualRanks five = measured(fmm_gravity(1e-3, 0), 5);
  EXPECT_EQ(five.particles, 0.6);
  EXPECT_LE(five.imported_particles.most, 2);
}

TEST_F(VirtualRanksTest, AreARowEachInTextAndJson) {
  VirtualRanks row;
  row.ranks = 64;
  row.particles = 1000;
  row.imported_particles = {250, 400};
  row.imported_bytes = {3e6, 5e6};
  const std::vector<VirtualRanks> rows{VirtualRanks{}, row};
  const std::string text = virtual_ranks_text(rows);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  for (const char* value : {"    64 ", " 0.250 ", " 3.00 ", " 5.00 "})
    EXPECT_NE(text.find(value), std::string::npos) << value << "\n" << text;
  const nlohmann::ordered_json json = virtual_ranks_json(rows);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1]["ranks"], 64);
  EXPECT_EQ(json[1]["particles_a_rank"], 1000);
  EXPECT_EQ(json[1]["imported_particles"]["mean"], 250);
  EXPECT_EQ(json[1]["imported_particles"]["most"], 400);
  for (const char* name : {"imported_cells", "imported_bytes", "near_ranks", "senders", "table_bytes", "balance"})
    EXPECT_TRUE(json[0].contains(name)) << name;
}

}  // namespace
}  // namespace grove::tests
