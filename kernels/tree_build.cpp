#include "kernels/tree_build.hpp"

namespace grove {

namespace {

/// First particle of child octant `i % 8` of the `i / 8`-th cell of a level; leaves have no children, all their bounds are their end.
struct FindOctants {
  const std::uint64_t* keys;
  const CellLinks* level_cells;
  std::uint32_t* bounds;
  int child_bits;  ///< bits of a key below the children's level

  GROVE_HD void operator()(std::size_t i) const {
    const CellLinks cell = level_cells[i / 8];
    const std::uint32_t end = cell.first_particle + cell.particle_count;
    if (cell.particle_count <= largest_leaf) {
      bounds[i] = end;
      return;
    }
    const std::uint64_t cell_key = keys[cell.first_particle] >> (child_bits + 3);
    bounds[i] = lower_bound(keys, cell.first_particle, end, (cell_key << 3 | (i % 8)) << child_bits);
  }
};

GROVE_HD std::uint32_t octant_end(const std::uint32_t* bounds, std::size_t cell, std::uint32_t octant, std::uint32_t cell_end) {
  return octant == 7 ? cell_end : bounds[8 * cell + octant + 1];
}

struct CountChildren {
  const CellLinks* level_cells;
  const std::uint32_t* bounds;
  std::uint32_t* child_count;

  GROVE_HD void operator()(std::size_t i) const {
    const std::uint32_t end = level_cells[i].first_particle + level_cells[i].particle_count;
    std::uint32_t count = 0;
    for (std::uint32_t o = 0; o < 8; ++o) count += octant_end(bounds, i, o, end) > bounds[8 * i + o];
    child_count[i] = count;
  }
};

/// Writes the links between the cells of a level and their children, and the children themselves.
struct MakeChildren {
  CellLinks* cells;
  std::uint32_t level_begin;  ///< first cell of the level
  std::uint32_t next_begin;   ///< first cell of the next
  const std::uint32_t* bounds;
  const std::uint32_t* child_offset;

  GROVE_HD void operator()(std::size_t i) const {
    CellLinks& cell = cells[level_begin + i];
    const std::uint32_t end = cell.first_particle + cell.particle_count;
    cell.first_child = next_begin + child_offset[i];
    cell.child_count = child_offset[i + 1] - child_offset[i];
    std::uint32_t child = cell.first_child;
    for (std::uint32_t o = 0; o < 8; ++o) {
      const std::uint32_t first = bounds[8 * i + o], last = octant_end(bounds, i, o, end);
      if (last > first) cells[child++] = {0, 0, first, last - first};
    }
  }
};

/// Appends level `level + 1` below the cells of level `level`; returns the number of cells made.
template <class Space>
std::uint32_t split_level(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree, int level) {
  const std::uint32_t begin = tree.level_offset[level], end = tree.level_offset[level + 1];
  const std::size_t count = end - begin;
  Scratch<Space, std::uint32_t> bounds(space, 8 * count);
  Scratch<Space, std::uint32_t> child_count(space, count);
  Scratch<Space, std::uint32_t> child_offset(space, count + 1);

  const CellLinks* const cells = tree.links.data() + begin;
  space.for_each(8 * count, FindOctants{keys.data, cells, bounds.data(), bits_below(level + 1)});
  space.for_each(count, CountChildren{cells, bounds.data(), child_count.data()});
  space.template exclusive_scan<std::uint32_t>(child_count.view(), child_offset.view());
  std::uint32_t made = 0;
  space.copy_to_host(&made, child_offset.data() + count, sizeof(made));
  if (made == 0) return 0;

  tree.links.resize_keep(end + made);
  space.for_each(count, MakeChildren{tree.links.data(), begin, end, bounds.data(), child_offset.data()});
  return made;
}

}  // namespace

template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree) {
  tree.level_offset.fill(0);
  tree.links.resize_discard(keys.empty() ? 0 : 1);
  if (!keys.empty()) {
    const CellLinks root{0, 0, 0, static_cast<std::uint32_t>(keys.size)};
    space.copy_from_host(tree.links.data(), &root, sizeof(root));
    std::uint32_t cells = 1, last_made = 1;
    for (int level = 0; level <= deepest_level; ++level) {
      tree.level_offset[level + 1] = cells;
      if (level < deepest_level && last_made > 0) {
        last_made = split_level(space, keys, tree, level);
        cells += last_made;
      }
    }
  }
  tree.geometry.resize_discard(tree.cell_count());
  tree.multipole.resize_discard(std::size_t{tree.cell_count()} * multipole_stride(tree.order));
  tree.least_acceleration.resize_discard(tree.cell_count());
}

template void build_tree(BackEnd&, View<const std::uint64_t>, Tree<BackEnd>&);

}  // namespace grove
