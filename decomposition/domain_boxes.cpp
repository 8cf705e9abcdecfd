#include "decomposition/domain_boxes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "kernels/space/atomic.hpp"
#include "kernels/tree/target_groups.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace {

// A box is a cell with less than this part of the rank's particles, right below one with more. Then there are about three times as many
// boxes, and most of them are where most particles are: there the cells of others are small, too. Each class of softening has boxes of its
// own: one around all of a class with few particles would reach through the domains of others, which would send all that they have there.
constexpr std::size_t boxes_from_particles = 160;

/// Boxes are no finer than the groups of a walk, whose targets share what is accepted: otherwise cells would be closed that a walk on one
/// rank opens, and errors on several ranks would be larger.
template <class Space>
LimitOfClass box_sizes(const Tree<Space>& tree, std::size_t particle_count) {
  LimitOfClass sizes = group_sizes(tree, particle_count, largest_group);
  for (std::size_t c = 0; c < static_cast<std::size_t>(sizes.classes); ++c)
    sizes.most[c] =
        std::max(static_cast<std::uint32_t>(tree.particles_of_class(c, particle_count) / boxes_from_particles), 2 * sizes.most[c] + 1);
  return sizes;
}

// Boxes copied to the host at once. There are hardly ever more.
constexpr std::uint32_t boxes_expected = 1024;

/// What the host needs to know.
struct Description {
  KeyRange keys;
  std::uint32_t box_count;
};

/// Marks the cells right below those with many particles; empties the description.
struct MarkChildren {
  const CellLinks* links;
  LimitOfClass sizes;
  std::uint8_t* mark;
  const std::uint64_t* end_keys;
  std::uint64_t particle_count;
  Description* description;
  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    if (c == 0) *description = {{end_keys[0], end_keys[1], particle_count}, 0};
    // The root of several classes is no cell of any of them.
    if (cell.particle_count < sizes.at(cell.first_particle) && !(c == 0 && sizes.classes > 1)) return;
    for (std::uint32_t k = 0; k < cell.child_count; ++k) mark[cell.first_child + k] = 1;
  }
};

/// A box and where it comes in Morton order.
struct PlacedBox {
  std::uint64_t first_particle;
  TargetBox box;
};

/// Lists the boxes, in no particular order.
struct ListBoxes {
  const CellLinks* links;
  const CellGeometry* geometry;
  const float* least_acceleration;
  LimitOfClass sizes;
  const std::uint8_t* mark;
  const Double4* position;
  double length;
  PlacedBox* out;
  std::uint32_t capacity;
  std::uint32_t* count;

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    const bool is_root = c == 0 && sizes.classes == 1;
    const bool fits = cell.particle_count < sizes.at(cell.first_particle);
    if (!is_root && mark[c] == 0) return;
    if (fits || cell.particle_count > largest_leaf) {
      if (fits || cell.child_count == 0) add_cell(c);
    } else if (cell.child_count == 0) {
      for (std::uint32_t i = 0; i < cell.particle_count; ++i) add_particle(c, cell.first_particle + i);
    }
  }

 private:
  GROVE_HD void add_cell(std::size_t c) const {
    const CellGeometry g = geometry[c];
    TargetBox box;
    box.centre = g.centre_of_mass + length * Double3{g.offset[0], g.offset[1], g.offset[2]};
    for (int k = 0; k < 3; ++k) box.half_size[k] = g.half_size[k] * target_margin * target_margin;
    box.least_acceleration = least_acceleration[c];
    add({links[c].first_particle, box});
  }
  /// Of a leaf that is too large for a box.
  GROVE_HD void add_particle(std::size_t c, std::uint32_t particle) const {
    TargetBox box{};
    box.centre = position_of(position[particle]);
    box.least_acceleration = least_acceleration[c];
    add({particle, box});
  }
  GROVE_HD void add(const PlacedBox& box) const {
    const std::uint32_t at = fetch_add(*count, 1);
    if (at < capacity) out[at] = box;
  }
};

/// The boxes of `list`, in Morton order.
std::vector<TargetBox> in_order(std::span<const std::byte> list, std::size_t count) {
  const auto part = [&](std::size_t box, std::size_t offset, auto& to) {
    std::memcpy(static_cast<void*>(&to), list.data() + box * sizeof(PlacedBox) + offset, sizeof(to));
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(count);
  for (std::uint32_t b = 0; b < count; ++b) {
    part(b, offsetof(PlacedBox, first_particle), order[b].first);
    order[b].second = b;
  }
  std::sort(order.begin(), order.end());
  std::vector<TargetBox> boxes(count);
  for (std::size_t k = 0; k < count; ++k) part(order[k].second, offsetof(PlacedBox, box), boxes[k]);
  return boxes;
}

/// The box around some boxes.
TargetBox join(std::span<const TargetBox> boxes, const TreeScale& scale) {
  const auto centre = [](const TargetBox& b, int k) { return k == 0 ? b.centre.x : k == 1 ? b.centre.y : b.centre.z; };
  TargetBox all;
  all.least_acceleration = boxes.front().least_acceleration;
  double middle[3];
  for (int k = 0; k < 3; ++k) {
    double low = centre(boxes.front(), k), high = low;
    for (const TargetBox& b : boxes) {
      low = std::min(low, centre(b, k) - b.half_size[k] * scale.length);
      high = std::max(high, centre(b, k) + b.half_size[k] * scale.length);
    }
    middle[k] = 0.5 * (low + high);
    all.half_size[k] = static_cast<float>(0.5 * (high - low) / scale.length) * target_margin;
  }
  all.centre = {middle[0], middle[1], middle[2]};
  for (const TargetBox& b : boxes) all.least_acceleration = std::min(all.least_acceleration, b.least_acceleration);
  return all;
}

/// Sorts boxes of several octrees, each in Morton order, by the keys of their centres.
void merge_in_order(std::vector<TargetBox>& boxes, const KeyCube& cube) {
  const auto key = [&](const TargetBox& box) { return morton_key({box.centre.x, box.centre.y, box.centre.z, 0}, cube); };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const TargetBox& a, const TargetBox& b) { return key(a) < key(b); });
}

/// A few boxes around boxes in Morton order. They end where two that follow each other share the smallest levels.
std::vector<TargetBox> join_to_few(std::span<const TargetBox> fine, const KeyCube& cube, const TreeScale& scale) {
  if (fine.empty()) return {};
  std::vector<std::uint64_t> key;
  for (const TargetBox& box : fine) key.push_back(morton_key({box.centre.x, box.centre.y, box.centre.z, 0}, cube));
  std::vector<std::size_t> ends;
  for (std::size_t k = 1; k < fine.size(); ++k) ends.push_back(k);
  const std::size_t kept = std::min<std::size_t>(coarse_box_capacity - 1, ends.size());
  // The larger the XOR of two keys, the larger the smallest cell that holds both.
  std::partial_sort(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(kept), ends.end(), [&](std::size_t a, std::size_t b) {
    const std::uint64_t at_a = key[a - 1] ^ key[a], at_b = key[b - 1] ^ key[b];
    return at_a != at_b ? at_a > at_b : a < b;
  });
  ends.resize(kept);
  std::sort(ends.begin(), ends.end());
  ends.push_back(fine.size());
  std::vector<TargetBox> few;
  for (std::size_t begin = 0; const std::size_t end : ends) {
    few.push_back(join(fine.subspan(begin, end - begin), scale));
    begin = end;
  }
  return few;
}

}  // namespace

template <class Space>
DomainDescription describe_domain(Space& space, const Tree<Space>& tree, View<const std::uint64_t> end_keys, View<const Double4> position,
                                  const KeyCube& cube, const TreeScale& scale) {
  const std::size_t particle_count = position.size;
  DomainDescription domain;
  if (end_keys.empty()) return domain;
  const std::uint32_t cells = tree.cell_count();
  const LimitOfClass sizes = box_sizes(tree, particle_count);
  Scratch<Space, std::uint8_t> mark(space, cells);
  for (std::uint32_t capacity = boxes_expected;;) {
    // One block, so that one copy brings all of it.
    Scratch<Space, std::byte> found(space, sizeof(Description) + capacity * sizeof(PlacedBox));
    auto* const description = reinterpret_cast<Description*>(found.data());
    auto* const list = reinterpret_cast<PlacedBox*>(found.data() + sizeof(Description));
    space.fill_bytes(mark.data(), 0, cells);
    space.for_each(cells, MarkChildren{tree.links.data(), sizes, mark.data(), end_keys.data, particle_count, description});
    space.for_each(cells, ListBoxes{tree.links.data(), tree.geometry.data(), tree.least_acceleration.data(), sizes, mark.data(),
                                    position.data, scale.length, list, capacity, &description->box_count});
    std::vector<std::byte> seen(found.view().size);
    space.copy_to_host(seen.data(), found.data(), seen.size());
    Description what{};
    std::memcpy(&what, seen.data(), sizeof(what));
    domain.keys = what.keys;
    if (what.box_count > capacity) {
      capacity = what.box_count;
      continue;
    }
    domain.fine = in_order(std::span(seen).subspan(sizeof(Description)), what.box_count);
    break;
  }
  if (tree.class_count > 1) merge_in_order(domain.fine, cube);
  domain.coarse = join_to_few(domain.fine, cube, scale);
  return domain;
}

template DomainDescription describe_domain(BackEnd&, const Tree<BackEnd>&, View<const std::uint64_t>, View<const Double4>, const KeyCube&,
                                           const TreeScale&);

}  // namespace grove
