#include "src/run/observers/pictures.hpp"

#include <gtest/gtest.h>

namespace grove {
namespace {

constexpr std::uint64_t small_state = 8 << 20;

TEST(PictureLanesTest, AreOneForTwoThreadsEachButNotMoreThanEight) {
  const struct {
    int threads;
    std::size_t count;
    int each;
  } cases[] = {{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {4, 2, 2}, {7, 3, 2}, {16, 8, 2}, {128, 8, 16}};
  for (const auto& [threads, count, each] : cases) {
    const PictureLanes lanes = PictureLanes::of(threads, small_state);
    EXPECT_EQ(lanes.count, count) << threads;
    EXPECT_EQ(lanes.threads_each, each) << threads;
  }
}

TEST(PictureLanesTest, KeepAQuarterOfAGibibyteAtMostUnlessOneStateTakesMore) {
  EXPECT_EQ(PictureLanes::of(16, std::uint64_t{1} << 26).count, 4U);
  EXPECT_EQ(PictureLanes::of(16, std::uint64_t{1} << 26).threads_each, 4);
  EXPECT_EQ(PictureLanes::of(16, std::uint64_t{1} << 28).count, 1U);
  EXPECT_EQ(PictureLanes::of(16, std::uint64_t{1} << 40).count, 1U);
  EXPECT_EQ(PictureLanes::of(16, std::uint64_t{1} << 40).threads_each, 16);
  EXPECT_EQ(PictureLanes::of(16, 0).count, 8U);
}

}  // namespace
}  // namespace grove
