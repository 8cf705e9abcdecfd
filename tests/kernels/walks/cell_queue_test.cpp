// The queue of cells that a walk has yet to test.
#include "kernels/walks/cell_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace grove {
namespace {

constexpr std::uint32_t width = FloatVector::width;

/// A root with `children` children, each of which has as many leaves.
struct SmallTree {
  std::vector<CellLinks> links;
  std::vector<CellGeometry> geometry;
  TreeView view;

  explicit SmallTree(std::uint32_t children) : links(1 + children + children * children), geometry(links.size()) {
    links[0] = {1, children, 0, 100};
    for (std::uint32_t c = 0; c < children; ++c) links[1 + c] = {1 + children + c * children, children, 0, 10};
    view.links = links.data();
    view.geometry = geometry.data();
    view.cell_count = static_cast<std::uint32_t>(links.size());
    view.root_count = 1;
  }
};

TEST(CellQueue, HandsOutEachCellOnceWithFullBatchesFirst) {
  const SmallTree tree(8);
  CellQueue queue(tree.view);
  queue.start_with_roots();
  std::vector<int> seen(tree.links.size());
  std::vector<int> sizes;
  while (!queue.is_empty()) {
    const CellBatch batch = queue.take();
    sizes.push_back(std::popcount(batch.filled));
    EXPECT_EQ(batch.marked, 0U);
    for_each_bit(batch.filled, [&](int l) { ++seen[batch.cell[l]]; });
    const std::uint32_t opened = batch.where(batch.filled, tree.view.links, [](const CellLinks& c) { return c.child_count > 0; });
    queue.add_children(batch, opened, 0);
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), static_cast<int>(width > 64 ? 64 : width)) << "the 64 leaves wait together";
}

TEST(CellQueue, LanesPastTheLastCellRepeatOne) {
  const SmallTree tree(3);
  CellQueue queue(tree.view);
  const std::vector<std::uint32_t> cells{2, 7};
  queue.start_with(cells);
  const CellBatch batch = queue.take();
  EXPECT_EQ(batch.filled, 3U);
  EXPECT_EQ(batch.cell[0], 2U);
  EXPECT_EQ(batch.cell[1], 7U);
  for (std::uint32_t l = 2; l < width; ++l) EXPECT_EQ(batch.cell[l], 2U);
  EXPECT_TRUE(queue.is_empty());
}

TEST(CellQueue, ChildrenOfMarkedCellsBearTheMark) {
  const SmallTree tree(2);
  CellQueue queue(tree.view);
  const std::vector<std::uint32_t> cells{1, 2};
  queue.start_with(cells);
  queue.add_children(queue.take(), 3, 2);
  const CellBatch batch = queue.take();
  EXPECT_EQ(batch.filled, 15U);
  EXPECT_EQ(batch.marked, 12U);
  for (std::uint32_t l = 0; l < 4; ++l) EXPECT_EQ(batch.cell[l], 3 + l);
}

TEST(CellQueue, GrowsWithTheCellsThatWait) {
  const SmallTree tree(8);
  CellQueue queue(tree.view);
  const std::vector<std::uint32_t> many(100000, 5);
  queue.start_with(many);
  std::size_t count = 0, children = 0;
  while (!queue.is_empty()) {
    const CellBatch batch = queue.take();
    count += static_cast<std::size_t>(std::popcount(batch.filled));
    if (count <= many.size()) {
      queue.add_children(batch, batch.filled, 0);
      children += 8 * static_cast<std::size_t>(std::popcount(batch.filled));
    }
  }
  EXPECT_EQ(children, 8 * many.size());
  EXPECT_EQ(count, 9 * many.size());
}

TEST(CellQueue, TakesAsManyChildrenAsACellHas) {
  const SmallTree tree(20);
  CellQueue queue(tree.view);
  queue.start_with_roots();
  queue.add_children(queue.take(), 1, 0);
  std::uint32_t next = 1;
  while (!queue.is_empty()) {
    const CellBatch batch = queue.take();
    for_each_bit(batch.filled, [&](int l) { EXPECT_EQ(batch.cell[l], next++); });
  }
  EXPECT_EQ(next, 21U);
}

}  // namespace
}  // namespace grove
