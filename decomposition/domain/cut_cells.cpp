#include "decomposition/domain/cut_cells.hpp"

#include <algorithm>

#include "kernels/space/search.hpp"

namespace grove {

namespace {

/// Enlarges the first and the last cell of a level in the octree of a class, if they are at the ends of the domain and cut.
struct EnlargeEnds {
  LevelOffsets level_offset;
  std::array<std::uint32_t, most_type_classes + 1> class_begin;
  const CellLinks* links;
  CellGeometry* geometry;
  int class_level;              ///< level of the roots of the classes
  int lowest_cut, highest_cut;  ///< deepest cut level below these roots at each end; -1: no particles on that side
  float side_factor;            ///< of the longest side

  GROVE_HD void enlarge(std::uint32_t cell) const {
    geometry[cell].longest_side *= side_factor;
    geometry[cell].spread *= cut_cell_factor;
  }
  /// The first cell of the level that begins at `particle` or later.
  GROVE_HD std::uint32_t first_from(std::size_t level, std::uint32_t particle) const {
    if (class_level == 0) return level_offset[level + (particle > 0 ? 1 : 0)];
    return first_not(level_offset[level], level_offset[level + 1], [&](std::uint32_t c) { return links[c].first_particle < particle; });
  }
  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t level = i % (deepest_level + 1), its_class = i / (deepest_level + 1);
    const int level_below_root = static_cast<int>(level) - class_level;
    const std::uint32_t first = class_begin[its_class], last = class_begin[its_class + 1];
    const std::uint32_t begin = first_from(level, first), end = first_from(level, last);
    if (level_below_root < 0 || begin == end) return;
    const bool low = level_below_root <= lowest_cut && links[begin].first_particle == first;
    const bool high = level_below_root <= highest_cut && links[end - 1].first_particle + links[end - 1].particle_count == last;
    if (low) enlarge(begin);
    if (high && !(low && end - begin == 1)) enlarge(end - 1);
  }
};

}  // namespace

template <class Space>
void enlarge_cut_cells(Space& space, std::span<const KeyRange> ranges, std::size_t own, Tree<Space>& tree) {
  const KeyRange& mine = ranges[own];
  if (mine.count == 0) return;
  int lowest_cut = -1, highest_cut = -1;
  // Ranks are in the order of their keys. With several classes, keys are one digit shorter: both sides of a cut may have the same key.
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    const KeyRange& other = ranges[rank];
    if (other.count == 0) continue;
    if (rank < own) lowest_cut = std::max(lowest_cut, shared_level(other.last, mine.first));
    if (rank > own) highest_cut = std::max(highest_cut, shared_level(other.first, mine.last));
  }
  auto class_begin = tree.class_begin;
  if (tree.class_count == 1) class_begin = {0, static_cast<std::uint32_t>(mine.count)};
  space.for_each(static_cast<std::size_t>(tree.class_count) * (deepest_level + 1),
                 EnlargeEnds{tree.level_offset, class_begin, tree.links.data(), tree.geometry.data(), tree.class_count > 1 ? 1 : 0,
                             lowest_cut, highest_cut, tree.form.order == 2 ? cut_cell_factor : 1});
}

template void enlarge_cut_cells(BackEnd&, std::span<const KeyRange>, std::size_t, Tree<BackEnd>&);

}  // namespace grove
