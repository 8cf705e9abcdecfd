// The dual walk on the GPU: one warp for each target cell, level by level, then one warp for each group.
//
// As in the group walk, pending source cells lie on a stack in global memory and lanes test 32 of them at a time. Accepted cells are
// queued and go into the local expansion 32 at a time, one in each lane; particles are strung together and meet the group's targets, one
// target in each lane. What a target cell hands down is collected by its warp and then copied to the common list memory.
#include "kernels/dual_walk.hpp"
#include "kernels/gravity_dispatch.hpp"
#include "kernels/interaction.hpp"
#include "kernels/warp.cuh"

namespace grove {

namespace {

constexpr int warps_per_block = 4;
constexpr int blocks_per_multiprocessor = 4;
constexpr int terms = local_terms;
constexpr int stored_moments = multipole_stride(expansion_order);
// See walk_cuda.cu for why no stack can overflow.
constexpr std::uint32_t stack_capacity = 8 * warp_size * (deepest_level + 1);
// Target cells above this number of their level are not worth a level of their own: those below start from the roots.
constexpr std::uint32_t smallest_level = 32;

// A multipole at each target costs more than a leaf of so few particles.
constexpr std::uint32_t few_particles = 3;
// On the stack: cells that must not go into the local expansion.
constexpr std::uint32_t spoiled_bit = 1U << 31;

/// What went wrong for lack of memory, and how much was wanted.
struct ListStatus {
  std::uint32_t used;          ///< entries of list memory asked for
  std::uint32_t longest_list;  ///< handed down by one target cell
};

struct DualArguments {
  TreeView sources;
  DualTargetView targets;
  DualWalkTargets data;
  double length, per_length, per_mass, per_acceleration;
  double acceleration_unit, potential_unit;
  float support, support2;
  WalkMode mode;
  std::uint32_t first_level_cell;  ///< target cells before this one have no lists
  std::uint32_t* stacks;
  std::uint32_t* collected;  ///< [warps * collected_capacity]
  std::uint32_t collected_capacity;
  std::uint32_t* lists;
  std::uint32_t list_capacity;
  std::uint64_t* list_range;
  float* local;
  GroupWork* cell_work;
  ListStatus* status;
  unsigned* next_item;
};

/// One warp's part of shared memory.
struct WarpMemory {
  // Rows of an odd number of 16-byte words: lanes that read their rows 16 bytes at a time meet no bank conflicts.
  float4 moments[warp_size][stored_moments / 4 + 1];
  CellSource cell[warp_size];
  Float4 particle[warp_size];
  std::uint32_t own_index[warp_size];
  std::uint32_t accepted[2 * warp_size];  ///< cells for the local expansion
  std::uint32_t direct[2 * warp_size];    ///< cells for each target
};

template <class Opening, class Softening, bool at_group>
class TargetWalk {
 public:
  __device__ TargetWalk(const DualArguments& a, const Opening& opening, const Softening& softening, WarpMemory& memory, int warp)
      : a_(a),
        opening_(opening),
        softening_(softening),
        memory_(memory),
        stack_(a.stacks + std::size_t{stack_capacity} * warp),
        collected_(a.collected + std::size_t{a.collected_capacity} * warp),
        lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void run(std::uint32_t item) {
    clear();
    std::uint32_t parent;
    if constexpr (at_group) {
      load_group(item);
      parent = a_.targets.group_parent[item];
    } else {
      load_cell(item);
      parent = a_.targets.parent[item];
    }
    unit_ = expansion_unit(box_.radius);
    walk(parent);
    if (accepted_count_ > 0) add_cells_to_local(0, accepted_count_);
    for_terms<terms>([&](auto i) {
      for (int d = warp_size / 2; d > 0; d /= 2) local_[i] += __shfl_xor_sync(all_lanes, local_[i], d);
    });
    if (parent != no_parent && parent >= a_.first_level_cell) add_parent_expansion(parent);
    if constexpr (at_group) {
      if (direct_count_ > 0) evaluate_cells(0, direct_count_);
      if (pending_count_ > 0) evaluate_particles(pending_count_);
      store_group(item);
    } else {
      store_cell(item);
    }
  }

 private:
  __device__ void clear() {
    accepted_count_ = direct_count_ = pending_count_ = collected_count_ = 0;
    work_ = {};
    force_ = {};
    for_terms<terms>([&](auto i) { local_[i] = 0; });
  }

  /// Tests the cells that the parent handed down, or the roots, and all that is opened on the way.
  __device__ void walk(std::uint32_t parent) {
    const std::uint32_t* list = a_.sources.roots;
    std::uint32_t list_size = a_.sources.root_count, next = 0, top = 0;
    if (parent != no_parent && parent >= a_.first_level_cell) {
      const std::uint64_t range = a_.list_range[parent];
      list = a_.lists + static_cast<std::uint32_t>(range);
      list_size = static_cast<std::uint32_t>(range >> 32) - static_cast<std::uint32_t>(range);
    }
    while (top > 0 || next < list_size) {
      const bool from_stack = top > 0;
      const std::uint32_t taken = smaller(from_stack ? top : list_size - next, std::uint32_t{warp_size});
      const bool active = lane_ < static_cast<int>(taken);
      std::uint32_t cell = 0;
      if (from_stack) {
        top -= taken;
        if (active) cell = stack_[top + lane_];
      } else {
        if (active) cell = list ? list[next + lane_] : next + lane_;
        next += taken;
      }
      __syncwarp();
      work_.opening_tests += taken;
      top = test(active, cell, top);
    }
  }

  /// Tests one entry a lane and sends each cell where it belongs; returns the new height of the stack.
  __device__ std::uint32_t test(bool active, std::uint32_t entry, std::uint32_t top) {
    const std::uint32_t cell = entry & ~spoiled_bit;
    std::uint32_t spoiled = entry & spoiled_bit;
    bool into_local = false, at_targets = false, handed_down = false, has_children = false, is_leaf = false;
    CellLinks links{};
    if (active) {
      const CellGeometry& g = a_.sources.geometry[cell];
      links = a_.sources.links[cell];
      if (g.mass > 0) {
        if (!spoiled) {
          const LocalVerdict verdict = judge_local(opening_, g, box_, a_.per_length, a_.support);
          into_local = verdict.accepted;
          if (verdict.spoiled) spoiled = spoiled_bit;
        }
        if constexpr (at_group) {
          // A cell without contents was accepted by the rank that sent it, for a box around these targets.
          if (!into_local)
            at_targets = links.particle_count == 0 ||
                         (links.particle_count > few_particles && accept(opening_, g, box_, a_.per_length, a_.support2));
        }
        const bool rejected = !into_local && !at_targets;
        has_children = rejected && links.child_count > 0 && (at_group || g.radius >= box_.radius);
        is_leaf = at_group && rejected && links.child_count == 0;
        handed_down = !at_group && rejected && !has_children;
      }
    }
    queue(into_local, cell, memory_.accepted, accepted_count_, [this](std::uint32_t first) { add_cells_to_local(first, warp_size); });
    if (__any_sync(all_lanes, has_children)) top = push_children(has_children ? links.child_count : 0, links.first_child | spoiled, top);
    if constexpr (at_group) {
      if (__any_sync(all_lanes, at_targets))
        queue(at_targets, cell, memory_.direct, direct_count_, [this](std::uint32_t first) { evaluate_cells(first, warp_size); });
      if (__any_sync(all_lanes, is_leaf)) add_particles(is_leaf ? links.particle_count : 0, links.first_particle);
    } else {
      collect(handed_down, cell);
    }
    return top;
  }

  /// Appends the cells of the lanes that say so to a queue of up to 64, and evaluates 32 when there are as many.
  template <class Evaluate>
  __device__ void queue(bool wanted, std::uint32_t cell, std::uint32_t (&cells)[2 * warp_size], std::uint32_t& count, Evaluate evaluate) {
    const unsigned mask = __ballot_sync(all_lanes, wanted);
    if (wanted) cells[count + __popc(mask & ((1U << lane_) - 1))] = cell;
    count += __popc(mask);
    __syncwarp();
    if (count >= warp_size) {
      count -= warp_size;
      evaluate(count);
    }
  }

  __device__ std::uint32_t push_children(std::uint32_t count, std::uint32_t first, std::uint32_t top) {
    const std::uint32_t end = inclusive_scan(count, lane_);
    for (std::uint32_t k = 0; k < count; ++k) stack_[top + end - count + k] = first + k;
    __syncwarp();
    return top + __shfl_sync(all_lanes, end, warp_size - 1);
  }

  __device__ void collect(bool handed_down, std::uint32_t cell) {
    const unsigned mask = __ballot_sync(all_lanes, handed_down);
    const std::uint32_t at = collected_count_ + __popc(mask & ((1U << lane_) - 1));
    if (handed_down && at < a_.collected_capacity) collected_[at] = cell;
    collected_count_ += __popc(mask);
  }

  __device__ void add_particles(std::uint32_t count, std::uint32_t first) {
    const StrungRanges ranges(count, first, lane_);
    const std::uint32_t held = pending_count_, available = held + ranges.size();
    for (std::uint32_t base = 0; base < available; base += warp_size) {
      const std::uint32_t slot = base + lane_;
      const std::uint32_t found = ranges.at(slot - held);
      if (slot >= held) pending_ = found;
      if (available - base >= warp_size) evaluate_particles(warp_size);
    }
    pending_count_ = available % warp_size;
  }

  /// M2L of `count` cells of the queue from entry `first` on, one a lane.
  __device__ void add_cells_to_local(std::uint32_t first, std::uint32_t count) {
    constexpr int words = stored_moments / 4, rows_at_once = warp_size / words;
    for (int row = lane_ / words; row < static_cast<int>(count); row += rows_at_once) {
      const float4* const moments =
          reinterpret_cast<const float4*>(a_.sources.multipole) + std::size_t{memory_.accepted[first + row]} * words;
      memory_.moments[row][lane_ % words] = moments[lane_ % words];
    }
    __syncwarp();
    if (lane_ < static_cast<int>(count)) {
      const CellGeometry& g = a_.sources.geometry[memory_.accepted[first + lane_]];
      const float x = -offset(g.centre_of_mass.x, box_.centre.x), y = -offset(g.centre_of_mass.y, box_.centre.y),
                  z = -offset(g.centre_of_mass.z, box_.centre.z);
      const float4* const moments = memory_.moments[lane_];
      const auto moment = [&](auto k) {
        constexpr int i = k - term_count(1);
        const float4 word = moments[i / 4];
        return i % 4 == 0 ? word.x : i % 4 == 1 ? word.y : i % 4 == 2 ? word.z : word.w;
      };
      add_cell_to_local(softening_, x, y, z, g.mass, moment, expansion_unit(g.radius), unit_, local_);
    }
    work_.cell_cell += count;
    __syncwarp();
  }

  /// M2P of `count` cells of the queue from entry `first` on.
  __device__ void evaluate_cells(std::uint32_t first, std::uint32_t count) {
    if (lane_ < static_cast<int>(count)) {
      const std::uint32_t cell = memory_.direct[first + lane_];
      const CellGeometry& g = a_.sources.geometry[cell];
      memory_.cell[lane_] = make_cell_source(offset(g.centre_of_mass.x, box_.centre.x), offset(g.centre_of_mass.y, box_.centre.y),
                                             offset(g.centre_of_mass.z, box_.centre.z), g.mass,
                                             a_.sources.multipole + std::size_t{cell} * stored_moments, expansion_unit(g.radius));
    }
    __syncwarp();
    for (std::uint32_t k = 0; k < count; ++k) add_cell(softening_, memory_.cell[k], x_, y_, z_, force_);
    work_.cell_particle += count;
    __syncwarp();
  }

  __device__ void evaluate_particles(std::uint32_t count) {
    bool own = false;
    if (lane_ < static_cast<int>(count)) {
      const Double4 p = a_.sources.particles[pending_];
      memory_.particle[lane_] = {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z),
                                 static_cast<float>(p.w * a_.per_mass)};
      // Softened, a particle would add its own potential to itself.
      if constexpr (!Softening::zero_at_zero) {
        memory_.own_index[lane_] = pending_ - first_;
        own = a_.mode == WalkMode::own_tree && pending_ - first_ < target_count_;
      }
    }
    __syncwarp();
    if (!Softening::zero_at_zero && __any_sync(all_lanes, own))
      sum_particles<true>(count);
    else
      sum_particles<false>(count);
    work_.particle_particle += count;
    __syncwarp();
  }

  template <bool skip_self>
  __device__ void sum_particles(std::uint32_t count) {
#pragma unroll 8
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle[k];
      float mass = s.w;
      if constexpr (skip_self) mass = memory_.own_index[k] == static_cast<std::uint32_t>(lane_) ? 0.0F : mass;
      add_particle(softening_, s.x, s.y, s.z, mass, x_, y_, z_, force_);
    }
  }

  __device__ float offset(double x, double centre) const { return static_cast<float>((x - centre) * a_.per_length); }

  /// Target cells expand about their centre of mass.
  __device__ void load_cell(std::uint32_t target) {
    const std::uint32_t cell = a_.targets.cell[target];
    const CellGeometry& g = a_.data.own_tree.geometry[cell];
    box_.centre = g.centre_of_mass;
    box_.radius = g.radius;
    box_.least_acceleration = a_.data.least_acceleration[cell];
  }

  /// Groups expand about the middle of their bounding box. Lanes without a target repeat the first one.
  __device__ void load_group(std::uint32_t group) {
    first_ = a_.targets.group_start[group];
    target_count_ = a_.targets.group_start[group + 1] - first_;
    const std::uint32_t i = lane_ < static_cast<int>(target_count_) ? first_ + lane_ : first_;
    const Double4 origin = a_.data.particles[first_], p = a_.data.particles[i], last = a_.data.last_acceleration[i];
    box_.centre = {middle(p.x, origin.x, box_.half_size[0]), middle(p.y, origin.y, box_.half_size[1]),
                   middle(p.z, origin.z, box_.half_size[2])};
    // The same rounding as that of the sources: a target meets itself at a distance of exactly zero.
    x_ = offset(p.x, box_.centre.x);
    y_ = offset(p.y, box_.centre.y);
    z_ = offset(p.z, box_.centre.z);
    box_.radius = target_margin * sqrtf(reduce_max(x_ * x_ + y_ * y_ + z_ * z_));
    box_.least_acceleration =
        reduce_min(static_cast<float>(sqrt(last.x * last.x + last.y * last.y + last.z * last.z) * a_.per_acceleration));
  }

  __device__ double middle(double x, double origin, float& half) const {
    const float d = offset(x, origin), low = reduce_min(d), high = reduce_max(d);
    half = 0.5F * (high - low) * target_margin;
    return origin + 0.5F * (low + high) * a_.length;
  }

  __device__ void add_parent_expansion(std::uint32_t parent) {
    const float* const from = a_.local + std::size_t{parent} * local_stride;
    const Double3 centre = a_.data.own_tree.geometry[a_.targets.cell[parent]].centre_of_mass;
    const float unit = expansion_unit(a_.data.own_tree.geometry[a_.targets.cell[parent]].radius);
    add_parent_local([&](auto i) { return from[i]; }, unit, offset(box_.centre.x, centre.x), offset(box_.centre.y, centre.y),
                     offset(box_.centre.z, centre.z), unit_, local_);
  }

  __device__ void store_group(std::uint32_t group) {
    add_local_force([&](auto i) { return local_[i]; }, unit_, x_, y_, z_, force_);
    if (lane_ < static_cast<int>(target_count_)) {
      Double4& out = a_.data.acceleration[first_ + lane_];
      const Double4 before = a_.mode == WalkMode::own_tree ? Double4{} : out;
      out = {before.x + force_.x * a_.acceleration_unit, before.y + force_.y * a_.acceleration_unit,
             before.z + force_.z * a_.acceleration_unit, before.w - force_.potential * a_.potential_unit};
    }
    if (lane_ == 0) add_work(a_.data.work[group]);
  }

  __device__ void store_cell(std::uint32_t target) {
    float* const out = a_.local + std::size_t{target} * local_stride;
    for_terms<terms>([&](auto i) {
      if (lane_ == i % warp_size) out[i] = local_[i];
    });
    std::uint32_t begin = 0;
    if (lane_ == 0) {
      begin = atomicAdd(&a_.status->used, collected_count_);
      atomicMax(&a_.status->longest_list, collected_count_);
      a_.list_range[target] = std::uint64_t{begin} | (std::uint64_t{begin} + collected_count_) << 32;
      add_work(a_.cell_work[target]);
    }
    begin = __shfl_sync(all_lanes, begin, 0);
    __syncwarp();
    // When memory is short the host sees it in `status`, and walks again with more.
    const bool fits = collected_count_ <= a_.collected_capacity && begin + collected_count_ <= a_.list_capacity;
    if (!fits && lane_ == 0) a_.list_range[target] = 0;
    for (std::uint32_t i = lane_; fits && i < collected_count_; i += warp_size) a_.lists[begin + i] = collected_[i];
  }

  __device__ void add_work(GroupWork& out) const {
    const GroupWork before = a_.mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + work_.particle_particle, before.cell_particle + work_.cell_particle,
           before.opening_tests + work_.opening_tests, before.cell_cell + work_.cell_cell};
  }

  const DualArguments& a_;
  const Opening& opening_;
  const Softening& softening_;
  WarpMemory& memory_;
  std::uint32_t* stack_;
  std::uint32_t* collected_;
  int lane_;
  std::uint32_t first_ = 0, target_count_ = 0;
  TargetBox box_{};
  float unit_ = 1;  ///< of the local expansion
  float x_ = 0, y_ = 0, z_ = 0;
  Force<float> force_;
  float local_[terms];  ///< this lane's share of the local expansion, until it is summed over the warp
  std::uint32_t accepted_count_, direct_count_, pending_count_, collected_count_;
  std::uint32_t pending_ = 0;
  GroupWork work_;
};

template <class Opening, class Softening, bool at_group>
__global__ void __launch_bounds__(warps_per_block* warp_size, blocks_per_multiprocessor)
    dual_walk_kernel(const __grid_constant__ DualArguments a, const __grid_constant__ Opening opening,
                     const __grid_constant__ Softening softening, std::uint32_t begin, std::uint32_t end) {
  __shared__ WarpMemory memory[warps_per_block];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  TargetWalk<Opening, Softening, at_group> walk(a, opening, softening, memory[warp], static_cast<int>(blockIdx.x) * warps_per_block + warp);
  for (;;) {
    unsigned item = 0;
    if (threadIdx.x % warp_size == 0) item = atomicAdd(a.next_item, 1U);
    item = begin + __shfl_sync(all_lanes, item, 0);
    if (item >= end) return;
    walk.run(item);
  }
}

template <bool at_group, class Opening, class Softening>
void launch(CudaSpace& space, const DualArguments& a, const Opening& opening, const Softening& softening, std::uint32_t begin,
            std::uint32_t end) {
  if (begin == end) return;
  space.fill_bytes(a.next_item, 0, sizeof(unsigned));
  const unsigned wanted = (end - begin + warps_per_block - 1) / warps_per_block;
  const unsigned blocks = std::min(wanted, static_cast<unsigned>(space.multiprocessors() * blocks_per_multiprocessor));
  dual_walk_kernel<Opening, Softening, at_group>
      <<<blocks, warps_per_block * warp_size, 0, space.stream()>>>(a, opening, softening, begin, end);
  check_cuda(cudaGetLastError(), "dual_walk_kernel");
}

/// Number of the first target cell that gets a list: that of the first level with enough cells to fill some of the card.
std::uint32_t first_level_with_lists(const LevelOffsets& level_offset, int& level) {
  for (level = 0; level < deepest_level; ++level)
    if (level_offset[level + 1] - level_offset[level] >= smallest_level) break;
  return level < deepest_level ? level_offset[level] : level_offset.back();
}

}  // namespace

template <>
void DualWalk<CudaSpace>::walk(CudaSpace& space, const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources,
                               const DualTargets<CudaSpace>& targets, const DualWalkTargets& data, WalkMode mode) {
  const DualTargetView view = targets.view();
  if (view.group_count == 0 || sources.root_count == 0) return;
  int first_level = 0;
  DualArguments a{};
  a.sources = sources;
  a.targets = view;
  a.data = data;
  a.mode = mode;
  a.length = scale.length;
  a.per_length = 1 / scale.length;
  a.per_mass = 1 / scale.mass;
  a.potential_unit = gravity.G * scale.mass / scale.length;
  a.acceleration_unit = a.potential_unit / scale.length;
  a.per_acceleration = 1 / a.acceleration_unit;
  a.first_level_cell = first_level_with_lists(targets.level_offset(), first_level);

  const std::size_t warps = static_cast<std::size_t>(space.multiprocessors()) * blocks_per_multiprocessor * warps_per_block;
  Scratch<CudaSpace, std::uint32_t> stacks(space, stack_capacity * warps);
  Scratch<CudaSpace, ListStatus> status(space, 1);
  Scratch<CudaSpace, unsigned> next_item(space, 1);
  a.stacks = stacks.data();
  a.status = status.data();
  a.next_item = next_item.data();
  list_range_.resize_discard(view.cell_count);
  local_.resize_discard(std::size_t{view.cell_count} * local_stride);
  if (mode == WalkMode::own_tree) {
    cell_work_.resize_discard(view.cell_count);
    space.fill_bytes(cell_work_.data(), 0, view.cell_count * sizeof(GroupWork));
  }
  a.list_range = list_range_.data();
  a.local = local_.data();
  a.cell_work = cell_work_.data();

  std::uint32_t collected_capacity = 2048;
  lists_.resize_discard(std::max<std::size_t>(lists_.size(), std::size_t{view.cell_count} * 256 + 65536));
  visit_opening(gravity, [&](const auto& opening) {
    visit_softening(gravity, scale.length, [&](const auto& softening) {
      a.support = static_cast<float>(softening.support() * (1 + 1e-6));
      a.support2 = a.support * a.support;
      for (bool complete = view.cell_count == a.first_level_cell; !complete;) {
        Scratch<CudaSpace, std::uint32_t> collected(space, std::size_t{collected_capacity} * warps);
        a.collected = collected.data();
        a.collected_capacity = collected_capacity;
        a.lists = lists_.data();
        a.list_capacity = static_cast<std::uint32_t>(std::min<std::size_t>(lists_.size(), 0xffffffffU));
        space.fill_bytes(a.status, 0, sizeof(ListStatus));
        for (int level = first_level; level <= deepest_level; ++level)
          launch<false>(space, a, opening, softening, targets.level_offset()[level], targets.level_offset()[level + 1]);
        ListStatus seen{};
        space.copy_to_host(&seen, a.status, sizeof(seen));
        complete = seen.used <= a.list_capacity && seen.longest_list <= collected_capacity;
        collected_capacity = std::max(collected_capacity, 2 * seen.longest_list);
        if (!complete) lists_.resize_discard(std::max<std::size_t>(lists_.size(), 2 * std::size_t{seen.used}));
      }
      launch<true>(space, a, opening, softening, 0, view.group_count);
    });
  });
}

}  // namespace grove
