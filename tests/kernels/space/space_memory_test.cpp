// The memory of a space: buffers, and the arena of steps and scratch. What is done in parallel: space_test.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "tests/support/space_support.hpp"

namespace grove {
namespace {

using tests::download;
using tests::upload;

class Memory : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  std::mt19937_64 random{11};
};

TEST_F(Memory, BufferKeepsItsContentsWhereAsked) {
  auto buffer = upload(space, std::vector<int>{1, 2, 3});
  buffer.resize_keep(1000);
  buffer.resize_keep(2);
  EXPECT_EQ(download(space, buffer), (std::vector<int>{1, 2}));
  buffer.resize_keep(3);
  EXPECT_EQ(download(space, buffer), (std::vector<int>{1, 2, 3})) << "shrinking frees nothing";
}

TEST_F(Memory, BufferGrowsByASixteenthAtLeastAndNeverShrinks) {
  Buffer<BackEnd, int> buffer(space);
  buffer.resize_discard(1000);
  EXPECT_EQ(buffer.bytes(), 4000u);
  buffer.resize_discard(1001);
  EXPECT_EQ(buffer.bytes(), 4u * 1062);
  buffer.resize_keep(1501);
  EXPECT_EQ(buffer.bytes(), 4u * 1501);
  buffer.resize_discard(1);
  EXPECT_EQ(buffer.bytes(), 4u * 1501);
  EXPECT_EQ(buffer.size(), 1u);
}

TEST_F(Memory, SpaceCountsTheBytesItHolds) {
  const std::size_t before = space.bytes_held();
  {
    Buffer<BackEnd, double> a(space), b(space);
    a.resize_discard(100);
    b = std::move(a);
    EXPECT_EQ(space.bytes_held(), before + 800);
  }
  EXPECT_EQ(space.bytes_held(), before);
}

TEST_F(Memory, ScratchOfNestedScopesDoesNotOverlap) {
  for (int round = 0; round < 3; ++round) {
    Scratch<BackEnd, std::uint8_t> outer(space, 1000);
    space.fill_bytes(outer.data(), 1, 1000);
    // Larger than what is left of the first block.
    for (const std::size_t n : {std::size_t{10}, std::size_t{3} << 20}) {
      Scratch<BackEnd, std::uint8_t> inner(space, n), empty(space, 0), last(space, 100);
      space.fill_bytes(inner.data(), 2, n);
      space.fill_bytes(last.data(), 3, 100);
      EXPECT_EQ(download(space, View<const std::uint8_t>(inner)), std::vector<std::uint8_t>(n, 2));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(last.data()) % 64, 0u);
    }
    EXPECT_EQ(download(space, View<const std::uint8_t>(outer)), std::vector<std::uint8_t>(1000, 1));
  }
}

TEST_F(Memory, ArenaAllocatesNothingOnceItHasSeenTheLargestUse) {
  const auto step = [&] {
    Scratch<BackEnd, char> a(space, std::size_t{1} << 20);
    Scratch<BackEnd, char> b(space, std::size_t{5} << 20);
    { Scratch<BackEnd, char> c(space, std::size_t{2} << 20); }
    Scratch<BackEnd, char> d(space, std::size_t{3} << 20);
    return std::vector<const void*>{a.data(), b.data(), d.data()};
  };
  step();
  step();
  // All in one block now, somewhat larger than the largest use.
  const std::size_t held = space.arena().bytes_held();
  EXPECT_GE(held, std::size_t{9} << 20);
  EXPECT_LE(held, std::size_t{12} << 20);
  const auto where = step();
  EXPECT_EQ(step(), where);
  EXPECT_EQ(space.arena().bytes_held(), held);
}

TEST_F(Memory, SpaceKnowsTheMostBytesItHeld) {
  const std::size_t before = space.bytes_held();
  space.restart_most_bytes_held();
  {
    Buffer<BackEnd, double> a(space), b(space);
    a.resize_discard(1000);
    b.resize_discard(100);
  }
  EXPECT_EQ(space.most_bytes_held(), before + 8800);
  Buffer<BackEnd, double> c(space);
  c.resize_discard(500);
  EXPECT_EQ(space.most_bytes_held(), before + 8800);
  space.restart_most_bytes_held();
  EXPECT_EQ(space.most_bytes_held(), before + 4000);
}

TEST_F(Memory, OfAStepIsValidUntilTheNext) {
  StepBuffer<BackEnd, std::uint32_t> a(space), never(space);
  EXPECT_EQ(a.data(), nullptr);
  space.arena().begin_step();
  a.resize_discard(1000);
  EXPECT_EQ(a.size(), 1000u);
  EXPECT_EQ(a.view().size, 1000u);
  EXPECT_EQ(a.bytes(), 4000u);
  space.arena().begin_step();
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_THROW(a.data(), std::logic_error);
  EXPECT_THROW(a.view(), std::logic_error);
  EXPECT_EQ(never.data(), nullptr) << "nothing was ever taken";
  a.resize_discard(0);
  EXPECT_EQ(a.data(), nullptr);
  a.resize_discard(7);
  EXPECT_NE(a.data(), nullptr);
}

TEST_F(Memory, OfAStepIsUsedAgainWithinItWhereItIsEnough) {
  StepBuffer<BackEnd, std::uint32_t> a(space), b(space);
  a.resize_discard(1000);
  b.resize_discard(10);
  const std::uint32_t* const data = a.data();
  a.resize_discard(10);
  a.resize_discard(1000);
  EXPECT_EQ(a.data(), data);
  a.resize_discard(100000);
  EXPECT_NE(a.data(), data);
  space.fill_bytes(a.data(), 1, a.bytes());
  space.fill_bytes(b.data(), 2, b.bytes());
  EXPECT_EQ(download(space, a), std::vector<std::uint32_t>(100000, 0x01010101));
  EXPECT_EQ(download(space, b), std::vector<std::uint32_t>(10, 0x02020202));
}

TEST_F(Memory, OfStepAndScratchDoesNotOverlap) {
  StepBuffer<BackEnd, std::uint8_t> a(space), b(space), c(space);
  // Lengths that grow from step to step, so that the two ends meet at another request each time.
  for (std::size_t step = 1; step < 12; ++step) {
    const std::size_t n = step * step * 50000;
    space.arena().begin_step();
    Scratch<BackEnd, std::uint8_t> outer(space, n);
    space.fill_bytes(outer.data(), 1, n);
    a.resize_discard(2 * n);
    space.fill_bytes(a.data(), 2, 2 * n);
    {
      Scratch<BackEnd, std::uint8_t> inner(space, 3 * n);
      space.fill_bytes(inner.data(), 3, 3 * n);
      b.resize_discard(n / 2);
      space.fill_bytes(b.data(), 4, n / 2);
      Scratch<BackEnd, std::uint8_t> innermost(space, n);
      space.fill_bytes(innermost.data(), 5, n);
      EXPECT_EQ(download(space, View<const std::uint8_t>(inner)), std::vector<std::uint8_t>(3 * n, 3));
    }
    c.resize_discard(3 * n);
    space.fill_bytes(c.data(), 6, 3 * n);
    EXPECT_EQ(download(space, View<const std::uint8_t>(outer)), std::vector<std::uint8_t>(n, 1));
    EXPECT_EQ(download(space, a), std::vector<std::uint8_t>(2 * n, 2));
    EXPECT_EQ(download(space, b), std::vector<std::uint8_t>(n / 2, 4));
    EXPECT_EQ(download(space, c), std::vector<std::uint8_t>(3 * n, 6));
  }
}

TEST_F(Memory, OfScratchOutlivesTheEndOfAStep) {
  StepBuffer<BackEnd, std::uint8_t> a(space);
  for (const std::size_t n : {std::size_t{1} << 20, std::size_t{7} << 20, std::size_t{3} << 20}) {
    Scratch<BackEnd, std::uint8_t> scratch(space, n);
    space.fill_bytes(scratch.data(), 1, n);
    for (int step = 0; step < 3; ++step) {
      space.arena().begin_step();
      a.resize_discard(n);
      space.fill_bytes(a.data(), 2, n);
    }
    EXPECT_EQ(download(space, View<const std::uint8_t>(scratch)), std::vector<std::uint8_t>(n, 1));
  }
}

TEST_F(Memory, ArenaHasOneBlockForStepAndScratchOnceItHasSeenTheLargestUse) {
  const std::size_t million = std::size_t{1} << 20, before = space.bytes_held();
  StepBuffer<BackEnd, char> a(space), b(space);
  const auto step = [&](std::size_t unit) {
    space.arena().begin_step();
    { Scratch<BackEnd, char> early(space, 7 * unit); }
    a.resize_discard(4 * unit);
    { Scratch<BackEnd, char> between(space, 5 * unit); }
    b.resize_discard(6 * unit);
    Scratch<BackEnd, char> late(space, unit);
    return std::vector<const void*>{a.data(), b.data(), late.data()};
  };
  space.restart_most_bytes_held();
  step(20 * million);
  EXPECT_LE(space.most_bytes_held() - before, 220 * million + 100000) << "large blocks of scratch are not kept beside others";
  space.restart_most_bytes_held();
  const auto where = step(20 * million);
  const std::size_t held = space.arena().bytes_held();
  // The two ends together: 4 + 6 + 1.
  EXPECT_GE(held, 220 * million);
  EXPECT_LE(held, 228 * million);
  EXPECT_EQ(step(20 * million), where);
  EXPECT_EQ(step(10 * million).front(), where.front());
  EXPECT_EQ(space.arena().bytes_held(), held);
  EXPECT_EQ(space.most_bytes_held() - before, held) << "nothing else was ever allocated";
  step(21 * million);
  step(21 * million);
  EXPECT_GE(space.arena().bytes_held(), 231 * million) << "one larger use is enough for a larger block";
  EXPECT_LE(space.arena().bytes_held(), 239 * million);
}

TEST_F(Memory, ArenaServesAnyOrderOfNestedSizes) {
  for (int round = 0; round < 50; ++round) {
    const auto nest = [&](const auto& self, int depth) -> void {
      const std::size_t n = random() % (std::size_t{1} << (8 + random() % 14));
      Scratch<BackEnd, char> scratch(space, n);
      space.fill_bytes(scratch.data(), depth, n);
      if (depth < 6) self(self, depth + 1);
      if (depth < 6 && random() % 2) self(self, depth + 1);
      if (n == 0) return;
      char ends[2];
      space.copy_to_host(ends, scratch.data(), 1);
      space.copy_to_host(ends + 1, scratch.data() + n - 1, 1);
      ASSERT_EQ(ends[0], depth);
      ASSERT_EQ(ends[1], depth);
    };
    nest(nest, 0);
  }
}

}  // namespace
}  // namespace grove
