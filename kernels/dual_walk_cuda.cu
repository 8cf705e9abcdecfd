// The dual walk on the GPU, host side: memory, and walking again when the lists need more of it.
#include "kernels/dual_walk_cuda.hpp"
#include "kernels/gravity_dispatch.hpp"

namespace grove {

namespace {

// Target cells above this number of their level are not worth a level of their own: those below start from the roots.
constexpr std::uint32_t smallest_level = 16;

/// Number of the first target cell that gets a list: that of the first level with enough cells to fill some of the card.
std::uint32_t first_level_with_lists(const LevelOffsets& level_offset) {
  for (int level = 0; level < deepest_level; ++level)
    if (level_offset[level + 1] - level_offset[level] >= smallest_level) return level_offset[level];
  return level_offset.back();
}

DualArguments make_arguments(const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources,
                             const DualTargets<CudaSpace>& targets, const DualWalkTargets& data, WalkMode mode) {
  DualArguments a{};
  a.sources = sources;
  a.targets = targets.view();
  a.data = data;
  a.mode = mode;
  a.length = scale.length;
  a.per_length = 1 / scale.length;
  a.per_mass = 1 / scale.mass;
  a.potential_unit = gravity.G * scale.mass / scale.length;
  a.acceleration_unit = a.potential_unit / scale.length;
  a.per_acceleration = 1 / a.acceleration_unit;
  a.first_level_cell = first_level_with_lists(targets.level_offset());
  return a;
}

}  // namespace

template <>
void DualWalk<CudaSpace>::walk(CudaSpace& space, const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources,
                               const DualTargets<CudaSpace>& targets, const DualWalkTargets& data, WalkMode mode) {
  DualArguments a = make_arguments(gravity, scale, sources, targets, data, mode);
  const std::uint32_t cells = a.targets.cell_count;
  if (a.targets.group_count == 0 || sources.root_count == 0) return;

  const std::size_t warps = static_cast<std::size_t>(space.multiprocessors()) *
                            dual_walk::blocks_per_multiprocessor(static_cast<int>(gravity.order)) * dual_walk::warps_per_block;
  Scratch<CudaSpace, std::uint32_t> stacks(space, dual_walk::stack_capacity * warps);
  Scratch<CudaSpace, ListStatus> status(space, 1);
  Scratch<CudaSpace, unsigned> next_item(space, 1);
  a.stacks = stacks.data();
  a.status = status.data();
  a.next_item = next_item.data();
  list_range_.resize_discard(cells);
  if (mode == WalkMode::own_tree) {
    cell_work_.resize_discard(cells);
    space.fill_bytes(cell_work_.data(), 0, cells * sizeof(GroupWork));
  }
  a.list_range = list_range_.data();
  a.cell_work = cell_work_.data();

  visit_order(gravity, [&](auto order) {
    local_.resize_discard(std::size_t{cells} * local_stride(order));
    a.local = local_.data();
    while (cells > a.first_level_cell) {
      Scratch<CudaSpace, std::uint32_t> collected(space, std::size_t{longest_list_} * warps);
      a.collected = collected.data();
      a.collected_capacity = longest_list_;
      lists_.resize_discard(std::max(lists_.size(), std::size_t{cells} * 64 + 65536));
      a.lists = lists_.data();
      a.list_capacity = static_cast<std::uint32_t>(std::min<std::size_t>(lists_.size(), 0xffffffffU));
      space.fill_bytes(a.status, 0, sizeof(ListStatus));
      space.fill_bytes(a.list_range, 0xff, cells * sizeof(std::uint64_t));
      launch_dual_walk<order>(space, gravity, scale, a, DualTargetKind::cells);
      ListStatus seen{};
      space.copy_to_host(&seen, a.status, sizeof(seen));
      if (seen.used <= a.list_capacity && seen.longest_list <= longest_list_) break;
      longest_list_ = std::max(longest_list_, seen.longest_list + seen.longest_list / 4);
      lists_.resize_discard(std::max(lists_.size(), std::size_t{seen.used} + seen.used / 8));
    }
    launch_dual_walk<order>(space, gravity, scale, a, DualTargetKind::groups);
  });
}

}  // namespace grove
