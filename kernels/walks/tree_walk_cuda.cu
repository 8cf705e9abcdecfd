// The walk of `tree` on the GPU: one warp walks for one group, with two targets in each lane.
//
// Pending cells lie on a stack in global memory. A warp takes 32 of them at a time and each lane tests one. Accepted cells wait in a queue
// in shared memory and are evaluated 32 at a time. The particles of leaves that were not accepted are put in one sequence and evaluated 32
// at a time. So every lane has work in the inner loops, whose sources are broadcast from shared memory.
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace {

constexpr int warps_per_block = 4;
constexpr int blocks_per_multiprocessor = 6;
constexpr int targets_per_lane = largest_group / warp_size;
// In sizes of the group. For pairs closer than this, the rounding of two FP32 offsets changes the force by more than 1e-4. Without
// softening their forces are computed from positions in FP64.
constexpr float close_distance = 0x1p-10F;

// No stack can overflow. A round pops at most 32 cells (roots only when the stack is empty) and pushes their children, at most 256: a run
// of cells on the stack. A run holds children of cells that were popped from the run below it, or from above that run. So its lowest level
// is deeper than that of the run below, and there are at most as many runs as levels.
constexpr std::uint32_t stack_capacity = 8 * warp_size * (deepest_level + 1);

struct WalkArguments {
  TreeView sources;
  WalkTargets targets;
  GravityUnits units;
  float support2;
  std::uint32_t* stacks;
  unsigned* next_group;
};

/// One warp's part of shared memory.
struct WarpMemory {
  CellSource cell[warp_size];
  Float4 particle[warp_size];
  std::uint32_t index[warp_size];  ///< of each particle, in the source tree
  std::uint32_t accepted[2 * warp_size];
  float force[targets_per_lane][8][warp_size];  ///< CompensatedForce of each target, for which no registers are left
};

template <class Opening, class Softening, WalkMode mode, bool some_active>
class GroupWalk {
 public:
  __device__ GroupWalk(const WalkArguments& a, const Opening& opening, const Softening& softening, WarpMemory& memory, std::uint32_t* stack)
      : a_(a), opening_(opening), softening_(softening), memory_(memory), stack_(stack), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void run(std::size_t group) {
    load_targets(group);
    std::uint32_t top = 0, next_root = 0;
    while (top > 0 || next_root < a_.sources.root_count) {
      const bool from_stack = top > 0;
      const std::uint32_t taken = smaller(from_stack ? top : a_.sources.root_count - next_root, std::uint32_t{warp_size});
      const bool active = lane_ < static_cast<int>(taken);
      std::uint32_t cell = 0;
      if (from_stack) {
        top -= taken;
        if (active) cell = stack_[top + lane_];
      } else {
        if (active) cell = a_.sources.root(next_root + lane_);
        next_root += taken;
      }
      __syncwarp();
      work_.opening_tests += taken;
      top = test(active, cell, top);
    }
    if (accepted_count_ > 0) evaluate_cells(0, accepted_count_);
    if (pending_count_ > 0) evaluate_particles(pending_count_);
    store(group);
  }

 private:
  /// Tests one cell a lane and sends each where it belongs; returns the new height of the stack.
  __device__ std::uint32_t test(bool active, std::uint32_t cell, std::uint32_t top) {
    bool accepted = false, opened = false;
    CellLinks links{};
    if (active) {
      const CellGeometry geometry = a_.sources.geometry[cell];
      accepted = accept(opening_, geometry, box_, a_.units.per_length, a_.support2);
      if (!accepted) {
        links = a_.sources.links[cell];
        // A cell without contents was accepted by the rank that sent it, for a box around these targets.
        accepted = links.particle_count == 0;
        opened = !accepted;
      }
      accepted = accepted && geometry.mass > 0;
    }
    queue_accepted(accepted, cell);
    const bool has_children = opened && links.child_count > 0;
    if (__any_sync(all_lanes, has_children)) top = push_children(has_children ? links.child_count : 0, links.first_child, top);
    const bool is_leaf = opened && links.child_count == 0;
    if (__any_sync(all_lanes, is_leaf)) add_particles(is_leaf ? links.particle_count : 0, links.first_particle);
    return top;
  }

  __device__ void queue_accepted(bool accepted, std::uint32_t cell) {
    const unsigned mask = __ballot_sync(all_lanes, accepted);
    if (accepted) memory_.accepted[accepted_count_ + __popc(mask & ((1U << lane_) - 1))] = cell;
    accepted_count_ += __popc(mask);
    __syncwarp();
    if (accepted_count_ >= warp_size) {
      accepted_count_ -= warp_size;
      evaluate_cells(accepted_count_, warp_size);
    }
  }

  __device__ std::uint32_t push_children(std::uint32_t count, std::uint32_t first, std::uint32_t top) {
    const std::uint32_t end = inclusive_scan(count, lane_);
    for (std::uint32_t k = 0; k < count; ++k) stack_[top + end - count + k] = first + k;
    __syncwarp();
    return top + __shfl_sync(all_lanes, end, warp_size - 1);
  }

  /// Appends the particle ranges of all lanes to those still pending, and evaluates every full 32.
  __device__ void add_particles(std::uint32_t count, std::uint32_t first) {
    const ConcatenatedRanges ranges(count, first, lane_);
    const std::uint32_t held = pending_count_, available = held + ranges.size();
    for (std::uint32_t base = 0; base < available; base += warp_size) {
      const std::uint32_t slot = base + lane_;
      const std::uint32_t found = ranges.at(slot - held);
      if (slot >= held) pending_ = found;
      if (available - base >= warp_size) evaluate_particles(warp_size);
    }
    pending_count_ = available % warp_size;
  }

  /// Evaluates `count` cells of the queue, from entry `first` on.
  __device__ void evaluate_cells(std::uint32_t first, std::uint32_t count) {
    if (lane_ < static_cast<int>(count)) {
      const std::uint32_t cell = memory_.accepted[first + lane_];
      const CellGeometry& g = a_.sources.geometry[cell];
      memory_.cell[lane_] = make_cell_source<WalkTerms>(
          offset(g.centre_of_mass.x, box_.centre.x), offset(g.centre_of_mass.y, box_.centre.y), offset(g.centre_of_mass.z, box_.centre.z),
          g.mass, a_.sources.multipole + std::size_t{cell} * multipole_stride(WalkTerms::form), expansion_unit(g.radius));
    }
    __syncwarp();
    for (std::uint32_t k = 0; k < count; ++k) {
      const CellSource source = memory_.cell[k];
      for (int t = 0; t < targets_per_lane; ++t) add_cell(softening_, source, x_[t], y_[t], z_[t], force_[t]);
    }
    work_.cell_particle += count;
    end_batch();
    __syncwarp();
  }

  __device__ void evaluate_particles(std::uint32_t count) {
    bool own = false;
    if (lane_ < static_cast<int>(count)) {
      const Double4 p = a_.sources.particles[pending_];
      memory_.particle[lane_] = {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z),
                                 static_cast<float>(p.w * a_.units.per_mass)};
      memory_.index[lane_] = pending_;
      own = mode == WalkMode::own_tree && pending_ - first_ < target_count_;
    }
    __syncwarp();
    if (__any_sync(all_lanes, own))
      sum_particles<true>(count);
    else
      sum_particles<false>(count);
    work_.particle_particle += count;
    end_batch();
    __syncwarp();
  }

  /// `skip_self`: some of the particles are targets of this group, and do not act on themselves.
  template <bool skip_self>
  __device__ void sum_particles(std::uint32_t count) {
    Force<float> before[targets_per_lane];
    if constexpr (Softening::zero_at_zero)
      for (int t = 0; t < targets_per_lane; ++t) before[t] = force_[t];
    float closest2 = 3e38F;
#pragma unroll 4
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle[k];
      for (int t = 0; t < targets_per_lane; ++t) {
        const bool itself = skip_self && memory_.index[k] == target_index(t);
        const float dx = s.x - x_[t], dy = s.y - y_[t], dz = s.z - z_[t], r2 = dx * dx + dy * dy + dz * dz;
        if constexpr (Softening::zero_at_zero) closest2 = fminf(closest2, itself ? 3e38F : r2);
        add_particle_at<false>(softening_, dx, dy, dz, r2, itself ? 0.0F : s.w, force_[t]);
      }
    }
    if constexpr (Softening::zero_at_zero) {
      const float* const half = box_.half_size;
      const float close2 = close_distance * close_distance * (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
      if (!__any_sync(all_lanes, closest2 <= larger(close2, NewtonKernel::smallest<float>()))) return;
      for (int t = 0; t < targets_per_lane; ++t) {
        force_[t] = before[t];
        sum_close_particles(count, target_index(t), force_[t]);
      }
    }
  }

  /// Adds the forces on one target from differences of positions in FP64.
  __device__ void sum_close_particles(std::uint32_t count, std::uint32_t target, Force<float>& force) const {
    const Double4 own = a_.targets.particles[target];
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) {
      if (mode == WalkMode::own_tree && memory_.index[k] == target) continue;
      const Double4 s = a_.sources.particles[memory_.index[k]];
      add_close_particle(softening_, offset(s.x, own.x), offset(s.y, own.y), offset(s.z, own.z), memory_.particle[k].w, force);
    }
  }

  /// Lanes without a target repeat the first one.
  __device__ std::uint32_t target_index(int t) const {
    const std::uint32_t i = lane_ + t * warp_size;
    return first_ + (i < target_count_ ? i : 0);
  }

  /// Empties the FP32 sums after every block of sources. All batches but the last are of 32.
  __device__ void end_batch() {
    if ((work_.cell_particle + work_.particle_particle) % sources_per_block == 0) add_up();
  }

  __device__ void add_up() {
    for (int t = 0; t < targets_per_lane; ++t) {
      CompensatedForce<float> total = total_force(t);
      total.take(force_[t]);
      set_total_force(t, total);
    }
  }

  // Each lane reads and writes its own column.
  __device__ CompensatedForce<float> total_force(int t) const {
    const auto at = [&](int k) { return memory_.force[t][k][lane_]; };
    return {{at(0), at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7)}};
  }
  __device__ void set_total_force(int t, const CompensatedForce<float>& f) {
    const float values[] = {f.sum.x, f.sum.y, f.sum.z, f.sum.potential, f.excess.x, f.excess.y, f.excess.z, f.excess.potential};
    for (int k = 0; k < 8; ++k) memory_.force[t][k][lane_] = values[k];
  }

  __device__ float offset(double x, double centre) const { return a_.units.offset(x, centre); }

  /// Loads the targets and clears the sums.
  __device__ void load_targets(std::size_t group) {
    first_ = a_.targets.group_start[group];
    target_count_ = a_.targets.group_start[group + 1] - first_;
    const Double4 origin = a_.targets.particles[first_];
    Double4 p[targets_per_lane];
    for (int t = 0; t < targets_per_lane; ++t) {
      p[t] = a_.targets.particles[target_index(t)];
      x_[t] = offset(p[t].x, origin.x);
      y_[t] = offset(p[t].y, origin.y);
      z_[t] = offset(p[t].z, origin.z);
    }
    box_.centre = {middle(x_, origin.x, box_.half_size[0]), middle(y_, origin.y, box_.half_size[1]),
                   middle(z_, origin.z, box_.half_size[2])};
    box_.least_acceleration = a_.targets.group_least_acceleration[group];
    // The same rounding as that of the sources: a target meets itself at a distance of exactly zero.
    for (int t = 0; t < targets_per_lane; ++t) {
      x_[t] = offset(p[t].x, box_.centre.x);
      y_[t] = offset(p[t].y, box_.centre.y);
      z_[t] = offset(p[t].z, box_.centre.z);
      force_[t] = {};
      set_total_force(t, {});
    }
    accepted_count_ = pending_count_ = 0;
    work_ = {};
  }

  /// Middle, in code units, and half width (with its margin) of the range of the group's offsets from `origin`.
  __device__ double middle(const float (&offsets)[targets_per_lane], double origin, float& half) const {
    float low = offsets[0], high = offsets[0];
    for (int t = 1; t < targets_per_lane; ++t) {
      low = fminf(low, offsets[t]);
      high = fmaxf(high, offsets[t]);
    }
    low = reduce_min(low);
    high = reduce_max(high);
    half = 0.5F * (high - low) * target_margin;
    return origin + 0.5F * (low + high) * a_.units.length;
  }

  __device__ void store(std::size_t group) {
    add_up();
    for (int t = 0; t < targets_per_lane; ++t) {
      const std::uint32_t i = lane_ + t * warp_size;
      if (i >= target_count_ || (some_active && !a_.targets.active.wants(first_ + i))) continue;
      Double4& out = a_.targets.acceleration[first_ + i];
      const Double4 before = mode == WalkMode::own_tree ? Double4{} : out;
      const Force<float> sum = total_force(t).sum;
      out = {before.x + sum.x * a_.units.acceleration, before.y + sum.y * a_.units.acceleration, before.z + sum.z * a_.units.acceleration,
             before.w - sum.potential * a_.units.potential};
    }
    if (lane_ != 0) return;
    GroupWork& out = a_.targets.work[group];
    const GroupWork before = mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + work_.particle_particle, before.cell_particle + work_.cell_particle,
           before.opening_tests + work_.opening_tests, 0};
  }

  const WalkArguments& a_;
  const Opening& opening_;
  const Softening& softening_;
  WarpMemory& memory_;
  std::uint32_t* stack_;
  int lane_;
  std::uint32_t first_, target_count_;
  TargetBox box_;
  float x_[targets_per_lane], y_[targets_per_lane], z_[targets_per_lane];
  Force<float> force_[targets_per_lane];
  std::uint32_t accepted_count_, pending_count_;
  std::uint32_t pending_ = 0;  ///< the particle this lane holds, for lanes below pending_count_
  GroupWork work_;
};

template <class Opening, class Softening, WalkMode mode, bool some_active>
__global__ void __launch_bounds__(warps_per_block* warp_size, blocks_per_multiprocessor)
    walk_kernel(const __grid_constant__ WalkArguments a, const __grid_constant__ Opening opening,
                const __grid_constant__ Softening softening) {
  __shared__ WarpMemory memory[warps_per_block];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  std::uint32_t* const stack = a.stacks + std::size_t{stack_capacity} * (blockIdx.x * warps_per_block + warp);
  GroupWalk<Opening, Softening, mode, some_active> walk(a, opening, softening, memory[warp], stack);
  for (;;) {
    // Groups cost unequal time: warps that are done take the next group. The order does not change the results.
    unsigned group = 0;
    if (threadIdx.x % warp_size == 0) group = atomicAdd(a.next_group, 1U);
    group = __shfl_sync(all_lanes, group, 0);
    if constexpr (some_active) {
      if (group >= a.targets.active.groups.size) return;
      walk.run(a.targets.active.groups[group]);
    } else {
      if (group >= a.targets.group_count()) return;
      walk.run(group);
    }
  }
}

template <class Opening, class Softening>
void launch(CudaSpace& space, WalkArguments& a, const Opening& opening, const Softening& softening, WalkMode mode) {
  const std::size_t wanted = (a.targets.walked_count() + warps_per_block - 1) / warps_per_block;
  const std::size_t resident = static_cast<std::size_t>(space.multiprocessors()) * blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(std::min(wanted, resident));
  Scratch<CudaSpace, std::uint32_t> stacks(space, std::size_t{stack_capacity} * warps_per_block * blocks);
  Scratch<CudaSpace, unsigned> next_group(space, 1);
  space.fill_bytes(next_group.data(), 0, sizeof(unsigned));
  a.stacks = stacks.data();
  a.next_group = next_group.data();
  const auto kernel = [&] {
    constexpr auto own = WalkMode::own_tree, other = WalkMode::other_tree;
    if (a.targets.active.some())
      return mode == own ? walk_kernel<Opening, Softening, own, true> : walk_kernel<Opening, Softening, other, true>;
    return mode == own ? walk_kernel<Opening, Softening, own, false> : walk_kernel<Opening, Softening, other, false>;
  }();
  kernel<<<blocks, warps_per_block * warp_size, 0, space.stream()>>>(a, opening, softening);
  check_cuda(cudaGetLastError(), "walk_kernel");
}

}  // namespace

template <>
void walk_tree(CudaSpace& space, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  if (targets.walked_count() == 0 || sources.root_count == 0) return;
  check_form(sources, WalkTerms::form);
  WalkArguments a{};
  a.sources = sources;
  a.targets = targets;
  a.units = law.units;
  a.support2 = law.support2;
  law.visit([&](const auto& opening, const auto& softening) { launch(space, a, opening, softening, mode); });
}

}  // namespace grove
