// The parallel layer: its primitives. Its memory: space_memory_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "kernels/space/atomic.hpp"
#include "kernels/space/phase_clock.hpp"
#include "tests/support/space_support.hpp"

namespace grove {
namespace {

using tests::download;
using tests::upload;

/// Lengths around the blocks that scans and reductions are made of.
const std::vector<std::size_t> lengths{0, 1, 2, 31, 32, 33, 255, 256, 257, 4095, 4096, 4097, 16383, 16384, 16385, 32769, 100003};
/// Reductions of more items have more blocks on a GPU.
constexpr std::size_t most_of_few_blocks = std::size_t{1} << 22;

struct CountVisit {
  std::uint32_t* visits;
  GROVE_HD void operator()(std::size_t i) const { visits[i] += 1; }
};
/// A table whose columns are reduced in different ways: the parts 0, 3 ... are summed, of 1, 4 ... the smallest is looked for, of the
/// others the largest.
template <int count>
struct TableRow {
  const std::uint64_t* items;
  GROVE_HD Row<std::uint64_t, count> operator()(std::size_t i) const {
    Row<std::uint64_t, count> row;
    for (int k = 0; k < count; ++k) row.part[k] = items[i] * static_cast<std::uint64_t>(k + 1) % 1'000'003;
    return row;
  }
};
constexpr std::uint64_t none = ~std::uint64_t{0};
struct ByPart {
  GROVE_HD std::uint64_t operator()(int k, std::uint64_t a, std::uint64_t b) const {
    return k % 3 == 0 ? a + b : k % 3 == 1 ? smaller(a, b) : larger(a, b);
  }
};
struct ThreeOf {
  const double* items;
  GROVE_HD Row<double, 3> operator()(std::size_t i) const { return {{items[i], 2 * items[i], items[i] / 3}}; }
};
struct RowOfItem {
  const std::uint32_t* items;
  GROVE_HD Row<std::uint64_t, 1> operator()(std::size_t i) const { return {{items[i]}}; }
};
/// Sums, smallest and largest number of a run of `run` items, shared by a team.
struct RunStatistics {
  const std::uint64_t* values;
  std::size_t run;
  std::uint64_t* out;
  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    std::uint64_t sum = 0, least = ~std::uint64_t{0}, most = 0;
    for (std::size_t k = i * run + static_cast<std::size_t>(team.rank()); k < (i + 1) * run; k += Team::size) {
      sum += values[k];
      least = values[k] < least ? values[k] : least;
      most = values[k] > most ? values[k] : most;
    }
    sum = team.sum(sum);
    least = team.smallest(least);
    most = team.largest(most);
    if (team.rank() == 0) out[3 * i] = sum;
    if (team.rank() == Team::size - 1) {
      out[3 * i + 1] = least;
      out[3 * i + 2] = most;
    }
  }
};
/// Each team writes the votes on which of `values` are odd, a bit for each.
template <int most>
struct OddOnes {
  const std::uint64_t* values;
  std::uint32_t* out;
  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    std::uint32_t odd = 0;
    for (int k = 0; k < most; k += Team::size)
      odd |= team.votes(values[i * most + static_cast<std::size_t>(k + team.rank())] % 2 == 1) << k;
    if (team.rank() == Team::size - 1) out[i] = odd;
  }
};
/// Teams copy items, and the last team of `crew` sums what all of these have copied.
struct SumByTheLast {
  static constexpr std::size_t run = 13;  ///< items a team
  const std::uint64_t* values;
  std::size_t crew;
  std::uint64_t *copy, *out;
  std::uint32_t* arrived;
  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    const auto lane = static_cast<std::size_t>(team.rank());
    for (std::size_t k = i * run + lane; k < (i + 1) * run; k += Team::size) copy[k] = values[k];
    const std::size_t c = i / crew;
    if (arrive(team, arrived[c]) + 1 < crew) return;
    std::uint64_t sum = 0;
    for (std::size_t k = c * crew * run + lane; k < (c + 1) * crew * run; k += Team::size) sum += copy[k];
    sum = team.sum(sum);
    if (team.rank() == Team::size - 1) out[c] += sum;
  }
};
struct Item {
  const std::uint64_t* values;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return values[i]; }
};
struct One {
  GROVE_HD std::uint64_t operator()(std::size_t) const { return 1; }
};
struct Real {
  const double* values;
  GROVE_HD double operator()(std::size_t i) const { return values[i]; }
};
struct Add {
  template <class T>
  GROVE_HD T operator()(T a, T b) const {
    return a + b;
  }
};

struct ItemAndPlace {
  const std::uint32_t* items;
  GROVE_HD std::uint32_t operator()(std::size_t i) const { return items[i % 4] + static_cast<std::uint32_t>(i); }
};

class Parallel : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  std::mt19937_64 random{11};

  std::vector<std::uint64_t> random_items(std::size_t n, std::uint64_t below) {
    std::vector<std::uint64_t> items(n);
    for (auto& item : items) item = random() % below;
    return items;
  }
};

TEST_F(Parallel, ForEachVisitsEveryIndexOnce) {
  for (const std::size_t n : lengths) {
    const auto visits = upload(space, std::vector<std::uint32_t>(n + 1, 0));
    space.for_each(n, CountVisit{visits.data()});
    const auto seen = download(space, visits);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1U), static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(seen[n], 0u);
  }
}

TEST_F(Parallel, TeamsShareTheWorkOfEachItem) {
  for (const std::size_t n : {0, 1, 3, 4, 33, 2000})
    for (const std::size_t run : {1, 5, 8, 21}) {
      const auto items = random_items(n * run, 1000);
      const auto values = upload(space, items);
      auto out = upload(space, std::vector<std::uint64_t>(3 * n, 7));
      space.for_each_by_team(n, RunStatistics{values.data(), run, out.data()});
      const auto seen = download(space, out);
      for (std::size_t i = 0; i < n; ++i) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(i * run), end = begin + static_cast<std::ptrdiff_t>(run);
        ASSERT_EQ(seen[3 * i], std::accumulate(begin, end, std::uint64_t{0})) << "item " << i << " of " << n;
        ASSERT_EQ(seen[3 * i + 1], *std::min_element(begin, end));
        ASSERT_EQ(seen[3 * i + 2], *std::max_element(begin, end));
      }
    }
}

TEST_F(Parallel, TeamsVote) {
  const auto check = [this]<int lanes>(std::integral_constant<int, lanes>) {
    for (const std::size_t n : {1, 3, 4, 33, 2000}) {
      const auto items = random_items(n * lanes, 1000);
      const auto values = upload(space, items);
      const auto out = upload(space, std::vector<std::uint32_t>(n, 7));
      space.template for_each_by_team<lanes>(n, OddOnes<lanes>{values.data(), out.data()});
      const auto seen = download(space, out);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < lanes; ++k) ASSERT_EQ(seen[i] >> k & 1, items[i * lanes + k] % 2) << "item " << i << " of " << n;
    }
  };
  check(std::integral_constant<int, 8>{});
  check(std::integral_constant<int, 32>{});
}

TEST_F(Parallel, TheLastTeamToArriveSeesWhatTheOthersWrote) {
  for (const std::size_t crews : {1, 3, 1000})
    for (const std::size_t crew : {1, 2, 7, 8}) {
      const std::size_t items = crews * crew * SumByTheLast::run;
      const auto written = random_items(items, 1000);
      const auto values = upload(space, written), copy = upload(space, std::vector<std::uint64_t>(items, 5000));
      const auto out = upload(space, std::vector<std::uint64_t>(crews, 0));
      const auto arrived = upload(space, std::vector<std::uint32_t>(crews, 0));
      space.for_each_by_team(crews * crew, SumByTheLast{values.data(), crew, copy.data(), out.data(), arrived.data()});
      const auto seen = download(space, out);
      for (std::size_t c = 0; c < crews; ++c) {
        const auto begin = written.begin() + static_cast<std::ptrdiff_t>(c * crew * SumByTheLast::run);
        ASSERT_EQ(seen[c], std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(crew * SumByTheLast::run), std::uint64_t{0})) << c;
      }
    }
}

TEST_F(Parallel, TransformReduceSumsAllItems) {
  for (const std::size_t n : lengths) {
    const auto items = random_items(n, 1000);
    const auto device = upload(space, items);
    const std::uint64_t sum = space.transform_reduce(n, std::uint64_t{0}, Item{device.data()}, Add{});
    EXPECT_EQ(sum, std::accumulate(items.begin(), items.end(), std::uint64_t{0})) << n;
  }
}

TEST_F(Parallel, TransformReduceSumsAllItemsWhereTheyTakeMoreBlocks) {
  for (const std::size_t n : {most_of_few_blocks - 1, most_of_few_blocks, most_of_few_blocks + 1, most_of_few_blocks + 300000}) {
    const auto items = random_items(n, 1000);
    const auto device = upload(space, items);
    const std::uint64_t sum = space.transform_reduce(n, std::uint64_t{0}, Item{device.data()}, Add{});
    EXPECT_EQ(sum, std::accumulate(items.begin(), items.end(), std::uint64_t{0})) << n;
  }
}

template <int count>
void expect_rows_reduced(BackEnd& space, std::mt19937_64& random, std::size_t n) {
  std::vector<std::uint64_t> items(n);
  for (auto& item : items) item = random() % 1'000'000;
  const auto device = upload(space, items);
  const TableRow<count> row{device.data()};
  Row<std::uint64_t, count> nothing{}, expected{};
  for (int k = 0; k < count; ++k) nothing.part[k] = expected.part[k] = k % 3 == 1 ? none : 0;
  const TableRow<count> row_here{items.data()};
  for (std::size_t i = 0; i < n; ++i) expected = join(expected, row_here(i), ByPart{});
  const Row<std::uint64_t, count> seen = space.reduce_rows(n, nothing, row, ByPart{});
  for (int k = 0; k < count; ++k) ASSERT_EQ(seen.part[k], expected.part[k]) << "part " << k << " of " << count << ", n = " << n;
}

TEST_F(Parallel, ReduceRowsReducesEachPartByItself) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 5376, 5377, 65'536, 65'537, 100'003, 5'000'000}) {
    expect_rows_reduced<1>(space, random, n);
    expect_rows_reduced<2>(space, random, n);
    expect_rows_reduced<3>(space, random, n);
    expect_rows_reduced<5>(space, random, n);
    expect_rows_reduced<7>(space, random, n);
    expect_rows_reduced<12>(space, random, n);
    expect_rows_reduced<17>(space, random, n);
    expect_rows_reduced<32>(space, random, n);
  }
}

TEST_F(Parallel, ReduceRowsGivesTheSameBitsTwice) {
  std::vector<double> items(100003);
  for (double& item : items) item = std::uniform_real_distribution<double>(-1, 1)(random);
  const auto device = upload(space, items);
  const auto once = space.reduce_rows(items.size(), Row<double, 3>{}, ThreeOf{device.data()}, AddParts{});
  for (int i = 0; i < 5; ++i) {
    const auto again = space.reduce_rows(items.size(), Row<double, 3>{}, ThreeOf{device.data()}, AddParts{});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(again.part[k], once.part[k]);
  }
}

TEST_F(Parallel, TransformReduceGivesTheSameBitsTwice) {
  std::vector<double> items(100003);
  for (double& item : items) item = std::uniform_real_distribution<double>(-1, 1)(random);
  const auto device = upload(space, items);
  const double once = space.transform_reduce(items.size(), 0.0, Real{device.data()}, Add{});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(space.transform_reduce(items.size(), 0.0, Real{device.data()}, Add{}), once);
}

TEST_F(Parallel, ExclusiveScanSumsWhatLiesBefore) {
  for (const std::size_t n : lengths) {
    const auto items = random_items(n, 1000);
    const auto in = upload(space, items);
    auto out = upload(space, std::vector<std::uint64_t>(n + 1, 99));
    space.exclusive_scan<std::uint64_t>(in.view(), out.view());
    std::vector<std::uint64_t> expected(n + 1, 0);
    std::partial_sum(items.begin(), items.end(), expected.begin() + 1);
    EXPECT_EQ(download(space, out), expected) << n;
  }
}

TEST_F(Parallel, SortPairsIsStableAndLooksAtTheLowestBitsOnly) {
  // Odd and even numbers of digits: the radix sort on a GPU may end in either of two buffers.
  for (const int bits : {1, 8, 13, 21, 63, 64})
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{70001}, std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
      if (n > 100000 && bits != 63) continue;
      std::vector<std::uint64_t> keys(n);
      for (auto& key : keys) key = bits > 60 ? (random() % 500) * 0x9e3779b97f4a7c15ULL : random();
      std::vector<std::uint32_t> values(n);
      std::iota(values.begin(), values.end(), 0U);
      const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      std::vector<std::uint32_t> expected = values;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
      for (const KeyOrder order : {KeyOrder::any, KeyOrder::nearly_sorted}) {  // on a GPU these are two sorts
        const auto sorted_keys = upload(space, keys);
        const auto sorted_values = upload(space, values);
        space.sort_pairs(sorted_keys.view(), sorted_values.view(), bits, order);
        EXPECT_EQ(download(space, sorted_values), expected) << bits << " bits, " << n;
        const auto got = download(space, sorted_keys);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], keys[expected[i]]);
      }
    }
}

TEST_F(Parallel, SortPairsSortsKeysOfAnyDistributionWhateverItExpects) {
  constexpr std::uint64_t block = 1024;  // a GPU sorts so many or a multiple at a time
  const std::vector<std::pair<const char*, std::function<std::uint64_t(std::uint64_t, std::uint64_t)>>> kinds = {
      {"sorted", [](std::uint64_t i, std::uint64_t) { return i; }},
      {"reversed", [](std::uint64_t i, std::uint64_t n) { return n - i; }},
      {"equal", [](std::uint64_t, std::uint64_t) { return std::uint64_t{7}; }},
      {"the largest", [](std::uint64_t, std::uint64_t) { return ~std::uint64_t{0}; }},
      {"sorted except some", [this](std::uint64_t i, std::uint64_t n) { return i % 50 == 0 ? random() % n : i; }},
      {"every block the same", [](std::uint64_t i, std::uint64_t) { return i % block << 32; }},
      {"two values", [](std::uint64_t i, std::uint64_t) { return i * 2654435761U >> 7 & 1; }},
      {"random", [this](std::uint64_t, std::uint64_t) { return random(); }}};
  constexpr int bits = 63;  // those of a particle's key
  for (const auto& [name, key_of] : kinds)
    for (const std::size_t n :
         {block - 1, block, block + 1, 2 * block, 20 * block + 3, 96 * block, 128 * block, 128 * block + 1, 512 * block, 512 * block + 1}) {
      std::vector<std::uint64_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(i, n);
      std::vector<std::uint32_t> values(n);
      std::iota(values.begin(), values.end(), 0U);
      // On a GPU, one whose last sort was slow would take another way.
      BackEnd fresh = tests::make_space();
      const auto sorted_keys = upload(fresh, keys);
      const auto sorted_values = upload(fresh, values);
      fresh.sort_pairs(sorted_keys.view(), sorted_values.view(), bits, KeyOrder::nearly_sorted);
      std::stable_sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] << 1 < keys[b] << 1; });
      EXPECT_EQ(download(fresh, sorted_values), values) << name << ", " << n;
      const auto got = download(fresh, sorted_keys);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], keys[values[i]]) << name << ", " << n;
    }
}

// A GPU changes its way where keys are not what it expects, and tries again now and then.
TEST_F(Parallel, SortPairsSortsWhateverCameBefore) {
  constexpr std::size_t n = 20000;
  for (int turn = 0; turn < 60; ++turn) {
    const bool is_sorted = turn % 20 < 4;
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = is_sorted ? i / 3 : random() % 1000;
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0U);
    const auto sorted_keys = upload(space, keys);
    const auto sorted_values = upload(space, values);
    space.sort_pairs(sorted_keys.view(), sorted_values.view(), 63, KeyOrder::nearly_sorted);
    std::stable_sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    ASSERT_EQ(download(space, sorted_values), values) << turn;
  }
}

TEST_F(Parallel, ValuesReachTheHostInOrder) {
  const std::vector<std::uint32_t> items = {5, 3, 8, 1};
  const auto device = upload(space, items);
  const std::uint32_t* const from = device.data();
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{1024}}) {
    std::vector<std::uint32_t> seen(n + 1, 77), expected(n + 1, 77);
    for (std::size_t i = 0; i < n; ++i) expected[i] = items[i % 4] + static_cast<std::uint32_t>(i);
    space.values_to_host(n, ItemAndPlace{from}, seen.data());
    EXPECT_EQ(seen, expected) << n;
  }
}

TEST_F(Parallel, CopyCopiesEveryByteAndNoMore) {
  const std::size_t block = std::size_t{1} << 18;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, block - 1, block, block + 1, 3 * block + 7}) {
    std::vector<std::uint8_t> items(n + 1);
    for (auto& item : items) item = static_cast<std::uint8_t>(random());
    const auto from = upload(space, items);
    const auto to = upload(space, std::vector<std::uint8_t>(n + 1, items[n] ^ 1));
    space.copy(to.data(), from.data(), n);
    items[n] ^= 1;
    EXPECT_EQ(download(space, to), items) << n;
  }
}

TEST_F(Parallel, CopiesOfAnySizeReachTheHostBetweenSums) {
  for (const std::size_t n : {1, 2, 3, 5, 255, 256, 257, 4095, 4096, 4097, 100'003}) {
    std::vector<std::uint8_t> items(n + 1), seen(n, 0);
    for (auto& item : items) item = static_cast<std::uint8_t>(random());
    const auto from = upload(space, items);
    // Not at the begin of a word.
    space.copy_to_host(seen.data(), from.data() + 1, n);
    EXPECT_EQ(seen, std::vector<std::uint8_t>(items.begin() + 1, items.end())) << n;
    EXPECT_EQ(space.transform_reduce(n, std::uint64_t{0}, One{}, Add{}), n) << n;
  }
}

TEST_F(Parallel, StampsMeasureTimeThatPasses) {
  space.begin_stamps();
  const auto a = space.stamp();
  const auto b = space.stamp();
  EXPECT_GE(space.seconds_between(a, b), 0);
  EXPECT_LT(space.seconds_between(a, b), 10);
}

TEST_F(Parallel, ResultsThatComeLaterAreThoseOfTheMomentTheyWereAskedFor) {
  auto items = upload(space, std::vector<std::uint32_t>(5000, 2));
  const auto sum = [&] { return space.reduce_rows_later(items.size(), Row<std::uint64_t, 1>{{0}}, RowOfItem{items.data()}, AddParts{}); };
  auto twos = sum();
  auto first = space.copy_to_host_later(items.data() + 7);
  space.fill_bytes(items.data(), 1, items.size() * sizeof(std::uint32_t));
  auto ones = sum();
  auto second = space.copy_to_host_later(items.data() + 7);
  EXPECT_EQ(second.get(), 0x01010101U);
  EXPECT_EQ(twos.get().part[0], 10000U);
  EXPECT_EQ(first.get(), 2U);
  EXPECT_EQ(ones.get().part[0], 5000 * std::uint64_t{0x01010101});
  EXPECT_EQ(twos.get().part[0], 10000U) << "again";
  auto nothing = space.reduce_rows_later(0, Row<std::uint64_t, 1>{{77}}, RowOfItem{nullptr}, AddParts{});
  EXPECT_EQ(nothing.get().part[0], 77U);
}

TEST_F(Parallel, OfTwoClocksOneCanBeReadWhileTheOtherGoesOn) {
  PhaseClock<BackEnd> clocks[2] = {PhaseClock<BackEnd>(space), PhaseClock<BackEnd>(space)};
  clocks[0].restart();
  clocks[0].begin("first");
  for (int turn = 0; turn < 4; ++turn) {
    PhaseClock<BackEnd>&present = clocks[turn % 2], &next = clocks[1 - turn % 2];
    present.begin("work");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    present.end();
    next.restart_after(present);
    next.begin("ahead");
    next.end();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto phases = present.phases();
    ASSERT_EQ(phases.size(), 2U) << turn;
    EXPECT_EQ(phases[0].first, turn == 0 ? "first" : "ahead") << turn;
    EXPECT_EQ(phases[1].first, "work") << turn;
    EXPECT_GE(phases[0].second, 0) << turn;
    EXPECT_LT(phases[0].second, 0.2) << "what is between an end and a beginning is no phase";
    EXPECT_GE(phases[1].second, 0) << turn;
    EXPECT_LT(phases[1].second, 10) << turn;
  }
}

}  // namespace
}  // namespace grove
