#include "kernels/tree/group_motion.hpp"

#include <bit>

#include "kernels/particles/particle_keys.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

namespace {

using MotionRow = Row<double, sizeof(GroupMotion) / sizeof(double)>;

/// The longest side of a box around points.
struct Sides {
  Double3 low, high;

  GROVE_HD explicit Sides(const Double3& first) : low(first), high(first) {}
  GROVE_HD void add(const Double3& p) {
    low = {smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
    high = {larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
  }
  GROVE_HD double longest() const { return larger(high.x - low.x, larger(high.y - low.y, high.z - low.z)); }
};

struct MotionOfGroup {
  const std::uint32_t* group_start;
  const Double4* position;
  const Double3* velocity;
  View<const std::uint8_t> tree_level;
  double lead;

  GROVE_HD bool begins_further_part(std::uint32_t i) const { return i < tree_level.size && divides_group(tree_level[i]); }
  GROVE_HD MotionRow operator()(std::size_t g) const {
    if (begins_further_part(group_start[g])) return {};
    std::size_t last = g;
    while (begins_further_part(group_start[last + 1])) ++last;
    const std::uint32_t begin = group_start[g], end = group_start[last + 1];
    Sides positions(position_after(position[begin], velocity[begin], lead)), velocities(velocity[begin]);
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      positions.add(position_after(position[i], velocity[i], lead));
      velocities.add(velocity[i]);
    }
    const double speed = velocities.longest(), growth = speed > 0 ? speed / positions.longest() : 0;
    return {{1, growth * growth}};
  }
};

}  // namespace

template <class Space>
GroupMotion motion_in_groups(Space& space, View<const std::uint32_t> group_start, const Particles<Space>& particles, double lead) {
  const std::size_t groups = group_start.empty() ? 0 : group_start.size - 1;
  const MotionOfGroup motion{group_start.data, particles.position.data(), particles.velocity.data(), particles.tree_level.view(), lead};
  return std::bit_cast<GroupMotion>(space.reduce_rows(groups, MotionRow{}, motion, AddParts{}));
}

template GroupMotion motion_in_groups(BackEnd&, View<const std::uint32_t>, const Particles<BackEnd>&, double);

}  // namespace grove
