#include "decomposition/domain_boxes.hpp"

#include <algorithm>
#include <vector>

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

}  // namespace

template <class Space>
DomainBoxes make_domain_boxes(Space& space, const Tree<Space>& tree, const TreeScale& scale) {
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
    return cell.child_count > 0 && cell.first_child + cell.child_count <= count &&
           chosen.size() - 1 + cell.child_count <= DomainBoxes::capacity;
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
  for (std::uint32_t c : chosen) {
    boxes.box[boxes.count] = box_around(geometry[c], scale);
    boxes.box[boxes.count++].least_acceleration = least[c];
  }
  return boxes;
}

template DomainBoxes make_domain_boxes(BackEnd&, const Tree<BackEnd>&, const TreeScale&);

}  // namespace grove
