// Differences of particles by their ids, against differences that were made.
#include "src/analysis/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/dealt_particles.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

class ComparisonTest : public testing::Test {
 protected:
  Comparison compare(const ParticleSet& a, const ParticleSet& b) const {
    return compare_particles(dealt(a, comm_, 1), dealt(b, comm_, 2), comm_);
  }
  static ParticleSet sphere(std::uint64_t n) {
    ParticleSet set = generate_all(conditions_of("plummer", n));
    set.fields = comparison_fields();
    return set;
  }
  Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(ComparisonTest, TheSameParticlesInAnotherOrderDoNotDiffer) {
  const ParticleSet a = sphere(1000);
  const Comparison result = compare(a, a);
  EXPECT_EQ(result.in_both, 1000u);
  EXPECT_EQ(result.only_in_a.count + result.only_in_b.count + result.of_other_type.count, 0u);
  ASSERT_EQ(result.differences.size(), 3u);
  for (const FieldDifference& d : result.differences) {
    EXPECT_EQ(d.max, 0);
    EXPECT_EQ(d.rms, 0);
  }
}

TEST_F(ComparisonTest, DifferencesAreThoseThatWereMade) {
  const ParticleSet a = sphere(1000);
  ParticleSet b = a;
  for (std::size_t i = 0; i < 1000; ++i)
    b.position[3 * i] += 3e-3 * static_cast<double>(i), b.position[3 * i + 2] -= 4e-3 * static_cast<double>(i);
  b.mass[17] += 5;
  b.mass[400] += 5;
  b.type[3] = 4;
  const Comparison result = compare(a, b);
  const FieldDifference& position = result.differences.at(0);
  EXPECT_EQ(position.field, "position");
  EXPECT_NEAR(position.median, 499 * 5e-3, 1e-9);
  EXPECT_NEAR(position.p99, 989 * 5e-3, 1e-9);
  EXPECT_NEAR(position.max, 999 * 5e-3, 1e-9);
  EXPECT_EQ(position.id_of_max, 999u);
  EXPECT_NEAR(position.rms, 5e-3 * std::sqrt(999.0 * 1999 / 6), 1e-9);
  EXPECT_EQ(result.differences.at(1).max, 0);
  EXPECT_NEAR(result.differences.at(2).max, 5, 1e-12);
  EXPECT_EQ(result.differences.at(2).id_of_max, 17u);
  EXPECT_EQ(result.of_other_type.count, 1u);
  EXPECT_EQ(result.of_other_type.lowest, 3u);
}

TEST_F(ComparisonTest, TheSpreadIsThatOfTheFirstFile) {
  ParticleSet a = particles_at({{11, 0, 0}, {9, 0, 0}, {10, 2, 0}, {10, -2, 0}}), b = a;
  a.fields = b.fields = comparison_fields();
  for (double& x : b.position) x *= 10;
  const Comparison result = compare(a, b);
  EXPECT_NEAR(result.differences.at(0).spread, std::sqrt((1 + 1 + 4 + 4) / 4.0), 1e-12);
  EXPECT_NEAR(result.differences.at(2).spread, 1, 1e-12);
}

TEST_F(ComparisonTest, ParticlesInOneFileAloneAreCounted) {
  ParticleSet a = sphere(100), b = sphere(100);
  a.id[7] = 5000;
  a.id[8] = 4000;
  b.id[9] = ~std::uint64_t{0};
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.in_both, 97u);
  EXPECT_EQ(result.only_in_a.count, 3u);
  EXPECT_EQ(result.only_in_a.lowest, 9u);
  EXPECT_EQ(result.only_in_b.count, 3u);
  EXPECT_EQ(result.only_in_b.lowest, 7u);
}

TEST_F(ComparisonTest, WithoutCommonIdsNothingIsCompared) {
  ParticleSet a = sphere(10), b = sphere(20);
  for (std::uint64_t& id : b.id) id += 100;
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.in_both, 0u);
  EXPECT_EQ(result.only_in_b.count, 20u);
  EXPECT_TRUE(result.differences.empty());
}

TEST_F(ComparisonTest, AccelerationsAndPotentialsAreComparedWhereBothHaveThem) {
  ParticleSet a = sphere(50), b = sphere(50);
  a.acceleration.assign(150, 1);
  a.potential.assign(50, -2);
  b.potential.assign(50, -2.5);
  const Comparison result = compare(a, b);
  ASSERT_EQ(result.differences.size(), 4u);
  EXPECT_EQ(result.differences[3].field, "potential");
  EXPECT_EQ(result.differences[3].rms, 0.5);
  EXPECT_EQ(result.differences[3].spread, 2);
  b.acceleration.assign(150, 3);
  EXPECT_NEAR(compare(a, b).differences.at(3).rms, 2 * std::sqrt(3.0), 1e-12);
}

TEST_F(ComparisonTest, IsTheSameBitsOnAnyNumberOfRanks) {
  const ParticleSet a = sphere(2000), b = generate_all(conditions_of("hernquist", 2000));
  ParticleSet with_fields = b;
  with_fields.fields = comparison_fields();
  const Communicator alone(MPI_COMM_SELF);
  const Comparison expected = compare_particles(a, with_fields, alone), found = compare(a, with_fields);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(found.differences[k].rms, expected.differences[k].rms);
    EXPECT_EQ(found.differences[k].median, expected.differences[k].median);
    EXPECT_EQ(found.differences[k].p99, expected.differences[k].p99);
    EXPECT_EQ(found.differences[k].max, expected.differences[k].max);
    EXPECT_EQ(found.differences[k].id_of_max, expected.differences[k].id_of_max);
    EXPECT_EQ(found.differences[k].spread, expected.differences[k].spread);
  }
}

TEST_F(ComparisonTest, DifferencesThatDoNotFitSquaredHaveAnRms) {
  ParticleSet a = particles_at({{1e200, 0, 0}, {0, 0, 0}}), b = particles_at({{0, 0, 0}, {0, 0, 0}});
  a.fields = b.fields = comparison_fields();
  EXPECT_NEAR(compare(a, b).differences.at(0).rms / 1e200, std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace grove::tests
