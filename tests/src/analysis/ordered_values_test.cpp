// Percentiles over ranks, against those of a sorted array.
#include "src/analysis/ordered_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace grove::tests {
namespace {

class OrderedValuesTest : public testing::Test {
 protected:
  OrderedValues over_ranks(const std::vector<WeightedValue>& all) const {
    std::vector<WeightedValue> own;
    for (std::size_t i = static_cast<std::size_t>(comm_.rank()); i < all.size(); i += static_cast<std::size_t>(comm_.size()))
      own.push_back(all[i]);
    return {own, comm_};
  }
  Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(OrderedValuesTest, NthIsThatOfASortedArray) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> exponential;
  std::vector<WeightedValue> all(1001);
  for (WeightedValue& v : all) v.value = exponential(random) * (random() % 10 == 0 ? 1e11 : 1);
  all[5].value = all[6].value = all[7].value;
  const OrderedValues values = over_ranks(all);
  std::vector<double> sorted;
  for (const WeightedValue& v : all) sorted.push_back(v.value);
  std::sort(sorted.begin(), sorted.end());
  for (const std::size_t n : {1, 2, 3, 500, 501, 1000, 1001}) EXPECT_EQ(values.nth(n), sorted[n - 1]) << n;
  EXPECT_EQ(values.percentile(0.5), sorted[500]);
  EXPECT_EQ(values.percentile(0.99), sorted[990]);
  EXPECT_EQ(values.percentile(0), sorted[0]);
  EXPECT_EQ(values.percentile(1), sorted[1000]);
  EXPECT_EQ(values.next_above(sorted[10]), sorted[11]);
  EXPECT_EQ(values.next_above(sorted[1000]), 0);
  EXPECT_EQ(values.count_up_to(sorted[10]), 11u);
  EXPECT_EQ(values.count_below(sorted[10]), 10u);
}

TEST_F(OrderedValuesTest, MediansOfSeveralSetsAreThoseOfSortedArrays) {
  const std::vector<std::vector<double>> all{{5, 1, 3, 1e11}, {}, {0}, {7, -0.0, 1e-300}, {NAN, NAN, 1}};
  std::vector<std::vector<double>> own(all.size());
  for (std::size_t s = 0; s < all.size(); ++s)
    for (std::size_t i = 0; i < all[s].size(); ++i)
      if (static_cast<int>(i) % comm_.size() == comm_.rank()) own[s].push_back(all[s][i]);
  const std::vector<double> medians = medians_of(own, comm_);
  EXPECT_EQ(medians[0], 3) << "of an even number, the lower one";
  EXPECT_TRUE(std::isnan(medians[1]));
  EXPECT_EQ(medians[2], 0);
  EXPECT_EQ(medians[3], 1e-300);
  EXPECT_TRUE(std::isnan(medians[4]));
  EXPECT_TRUE(medians_of({}, comm_).empty());
}

TEST_F(OrderedValuesTest, AShareOfTheWeightIsReachedAtOneOfTheValues) {
  const OrderedValues values = over_ranks({{3, 1}, {1, 1}, {2, 6}, {0, 0}, {9, 2}});
  EXPECT_EQ(values.weight(), 10);
  EXPECT_EQ(values.weighted_percentile(0.1), 1);
  EXPECT_EQ(values.weighted_percentile(0.11), 2);
  EXPECT_EQ(values.weighted_percentile(0.7), 2);
  EXPECT_EQ(values.weighted_percentile(0.8), 3);
  EXPECT_EQ(values.weighted_percentile(1), 9);
}

TEST_F(OrderedValuesTest, WithoutWeightAllCountTheSame) {
  EXPECT_EQ(over_ranks({{4, 0}, {1, 0}, {2, 0}, {8, 0}}).weighted_percentile(0.5), 2);
}

TEST_F(OrderedValuesTest, NoneAndOneAndInfinite) {
  const OrderedValues none = over_ranks({});
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.percentile(0.5), 0);
  EXPECT_EQ(none.weighted_percentile(0.5), 0);
  EXPECT_EQ(none.largest(), 0);
  EXPECT_EQ(over_ranks({{7, 1}}).weighted_percentile(0.5), 7);
  EXPECT_EQ(over_ranks({{-0.0, 1}, {-0.0, 1}}).nth(2), 0);
  EXPECT_TRUE(std::isinf(over_ranks({{1, 1}, {INFINITY, 1}}).nth(2)));
}

}  // namespace
}  // namespace grove::tests
