#include "decomposition/domain/domain_boxes.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "kernels/space/atomic.hpp"
#include "kernels/tree/target_groups.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace {

// A box is a cell with less than this part of the rank's particles, whose parent has more. This gives about three times as many boxes, most
// of them where most particles are. Each class of softening has its own boxes: a box around a class with few particles could reach through
// the domains of others, which would then send all cells there.
constexpr std::size_t boxes_from_particles = 160;

/// Boxes are no finer than the target groups of a walk, which accept or open a cell together. Finer boxes would close cells that a walk on
/// one rank opens, and several ranks would have larger errors.
template <class Space>
LimitOfClass box_sizes(const Tree<Space>& tree, std::size_t particle_count) {
  LimitOfClass sizes = group_sizes(tree, particle_count, largest_group);
  for (std::size_t c = 0; c < static_cast<std::size_t>(sizes.classes); ++c)
    sizes.most[c] =
        std::max(static_cast<std::uint32_t>(tree.particles_of_class(c, particle_count) / boxes_from_particles), 2 * sizes.most[c] + 1);
  return sizes;
}

// Boxes of a class copied to the host at once; more are rare.
constexpr std::uint32_t boxes_expected = 1024;

/// What the host reads besides the boxes.
struct Description {
  KeyRange keys;
  std::uint32_t box_count;
};

/// Marks the children of cells with many particles; resets the description.
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
    // The common root of several classes belongs to none of them.
    if (cell.particle_count < sizes.at(cell.first_particle) && !(c == 0 && sizes.classes > 1)) return;
    for (std::uint32_t k = 0; k < cell.child_count; ++k) mark[cell.first_child + k] = 1;
  }
};

/// A box, its particles and the key of its centre.
struct PlacedBox {
  std::uint32_t first_particle, particle_count;
  std::uint64_t key;
  TargetBox box;
};

/// Lists the boxes in any order.
struct ListBoxes {
  const CellLinks* links;
  const CellGeometry* geometry;
  const float* least_acceleration;
  LimitOfClass sizes;
  const std::uint8_t* mark;
  const std::uint8_t* tree_level;  ///< [particles] says where groups begin
  std::uint32_t particle_count;    ///< of the rank
  const Double4* position;
  KeyCube cube;
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
  /// Sibling cells that share a group of targets, which opens a cell for all of them, share a box.
  GROVE_HD void add_cell(std::size_t c) const {
    const std::uint32_t first = links[c].first_particle;
    if (!begins_group_at(first)) return;  // it is in the box of a sibling before it
    std::uint32_t end = first + links[c].particle_count;
    TargetBox box = box_around(c);
    for (std::size_t next = c + 1; !begins_group_at(end); ++next) {
      join(box, box_around(next));
      end += links[next].particle_count;
    }
    for (float& half : box.half_size) half *= target_margin * target_margin;
    add(first, end - first, box);
  }
  GROVE_HD bool begins_group_at(std::uint32_t particle) const {
    return !tree_level || particle == 0 || particle == particle_count || begins_group(tree_level[particle]);
  }
  GROVE_HD TargetBox box_around(std::size_t c) const {
    const CellGeometry g = geometry[c];
    TargetBox box;
    box.centre = g.centre_of_mass + length * Double3{g.offset[0], g.offset[1], g.offset[2]};
    for (int k = 0; k < 3; ++k) box.half_size[k] = g.half_size[k];
    box.least_acceleration = least_acceleration[c];
    return box;
  }
  GROVE_HD void join(TargetBox& box, const TargetBox& other) const {
    const Double3 d = other.centre - box.centre;
    const double along[3] = {d.x / length, d.y / length, d.z / length};
    double shift[3];
    for (int k = 0; k < 3; ++k) {
      const double low = smaller(-double{box.half_size[k]}, along[k] - other.half_size[k]);
      const double high = larger(double{box.half_size[k]}, along[k] + other.half_size[k]);
      shift[k] = 0.5 * (low + high) * length;
      box.half_size[k] = static_cast<float>(0.5 * (high - low)) * target_margin;
    }
    box.centre = box.centre + Double3{shift[0], shift[1], shift[2]};
    box.least_acceleration = smaller(box.least_acceleration, other.least_acceleration);
  }
  /// For a leaf with too many particles for a box: a box for each of them.
  GROVE_HD void add_particle(std::size_t c, std::uint32_t particle) const {
    TargetBox box{};
    box.centre = position_of(position[particle]);
    box.least_acceleration = least_acceleration[c];
    add(particle, 1, box);
  }
  GROVE_HD void add(std::uint32_t first_particle, std::uint32_t particles, const TargetBox& box) const {
    const std::uint32_t at = fetch_add(*count, 1);
    if (at >= capacity) return;
    out[at] = {first_particle, particles, morton_key({box.centre.x, box.centre.y, box.centre.z, 0}, cube), box};
  }
};

/// Enlarges a box by its margin. A few of its particles tell how fast they move apart.
struct WidenBox {
  PlacedBox* box;
  const std::uint32_t* count;
  const Double3* velocity;
  BoxMargin margin;
  double per_length;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t b) const {
    if (b >= *count) return;
    const PlacedBox placed = box[b];
    const std::uint32_t step = (placed.particle_count + most_looked_at - 1) / most_looked_at;
    const Double3 of_first = velocity[placed.first_particle];
    float low[3] = {}, high[3] = {};
    for (std::uint32_t i = static_cast<std::uint32_t>(team.rank()) * step; i < placed.particle_count; i += Team::size * step) {
      const Double3 v = velocity[placed.first_particle + i] - of_first;
      const float along[3] = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
      for (int k = 0; k < 3; ++k) {
        low[k] = smaller(low[k], along[k]);
        high[k] = larger(high[k], along[k]);
      }
    }
    for (int k = 0; k < 3; ++k) {
      const double range = team.largest(high[k]) - team.smallest(low[k]);
      if (team.rank() == 0) box[b].box.half_size[k] += static_cast<float>(range * margin.time * per_length);
    }
    if (team.rank() == 0) box[b].box.least_acceleration *= margin.acceleration_factor;
  }

 private:
  static constexpr std::uint32_t most_looked_at = 1024;
};

/// The boxes of `list` in Morton order, in which those of one class are by their particles.
std::vector<PlacedBox> in_order(std::span<const std::byte> list, std::size_t count, int classes) {
  std::vector<PlacedBox> placed(count);
  std::memcpy(static_cast<void*>(placed.data()), list.data(), count * sizeof(PlacedBox));
  std::sort(placed.begin(), placed.end(), [classes](const PlacedBox& a, const PlacedBox& b) {
    return classes > 1 && a.key != b.key ? a.key < b.key : a.first_particle < b.first_particle;
  });
  return placed;
}

/// The box around several boxes.
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

/// Joins boxes in Morton order to a few. They are divided between neighbours whose smallest common cell is largest. `key`: of their
/// centres.
std::vector<TargetBox> join_to_few(std::span<const TargetBox> fine, std::span<const std::uint64_t> key, const TreeScale& scale) {
  if (fine.empty()) return {};
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
DomainDescription describe_domain(Space& space, const Tree<Space>& tree, View<const std::uint64_t> end_keys,
                                  const DomainParticles& particles, const KeyCube& cube, const TreeScale& scale, const BoxMargin& margin) {
  const std::size_t particle_count = particles.position.size;
  DomainDescription domain;
  if (end_keys.empty()) return domain;
  const std::uint32_t cells = tree.cell_count();
  const LimitOfClass sizes = box_sizes(tree, particle_count);
  Scratch<Space, std::uint8_t> mark(space, cells);
  for (std::uint32_t capacity = boxes_expected * static_cast<std::uint32_t>(tree.class_count);;) {
    // One block of memory, for a single copy to the host.
    Scratch<Space, std::byte> found(space, sizeof(Description) + capacity * sizeof(PlacedBox));
    auto* const description = reinterpret_cast<Description*>(found.data());
    auto* const list = reinterpret_cast<PlacedBox*>(found.data() + sizeof(Description));
    space.fill_bytes(mark.data(), 0, cells);
    space.for_each(cells, MarkChildren{tree.links.data(), sizes, mark.data(), end_keys.data, particle_count, description});
    space.for_each(cells, ListBoxes{tree.links.data(), tree.geometry.data(), tree.least_acceleration.data(), sizes, mark.data(),
                                    particles.tree_level, static_cast<std::uint32_t>(particle_count), particles.position.data, cube,
                                    scale.length, list, capacity, &description->box_count});
    if (margin.time > 0)
      space.for_each_by_team(capacity, WidenBox{list, &description->box_count, particles.velocity, margin, 1 / scale.length});
    std::vector<std::byte> seen(found.view().size);
    space.copy_to_host(seen.data(), found.data(), seen.size());
    Description what{};
    std::memcpy(&what, seen.data(), sizeof(what));
    domain.keys = what.keys;
    if (what.box_count > capacity) {
      capacity = what.box_count;
      continue;
    }
    std::vector<std::uint64_t> key;
    for (const PlacedBox& placed : in_order(std::span(seen).subspan(sizeof(Description)), what.box_count, tree.class_count)) {
      domain.fine.push_back(placed.box);
      key.push_back(placed.key);
    }
    domain.coarse = join_to_few(domain.fine, key, scale);
    return domain;
  }
}

template DomainDescription describe_domain(BackEnd&, const Tree<BackEnd>&, View<const std::uint64_t>, const DomainParticles&,
                                           const KeyCube&, const TreeScale&, const BoxMargin&);

}  // namespace grove
