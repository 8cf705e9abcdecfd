#include <algorithm>
#include <cmath>

#include "decomposition/essential_tree.hpp"

namespace grove {

namespace {

// Cells copied to the host to choose boxes from: the root and three full levels below it.
constexpr std::uint32_t cells_looked_at = 1 + 8 + 64 + 512;

TargetBox box_around(const CellGeometry& g, const TreeScale& scale) {
  TargetBox box;
  box.centre = g.centre_of_mass + scale.length * Double3{g.offset[0], g.offset[1], g.offset[2]};
  for (int k = 0; k < 3; ++k) box.half_size[k] = g.half_size[k] * target_margin * target_margin;
  return box;
}

/// Squared radius of group first + i about the middle of its bounding box, scaled: how the dual walk expands.
struct GroupRadius2 {
  const Double4* particles;
  const std::uint32_t* group_start;
  std::uint32_t first;
  double per_length;

  GROVE_HD float operator()(std::size_t i) const {
    const std::uint32_t begin = group_start[first + i], end = group_start[first + i + 1];
    Double3 low = position_of(particles[begin]), high = low;
    for (std::uint32_t k = begin; k < end; ++k) {
      const Double4 p = particles[k];
      low = {smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
      high = {larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    const Double3 centre = 0.5 * (low + high);
    double radius2 = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const Double3 d = per_length * (position_of(particles[k]) - centre);
      radius2 = larger(radius2, dot(d, d));
    }
    return static_cast<float>(radius2);
  }
};
struct Larger {
  GROVE_HD float operator()(float a, float b) const { return larger(a, b); }
};

}  // namespace

template <class Space>
DomainBoxes make_domain_boxes(Space& space, const Tree<Space>& tree, const TreeScale& scale, View<const Double4> particles,
                              View<const std::uint32_t> group_start) {
  DomainBoxes boxes;
  const std::uint32_t count = std::min(tree.cell_count(), cells_looked_at);
  if (count == 0) return boxes;
  std::vector<CellLinks> links(count);
  std::vector<CellGeometry> geometry(count);
  space.copy_to_host(links.data(), tree.links.data(), count * sizeof(CellLinks));
  space.copy_to_host(geometry.data(), tree.geometry.data(), count * sizeof(CellGeometry));
  std::vector<float> least(count);
  space.copy_to_host(least.data(), tree.least_acceleration.data(), count * sizeof(float));

  std::vector<std::uint32_t> chosen{0};
  const auto can_divide = [&](std::uint32_t c) {
    const CellLinks& cell = links[c];
    return cell.child_count > 0 && cell.first_child + cell.child_count <= count && chosen.size() - 1 + cell.child_count <= DomainBoxes::capacity;
  };
  for (;;) {
    auto largest = chosen.end();
    for (auto c = chosen.begin(); c != chosen.end(); ++c)
      if (can_divide(*c) && (largest == chosen.end() || geometry[*c].longest_side > geometry[*largest].longest_side)) largest = c;
    if (largest == chosen.end()) break;
    const CellLinks cell = links[*largest];
    chosen.erase(largest);
    for (std::uint32_t k = 0; k < cell.child_count; ++k) chosen.push_back(cell.first_child + k);
  }
  std::vector<std::uint32_t> starts(group_start.size);
  copy_to_host<Space, std::uint32_t>(space, group_start, starts);
  for (std::uint32_t c : chosen) {
    TargetBox box = box_around(geometry[c], scale);
    // The groups with a particle in this cell; one that straddles its border is in the neighbouring box, too.
    const auto end = std::lower_bound(starts.begin(), starts.end() - 1, links[c].first_particle + links[c].particle_count);
    const auto begin = std::upper_bound(starts.begin(), end, links[c].first_particle) - 1;
    const auto first = static_cast<std::uint32_t>(begin - starts.begin());
    const GroupRadius2 radius2{particles.data, group_start.data, first, 1 / scale.length};
    box.radius = target_margin * target_margin * std::sqrt(space.transform_reduce(static_cast<std::size_t>(end - begin), 0.0F, radius2, Larger{}));
    box.least_acceleration = least[c];
    boxes.box[boxes.count++] = box;
  }
  return boxes;
}

template DomainBoxes make_domain_boxes(BackEnd&, const Tree<BackEnd>&, const TreeScale&, View<const Double4>, View<const std::uint32_t>);

}  // namespace grove
