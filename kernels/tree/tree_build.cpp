// All levels are built at once, because the sorted keys alone determine which cells begin at a particle.
//
// A cell of level l begins at particle i if particle i - 1 is in another cell of that level. The cell is in the tree if the cell above it
// has too many particles for a leaf: if any largest_leaf + 1 consecutive particles that include i share a cell of level l - 1. Both
// conditions follow from the levels that pairs of keys share. So for each particle one can say independently which cells begin there. The
// number of a cell is the number of cells that begin before it, level by level.
#include "kernels/tree/tree_build.hpp"

#include <algorithm>
#include <array>

#include "kernels/space/bits.hpp"
#include "kernels/space/search.hpp"

namespace grove {

namespace {

/// A bit for each level and each particle: whether a cell of that level begins at the particle. Cells are numbered level by level and,
/// within a level, in the order of their particles. So the number of a cell is the number of bits set before its own.
struct CellBegins {
  static constexpr std::uint32_t block = 64;  ///< particles for each word
  static constexpr int levels = deepest_level + 1;
  static constexpr std::size_t blocks_of(std::size_t particles) { return (particles + block - 1) / block; }

  const std::uint64_t* word;          ///< [levels * blocks], level by level
  const std::uint32_t* cells_before;  ///< [levels * blocks + 1] number of bits set in all words before each
  std::size_t blocks;

  /// The number of the first cell of a level; for `levels`, the number of all cells.
  GROVE_HD std::uint32_t first_cell(int level) const { return cells_before[static_cast<std::size_t>(level) * blocks]; }
  /// The number of the first cell of the level that begins at the particle or after it. If there is none, the first cell of the next level
  /// or the number of all cells.
  GROVE_HD std::uint32_t cell_at(int level, std::uint32_t particle) const {
    return cells_up_to(level, particle, (std::uint64_t{1} << particle % block) - 1);
  }
  /// As above, for cells that begin after the particle.
  GROVE_HD std::uint32_t cell_after(int level, std::uint32_t particle) const {
    return cells_up_to(level, particle, (std::uint64_t{2} << particle % block) - 1);
  }

 private:
  GROVE_HD std::uint32_t cells_up_to(int level, std::uint32_t particle, std::uint64_t bits) const {
    const std::size_t at = static_cast<std::size_t>(level) * blocks + particle / block;
    return cells_before[at] + count_ones(word[at] & bits);
  }
};

/// A warp on the GPU. It finds the bits of half a word at a time.
constexpr int lanes_of_block = 32;

/// The levels that sorted particles share, found from their keys.
struct LevelsOfKeys {
  const std::uint64_t* keys;

  GROVE_HD int first(std::uint32_t i) const { return i == 0 ? 0 : shared_level(keys[i - 1], keys[i]) + 1; }
  /// The deepest level of a cell that contains particle j and the largest_leaf particles after it, for any j from begin to end.
  GROVE_HD int deepest_full(std::uint32_t begin, std::uint32_t end) const {
    // The deeper the cell that two keys share, the smaller their XOR as a number.
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t j = begin; j <= end; ++j) least = smaller(least, keys[j] ^ keys[j + largest_leaf]);
    return shared_level(0, least);
  }
};

/// The same, found from the first levels that an earlier build has set.
struct LevelsKept {
  const std::uint8_t* tree_level;

  GROVE_HD int first(std::uint32_t i) const { return level_in(tree_level[i]); }
  GROVE_HD int deepest_full(std::uint32_t begin, std::uint32_t end) const {
    int deepest = 0;
    for (std::uint32_t j = begin; j <= end; ++j) {
      int shared = deepest_level;
      for (std::uint32_t k = j + 1; k <= j + largest_leaf; ++k) shared = smaller(shared, first(k) - 1);
      deepest = larger(deepest, shared);
    }
    return deepest;
  }
};

/// The levels of the cells that begin at each particle: consecutive ones, from `first` on.
template <class Levels>
struct CellLevels {
  Levels levels;
  std::uint32_t particle_count;
  int least_divided;  ///< -1, or the level whose cells are divided for any number of particles

  GROVE_HD int first(std::uint32_t i) const { return levels.first(i); }
  /// Level of the deepest cell that contains particle i and more particles than a leaf may have; -1 if there is none.
  GROVE_HD int deepest_divided(std::uint32_t i) const {
    if (particle_count <= largest_leaf) return least_divided;
    const std::uint32_t begin = i < largest_leaf ? 0 : i - largest_leaf;
    const std::uint32_t end = i + largest_leaf < particle_count ? i : particle_count - 1 - largest_leaf;
    return larger(levels.deepest_full(begin, end), least_divided);
  }
  /// A bit for each of the levels.
  GROVE_HD std::uint32_t bits(std::uint32_t i) const {
    const int below = first(i), divided = deepest_divided(i), last = divided < deepest_level ? divided + 1 : deepest_level;
    return last >= below ? (2U << last) - (1U << below) : 0;
  }
};

/// Finds the cells that begin at a block of particles.
template <class Levels>
struct FindBegins {
  CellLevels<Levels> levels;
  std::size_t blocks;
  std::uint64_t* word;       ///< see CellBegins
  std::uint32_t* count;      ///< [levels * blocks] bits in each word
  std::uint8_t* tree_level;  ///< [particles] null: not needed

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t b) const {
    std::uint64_t begins[CellBegins::levels] = {};
    for (std::uint32_t k = 0; k < CellBegins::block; k += Team::size) {
      const std::size_t particle = b * CellBegins::block + k + static_cast<std::uint32_t>(team.rank());
      const bool is_there = particle < levels.particle_count;
      const std::uint32_t at = is_there ? levels.bits(static_cast<std::uint32_t>(particle)) : 0;
      if (is_there && tree_level) tree_level[particle] = static_cast<std::uint8_t>(levels.first(static_cast<std::uint32_t>(particle)));
      if (team.votes(at != 0) == 0) continue;
      for (int l = 0; l < CellBegins::levels; ++l) begins[l] |= std::uint64_t{team.votes((at >> l & 1) != 0)} << k;
    }
    for (int l = 0; l < CellBegins::levels; ++l) {
      if (l % Team::size != team.rank()) continue;
      word[static_cast<std::size_t>(l) * blocks + b] = begins[l];
      count[static_cast<std::size_t>(l) * blocks + b] = count_ones(begins[l]);
    }
  }
};

/// The first cell of each level and, if there are keys, the first particle of each class.
struct FindSizes {
  CellBegins cells;
  const std::uint64_t* keys;
  std::uint32_t particle_count;
  GROVE_HD std::uint32_t operator()(std::size_t i) const {
    if (i < levels) return cells.first_cell(static_cast<int>(i));
    return lower_bound(keys, 0, particle_count, key_in_class(0, static_cast<std::uint32_t>(i - levels)));
  }
  static constexpr std::size_t levels = std::tuple_size_v<LevelOffsets>;
};

/// Lists the first particles of the cells that begin at a word.
struct ListCells {
  CellBegins cells;
  std::uint32_t* first_particle;
  GROVE_HD void operator()(std::size_t w) const {
    const auto block_begin = static_cast<std::uint32_t>(w % cells.blocks * CellBegins::block);
    std::uint32_t c = cells.cells_before[w];
    for (std::uint64_t rest = cells.word[w]; rest != 0; rest &= rest - 1) first_particle[c++] = block_begin + lowest_one(rest);
  }
};

struct LinkCells {
  CellBegins cells;
  LevelOffsets level_offset;
  std::uint32_t particle_count;
  const std::uint32_t* first_particle;  ///< [cells]
  CellLinks* links;

  /// First particle after the cell of level l that begins at `first`. This is the next particle at which a cell of this level or a higher
  /// level begins, because all children of a divided cell are in the tree.
  GROVE_HD std::uint32_t end_of(std::uint32_t first, int l) const {
    std::uint32_t end = particle_count;
    for (int above = l; above > 0; --above) {
      const std::uint32_t next = cells.cell_after(above, first);
      if (next < level_offset[static_cast<std::size_t>(above) + 1]) end = smaller(end, first_particle[next]);
    }
    return end;
  }

  GROVE_HD void operator()(std::size_t c) const {
    const int l = level_of_cell(static_cast<std::uint32_t>(c), level_offset);
    const std::uint32_t first = first_particle[c], end = end_of(first, l);
    CellLinks links_of{0, 0, first, end - first};
    if (l < deepest_level) {
      const std::uint32_t child = cells.cell_at(l + 1, first);
      links_of.child_count = cells.cell_after(l + 1, end - 1) - child;
      links_of.first_child = links_of.child_count > 0 ? child : 0;
    }
    links[c] = links_of;
  }
};

/// Sets the numbers that the host must know: those of cells and, with several classes and keys, those of particles.
template <class Space>
void read_sizes(Space& space, View<const std::uint64_t> keys, const CellBegins& cells, Tree<Space>& tree) {
  constexpr std::size_t levels = FindSizes::levels, classes = most_type_classes + 1;
  std::array<std::uint32_t, levels + classes> sizes{};
  const bool finds_classes = tree.class_count > 1 && !keys.empty();
  space.values_to_host(finds_classes ? levels + classes : levels, FindSizes{cells, keys.data, static_cast<std::uint32_t>(keys.size)},
                       sizes.data());
  std::copy_n(sizes.begin(), levels, tree.level_offset.begin());
  if (finds_classes) std::copy_n(sizes.begin() + levels, classes, tree.class_begin.begin());
}

/// `keys`: empty if not known. `tree_level`: empty if not needed.
template <class Levels, class Space>
void link_cells(Space& space, const Levels& levels_of, std::size_t particle_count, View<const std::uint64_t> keys,
                View<std::uint8_t> tree_level, Tree<Space>& tree) {
  tree.level_offset.fill(0);
  tree.links.resize_discard(0);
  tree.knows_parents = false;
  if (particle_count == 0) return;
  const CellLevels<Levels> levels{levels_of, static_cast<std::uint32_t>(particle_count), tree.class_count > 1 ? 0 : -1};
  const std::size_t blocks = CellBegins::blocks_of(particle_count), words = CellBegins::levels * blocks;
  Scratch<Space, std::uint64_t> word(space, words);
  Scratch<Space, std::uint32_t> count(space, words), before(space, words + 1);
  space.template for_each_by_team<lanes_of_block>(blocks, FindBegins<Levels>{levels, blocks, word.data(), count.data(), tree_level.data});
  space.template exclusive_scan<std::uint32_t>(count.view(), before.view());
  const CellBegins cells{word.data(), before.data(), blocks};
  read_sizes<Space>(space, keys, cells, tree);

  Scratch<Space, std::uint32_t> first_particle(space, tree.cell_count());
  space.for_each(words, ListCells{cells, first_particle.data()});
  tree.links.resize_with_room(tree.cell_count(), tree.room);
  space.for_each(tree.cell_count(), LinkCells{cells, tree.level_offset, levels.particle_count, first_particle.data(), tree.links.data()});
}

}  // namespace

template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree, View<std::uint8_t> tree_level) {
  tree.class_begin.fill(0);
  link_cells(space, LevelsOfKeys{keys.data}, keys.size, keys, tree_level, tree);
}

template <class Space>
void rebuild_tree(Space& space, View<const std::uint8_t> tree_level, Tree<Space>& tree) {
  link_cells(space, LevelsKept{tree_level.data}, tree_level.size, {}, {}, tree);
}

template void build_tree(BackEnd&, View<const std::uint64_t>, Tree<BackEnd>&, View<std::uint8_t>);
template void rebuild_tree(BackEnd&, View<const std::uint8_t>, Tree<BackEnd>&);

}  // namespace grove
