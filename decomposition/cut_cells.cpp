#include "decomposition/cut_cells.hpp"

#include <algorithm>

namespace grove {

namespace {

/// Enlarges the first and the last cell of a level if they lie at the ends of the domain and are cut.
struct EnlargeEnds {
  LevelOffsets level_offset;
  const CellLinks* links;
  CellGeometry* geometry;
  std::uint32_t particle_count;
  int lowest_cut, highest_cut;  ///< -1 where there is nothing on that side

  GROVE_HD void enlarge(std::uint32_t cell) const {
    geometry[cell].longest_side *= cut_cell_factor;
    geometry[cell].spread *= cut_cell_factor;
  }
  GROVE_HD void operator()(std::size_t i) const {
    const int level = static_cast<int>(i);
    const std::uint32_t begin = level_offset[i], end = level_offset[i + 1];
    if (begin == end) return;
    const bool low = level <= lowest_cut && links[begin].first_particle == 0;
    const bool high = level <= highest_cut && links[end - 1].first_particle + links[end - 1].particle_count == particle_count;
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
  for (const KeyRange& other : ranges) {
    if (other.count == 0) continue;
    if (other.last < mine.first) lowest_cut = std::max(lowest_cut, shared_level(other.last, mine.first));
    if (other.first > mine.last) highest_cut = std::max(highest_cut, shared_level(other.first, mine.last));
  }
  space.for_each(deepest_level + 1, EnlargeEnds{tree.level_offset, tree.links.data(), tree.geometry.data(),
                                                static_cast<std::uint32_t>(mine.count), lowest_cut, highest_cut});
}

template void enlarge_cut_cells(BackEnd&, std::span<const KeyRange>, std::size_t, Tree<BackEnd>&);

}  // namespace grove
