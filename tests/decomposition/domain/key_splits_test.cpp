#include "decomposition/domain/key_splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace grove {
namespace {

constexpr std::uint64_t largest_key = std::numeric_limits<std::uint64_t>::max();

/// The domain that holds `key`.
std::size_t owner_of_key(std::uint64_t key, std::span<const std::uint64_t> splits) {
  return static_cast<std::size_t>(std::upper_bound(splits.begin(), splits.end(), key) - splits.begin());
}

/// Weighted keys of one rank; counts the rounds of a search.
class KeySplits : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  std::vector<std::uint64_t> keys, weights;
  int rounds = 0;

  void add(std::uint64_t key, std::uint64_t weight = 1) {
    keys.push_back(key);
    weights.push_back(weight);
  }

  std::vector<std::uint64_t> find(double tolerance) {
    // One sweep over all keys: a lookup per candidate and key would make the tests slow.
    std::map<std::uint64_t, std::uint64_t> weight_of;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      weight_of[keys[i]] += weights[i];
      total += weights[i];
    }
    const auto below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> out) {
      ++rounds;
      EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end(), std::less_equal<>{})) << "strictly increasing";
      auto next = weight_of.begin();
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (; next != weight_of.end() && next->first < candidates[i]; ++next) sum += next->second;
        out[i] = sum;
      }
    };
    return find_key_splits(comm, static_cast<std::uint64_t>(comm.size()), below, total, tolerance);
  }

  std::vector<std::uint64_t> domain_weights(const std::vector<std::uint64_t>& splits) const {
    std::vector<std::uint64_t> domain(splits.size() + 1, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) domain[owner_of_key(keys[i], splits)] += weights[i];
    comm.sum(std::span<std::uint64_t>(domain));
    return domain;
  }

  void expect_balanced(const std::vector<std::uint64_t>& splits, double tolerance) const {
    const std::vector<std::uint64_t> domain = domain_weights(splits);
    double total = 0;
    for (const std::uint64_t weight : domain) total += static_cast<double>(weight);
    const double mean = total / static_cast<double>(domain.size());
    for (const std::uint64_t weight : domain) EXPECT_NEAR(static_cast<double>(weight), mean, tolerance * mean + 1);
  }

  void expect_same_on_all_ranks(const std::vector<std::uint64_t>& splits) const {
    std::vector<std::uint64_t> lowest = splits, highest = splits;
    comm.min(std::span<std::uint64_t>(lowest));
    comm.max(std::span<std::uint64_t>(highest));
    EXPECT_EQ(lowest, highest);
    EXPECT_EQ(splits.size(), static_cast<std::size_t>(comm.size() - 1));
    EXPECT_TRUE(std::is_sorted(splits.begin(), splits.end()));
  }
};

TEST_F(KeySplits, BalanceRandomWeightsWithinTheTolerance) {
  std::mt19937_64 random(static_cast<unsigned>(7 + comm.rank()));
  for (int i = 0; i < 5000; ++i) add(random(), 1 + random() % 100);
  const auto splits = find(0.02);
  expect_same_on_all_ranks(splits);
  expect_balanced(splits, 0.021);
  EXPECT_LE(rounds, 3);
}

TEST_F(KeySplits, BalanceKeysThatClusterInATinyInterval) {
  std::mt19937_64 random(static_cast<unsigned>(11 + comm.rank()));
  for (int i = 0; i < 3000; ++i) add((std::uint64_t{1} << 62) + random() % 100000);
  if (comm.is_root()) add(0), add(largest_key);
  const auto splits = find(0.01);
  expect_same_on_all_ranks(splits);
  expect_balanced(splits, 0.02);
}

TEST_F(KeySplits, AreExactForConsecutiveKeysAtToleranceZero) {
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  for (std::uint64_t i = 0; i < 1000; ++i) add(rank * 1000 + i);
  const auto splits = find(0.0);
  for (std::size_t r = 0; r < splits.size(); ++r) EXPECT_EQ(splits[r], (r + 1) * 1000);
  EXPECT_LE(rounds, 14);
}

TEST_F(KeySplits, DoNotDependOnHowTheKeysAreDistributed) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 2000; ++i) all.push_back(random() >> (i % 40));
  const auto size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % size == rank) add(all[i], i);
  const auto spread = find(0.001);
  keys.clear();
  weights.clear();
  if (comm.rank() == comm.size() - 1)
    for (std::size_t i = 0; i < all.size(); ++i) add(all[i], i);
  EXPECT_EQ(find(0.001), spread);
}

TEST_F(KeySplits, CannotSplitEqualKeys) {
  for (int i = 0; i < 100; ++i) add(largest_key);
  const auto splits = find(0.01);
  expect_same_on_all_ranks(splits);
  const auto domain = domain_weights(splits);
  EXPECT_EQ(*std::max_element(domain.begin(), domain.end()), 100u * static_cast<unsigned>(comm.size()));
}

TEST_F(KeySplits, UseBothEndsOfTheKeyRange) {
  for (int i = 0; i < 100; ++i) add(0), add(largest_key);
  const auto splits = find(0.01);
  expect_same_on_all_ranks(splits);
  if (comm.size() == 2) {
    EXPECT_EQ(domain_weights(splits), (std::vector<std::uint64_t>{200, 200}));
  }
}

TEST_F(KeySplits, CutNearestToTheTargetWhereOneKeyIsHeavy) {
  if (comm.is_root()) add(10, 1), add(20, 1000), add(30, 1);
  const auto splits = find(0.0);
  expect_same_on_all_ranks(splits);
  // 1 lies below the heavy key, 1001 below the next: the nearest of both is taken.
  for (std::size_t r = 0; r < splits.size(); ++r) {
    const std::size_t target = 1002 * (r + 1) / (splits.size() + 1);
    const bool before_heavy_key = target - 1 <= 1001 - target;
    EXPECT_EQ(splits[r] <= 20, before_heavy_key) << splits[r];
    EXPECT_TRUE(splits[r] > 10 && splits[r] <= 30) << splits[r];
  }
}

TEST_F(KeySplits, CutInAGapIfTheToleranceAllowsIt) {
  if (comm.size() != 2) GTEST_SKIP() << "two clusters, two ranks";
  const std::uint64_t first = std::uint64_t{1} << 61, second = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
  if (comm.is_root()) {
    for (std::uint64_t i = 0; i < 1008; ++i) add(first + 1000 * i);
    for (std::uint64_t i = 0; i < 992; ++i) add(second + 1000 * i);
  }
  EXPECT_EQ(find(0.02), (std::vector<std::uint64_t>{std::uint64_t{1} << 63})) << "the roundest key of the gap";
  expect_balanced(find(0.01), 0.01);
  EXPECT_LT(find(0.01).front(), first + 1008 * 1000) << "the gap is too far from the middle";
}

TEST_F(KeySplits, WorkWithoutAnyKeyAndWithFewerKeysThanRanks) {
  expect_same_on_all_ranks(find(0.01));
  if (comm.is_root()) add(42);
  const auto splits = find(0.01);
  expect_same_on_all_ranks(splits);
  const auto domain = domain_weights(splits);
  EXPECT_EQ(*std::max_element(domain.begin(), domain.end()), 1u);
}

TEST_F(KeySplits, CountsPerOwnerAgreeWithTheOwnerOfEachKey) {
  const std::vector<std::uint64_t> sorted{0, 1, 5, 5, 7, 9, largest_key}, splits{1, 5, 5, 9};
  std::vector<std::uint64_t> counts(5, 0);
  for (const std::uint64_t key : sorted) ++counts[owner_of_key(key, splits)];
  EXPECT_EQ(counts_per_owner(sorted, splits), counts);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 1, 0, 3, 2}));
}

}  // namespace
}  // namespace grove
