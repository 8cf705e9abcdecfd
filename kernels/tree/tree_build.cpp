// All levels are built at once, since the sorted keys alone tell which cells begin at a particle.
//
// A cell of level l begins at particle i if particle i - 1 is in another cell of that level. The cell is in the tree if the cell above it
// has too many particles for a leaf: if some largest_leaf + 1 consecutive particles, i among them, share a cell of level l - 1. Both
// conditions follow from the levels that pairs of keys share. The cells that begin at i have consecutive levels. Cells are first numbered
// particle by particle ("serial numbers"), and then sorted by level.
#include "kernels/tree/tree_build.hpp"

namespace grove {

namespace {

constexpr int bits_of_levels = 5;
static_assert(deepest_level < 1 << bits_of_levels);

/// The levels of the cells that begin at each particle: [first, first + count).
struct CellLevels {
  const std::uint64_t* keys;
  std::uint32_t particle_count;
  int least_divided;  ///< -1, or the level whose cells are divided however few particles they have

  GROVE_HD int first(std::uint32_t i) const { return i == 0 ? 0 : shared_level(keys[i - 1], keys[i]) + 1; }
  /// Level of the deepest cell around particle i with more particles than a leaf may have; -1 when there is none.
  GROVE_HD int deepest_divided(std::uint32_t i) const {
    if (particle_count <= largest_leaf) return least_divided;
    const std::uint32_t begin = i < largest_leaf ? 0 : i - largest_leaf;
    const std::uint32_t end = i + largest_leaf < particle_count ? i : particle_count - 1 - largest_leaf;
    // The deeper the cell that two keys share, the smaller their XOR as a number.
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t j = begin; j <= end; ++j) least = smaller(least, keys[j] ^ keys[j + largest_leaf]);
    return larger(shared_level(0, least), least_divided);
  }
  GROVE_HD std::uint32_t count(std::uint32_t i) const {
    const int below = first(i), divided = deepest_divided(i), last = divided < deepest_level ? divided + 1 : deepest_level;
    return last >= below ? static_cast<std::uint32_t>(last - below + 1) : 0;
  }
};

struct CountCells {
  CellLevels levels;
  std::uint32_t* count;
  GROVE_HD void operator()(std::size_t i) const { count[i] = levels.count(static_cast<std::uint32_t>(i)); }
};

/// Writes level and first particle of every cell, by serial number.
struct ListCells {
  CellLevels levels;
  const std::uint32_t* serial;  ///< [particles + 1] cells before each particle
  std::uint64_t* level;
  std::uint32_t* first_particle;
  std::uint32_t* own_serial;

  GROVE_HD void operator()(std::size_t i) const {
    if (serial[i] == serial[i + 1]) return;
    const int first = levels.first(static_cast<std::uint32_t>(i));
    for (std::uint32_t s = serial[i]; s < serial[i + 1]; ++s) {
      level[s] = static_cast<std::uint64_t>(first) + (s - serial[i]);
      first_particle[s] = static_cast<std::uint32_t>(i);
      own_serial[s] = s;
    }
  }
};

struct Invert {
  const std::uint32_t* serial;
  std::uint32_t* cell;  ///< by serial number
  GROVE_HD void operator()(std::size_t c) const { cell[serial[c]] = static_cast<std::uint32_t>(c); }
};

struct FindLevels {
  const std::uint64_t* level;
  std::uint32_t cell_count;
  std::uint32_t* begin;
  GROVE_HD void operator()(std::size_t l) const { begin[l] = lower_bound(level, 0, cell_count, l); }
};

struct FindClasses {
  const std::uint64_t* keys;
  std::uint32_t particle_count;
  std::uint32_t* begin;
  GROVE_HD void operator()(std::size_t c) const {
    begin[c] = lower_bound(keys, 0, particle_count, key_in_class(0, static_cast<std::uint32_t>(c)));
  }
};

struct LinkCells {
  const std::uint64_t* keys;
  std::uint32_t particle_count, cell_count;
  int least_divided;                    ///< see CellLevels
  const std::uint64_t* level;           ///< [cells]
  const std::uint32_t* serial;          ///< [cells]
  const std::uint32_t* cell;            ///< by serial number
  const std::uint32_t* first_particle;  ///< by serial number
  CellLinks* links;

  /// First particle after the cell of level l that holds particle i.
  GROVE_HD std::uint32_t end_of(std::uint32_t i, int l) const {
    std::uint32_t step = 1;
    while (i + step < particle_count && shared_level(keys[i], keys[i + step]) >= l) step *= 2;
    const std::uint32_t last = i + step < particle_count ? i + step : particle_count;
    const int bits = bits_below(l);
    return lower_bound(keys, i + step / 2, last, ((keys[i] >> bits) + 1) << bits);
  }

  GROVE_HD void operator()(std::size_t c) const {
    const std::uint32_t own = serial[c], first = first_particle[own];
    const auto l = static_cast<int>(level[c]);
    const std::uint32_t end = end_of(first, l);
    CellLinks links_of{0, 0, first, end - first};
    if ((end - first > largest_leaf || l <= least_divided) && l < deepest_level) {
      const std::uint32_t child = cell[own + 1];
      std::uint32_t next = child + 1;
      while (next < cell_count && level[next] == level[child] && first_particle[serial[next]] < end) ++next;
      links_of.first_child = child;
      links_of.child_count = next - child;
    }
    links[c] = links_of;
  }
};

/// Sorts the cells by level and links them; sets tree.level_offset.
template <class Space>
void link_cells(Space& space, View<const std::uint64_t> keys, const CellLevels& levels, View<const std::uint32_t> serial_of,
                std::uint32_t cells, Tree<Space>& tree) {
  Scratch<Space, std::uint64_t> level(space, cells);
  Scratch<Space, std::uint32_t> first_particle(space, cells), serial(space, cells);
  Scratch<Space, std::uint32_t> begin(space, tree.level_offset.size());
  space.for_each(keys.size, ListCells{levels, serial_of.data, level.data(), first_particle.data(), serial.data()});
  space.sort_pairs(level, serial, bits_of_levels);
  Scratch<Space, std::uint32_t> cell(space, cells);
  space.for_each(cells, Invert{serial.data(), cell.data()});
  tree.links.resize_with_room(cells, tree.room);
  space.for_each(cells, LinkCells{keys.data, levels.particle_count, cells, levels.least_divided, level.data(), serial.data(), cell.data(),
                                  first_particle.data(), tree.links.data()});
  space.for_each(tree.level_offset.size(), FindLevels{level.data(), cells, begin.data()});
  copy_to_host<Space, std::uint32_t>(space, begin.view(), tree.level_offset);
}

template <class Space>
void find_classes(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree) {
  Scratch<Space, std::uint32_t> begin(space, tree.class_begin.size());
  space.for_each(tree.class_begin.size(), FindClasses{keys.data, static_cast<std::uint32_t>(keys.size), begin.data()});
  copy_to_host<Space, std::uint32_t>(space, begin.view(), tree.class_begin);
}

}  // namespace

template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree) {
  tree.level_offset.fill(0);
  tree.class_begin.fill(0);
  tree.links.resize_discard(0);
  if (!keys.empty()) {
    const CellLevels levels{keys.data, static_cast<std::uint32_t>(keys.size), tree.class_count > 1 ? 0 : -1};
    Scratch<Space, std::uint32_t> count(space, keys.size), serial(space, keys.size + 1);
    space.for_each(keys.size, CountCells{levels, count.data()});
    space.template exclusive_scan<std::uint32_t>(count.view(), serial.view());
    std::uint32_t cells = 0;
    space.copy_to_host(&cells, serial.data() + keys.size, sizeof(cells));
    link_cells<Space>(space, keys, levels, serial.view(), cells, tree);
    if (tree.class_count > 1) find_classes<Space>(space, keys, tree);
  }
}

template void build_tree(BackEnd&, View<const std::uint64_t>, Tree<BackEnd>&);

}  // namespace grove
