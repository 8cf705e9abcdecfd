// Sums without rounding, against numbers whose sum is known.
#include "decomposition/ranks/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace grove::tests {
namespace {

constexpr double largest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();
constexpr double infinite = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

TEST(ExactSum, OfOneNumberIsThatNumber) {
  for (const double x : {0.0, 1.0, -1.0, 0.1, largest, -largest, smallest, -smallest, 2.2250738585072014e-308, 1e-310, -3e200})
    EXPECT_EQ(sum_of({x}), x);
}

TEST(ExactSum, LosesNothingBesideLargeNumbers) {
  EXPECT_EQ(sum_of({1e300, 1e-300, -1e300}), 1e-300);
  EXPECT_EQ(sum_of({largest, largest, -largest, smallest, -largest}), smallest);
  EXPECT_EQ(sum_of({1, 1e100, 1, -1e100}), 2);
}

TEST(ExactSum, RoundsOnceToTheNearestAndTiesToEven) {
  const double half = std::ldexp(1.0, -53);  // of the last bit of 1
  EXPECT_EQ(sum_of({1, half}), 1);
  EXPECT_EQ(sum_of({1, half, smallest}), 1 + 2 * half);
  EXPECT_EQ(sum_of({1, half, -smallest}), 1);
  EXPECT_EQ(sum_of({1 + 2 * half, half}), 1 + 4 * half);
  EXPECT_EQ(sum_of({-1, -half, -smallest}), -1 - 2 * half);
}

TEST(ExactSum, OfIntegersIsTheirs) {
  std::mt19937_64 random(1);
  std::int64_t expected = 0;
  ExactSum sum;
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> 30) * (i % 3 - 1);
    expected += value;
    sum.add(static_cast<double>(value));
  }
  EXPECT_EQ(sum.value(), static_cast<double>(expected));
}

TEST(ExactSum, TooLargeIsInfiniteAndWhatIsNotFiniteIsSeen) {
  EXPECT_EQ(sum_of({largest, largest}), infinite);
  EXPECT_EQ(sum_of({-largest, -largest}), -infinite);
  EXPECT_TRUE(std::isnan(sum_of({1, infinite})));
  EXPECT_TRUE(std::isnan(sum_of({std::nan(""), 1})));
}

TEST(ExactSum, IsTheSameForAnyOrderAndOnAnyNumberOfRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(3000);
  for (double& v : values) v = std::ldexp(uniform(random), static_cast<int>(random() % 200) - 100);
  const double forwards = sum_of(values);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(sum_of(values), forwards);
  ExactSum own;
  for (std::size_t i = static_cast<std::size_t>(comm.rank()); i < values.size(); i += static_cast<std::size_t>(comm.size()))
    own.add(values[i]);
  std::vector<ExactSum> sums{own, ExactSum()};
  ExactSum::sum_over_ranks(sums, comm);
  EXPECT_EQ(sums[0].value(), forwards);
  EXPECT_EQ(sums[1].value(), 0);
}

TEST(ExactSum, OfSumsIsTheSumOfAll) {
  ExactSum a, b;
  for (const double x : {1e16, 1.0, -3.5}) a.add(x);
  for (const double x : {-1e16, 2.25}) b.add(x);
  a.add(b);
  EXPECT_EQ(a.value(), -0.25);
}

}  // namespace
}  // namespace grove::tests
