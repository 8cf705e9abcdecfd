// Binary searches against those of the standard library.
#include "kernels/space/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace grove {
namespace {

TEST(Search, LowerBoundIsThatOfTheStandardLibrary) {
  std::mt19937_64 random(3);
  for (std::uint32_t n : {0U, 1U, 2U, 100U, 1000U}) {
    std::vector<std::uint64_t> keys(n);
    for (auto& key : keys) key = random() % 500;
    std::sort(keys.begin(), keys.end());
    for (std::uint64_t key = 0; key < 502; ++key)
      ASSERT_EQ(lower_bound(keys.data(), 0, n, key),
                static_cast<std::uint32_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()));
  }
}

}  // namespace
}  // namespace grove
