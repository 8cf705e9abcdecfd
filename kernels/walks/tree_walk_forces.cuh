// The sums that a warp of the walk of `tree` makes for its group: the forces of cells and particles on two targets in each lane.
#pragma once

#include "kernels/gravity/interaction.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/tree_walk.hpp"

namespace grove::tree_walk {

inline constexpr int targets_per_lane = largest_group / warp_size;
// In units of the group's size. For pairs closer than this, rounding two offsets to FP32 changes the force by more than 1e-4. Without
// softening, their forces are computed from positions in FP64.
inline constexpr float close_distance = 0x1p-10F;

/// Arguments of the kernel.
struct WalkArguments {
  TreeView sources;
  WalkTargets targets;
  GravityUnits units;
  float support2;
  std::uint32_t* stacks;  ///< [warps * stack_capacity]
  std::uint32_t stack_capacity;
  unsigned* next_group;  ///< the next number to draw
};

/// One warp's shared memory for its sums.
struct ForceMemory {
  CellSource cell[warp_size];
  Float4 particle[warp_size];
  std::uint32_t index[warp_size];               ///< of each particle, in the source tree
  float force[targets_per_lane][8][warp_size];  ///< CompensatedForce of each target; registers are short
  GroupWork work;                               ///< of this warp, for the first warp of its team
};

template <class Softening, WalkMode mode, bool some_active>
class GroupForces {
 public:
  __device__ GroupForces(const WalkArguments& a, const Softening& softening, ForceMemory& memory)
      : a_(a), softening_(softening), memory_(memory), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ const TargetBox& box() const { return box_; }

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
    // Rounded in the same way as the sources, so that the distance of a target from itself is exactly zero.
    float farthest[3] = {0, 0, 0};
    for (int t = 0; t < targets_per_lane; ++t) {
      x_[t] = offset(p[t].x, box_.centre.x);
      y_[t] = offset(p[t].y, box_.centre.y);
      z_[t] = offset(p[t].z, box_.centre.z);
      farthest[0] = larger(farthest[0], fabsf(x_[t]));
      farthest[1] = larger(farthest[1], fabsf(y_[t]));
      farthest[2] = larger(farthest[2], fabsf(z_[t]));
      force_[t] = {};
      set_total_force(t, {});
    }
    // If a group is narrow compared with its distance from the origin, rounding of the centre can put targets outside the box.
    for (int k = 0; k < 3; ++k) box_.half_size[k] = larger(box_.half_size[k], reduce_max(farthest[k]));
    work_ = {};
  }

  /// Adds the forces of up to 32 cells on each target.
  __device__ void evaluate_cells(const std::uint32_t* cells, std::uint32_t count) {
    if (lane_ < static_cast<int>(count)) {
      memory_.cell[lane_] = cell_source<WalkTerms>(a_.sources, cells[lane_], box_.centre, a_.units);
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

  /// Adds the forces of up to 32 particles on each target: `particle` in each of the first `count` lanes.
  __device__ void evaluate_particles(std::uint32_t particle, std::uint32_t count) {
    bool own = false;
    if (lane_ < static_cast<int>(count)) {
      const Double4 p = a_.sources.particles[particle];
      memory_.particle[lane_] = {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z),
                                 static_cast<float>(p.w * a_.units.per_mass)};
      memory_.index[lane_] = particle;
      own = mode == WalkMode::own_tree && particle - first_ < target_count_;
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

  __device__ void count_tests(std::uint32_t tests) { work_.opening_tests += tests; }

  /// Ends the sums over sources. Afterwards the first warp of a team has the sums of all warps. `memory_of(k)` is the memory of warp k. All
  /// warps of the team call it together. The other warps must not change their memory before the team synchronises once more.
  template <class Team, class MemoryOf>
  __device__ void join(const Team& team, MemoryOf memory_of) {
    add_up();
    if constexpr (Team::warps > 1) {
      if (lane_ == 0) memory_.work = work_;
      team.sync();
      if (!team.is_first()) return;
#pragma unroll 1
      for (int k = 1; k < Team::warps; ++k) add_share(memory_of(k));
    }
  }

  /// Writes the forces on the targets, and the work.
  __device__ void store(std::size_t group) {
    for (int t = 0; t < targets_per_lane; ++t) {
      const std::uint32_t i = lane_ + t * warp_size;
      if (i >= target_count_ || (some_active && !a_.targets.active.wants(first_ + i))) continue;
      store_force(total_force(t).sum, a_.units, mode, a_.targets.acceleration[first_ + i]);
    }
    if (lane_ == 0) store_work(work_, mode, a_.targets.work[group]);
  }

 private:
  /// `skip_self`: some of the particles are targets of this group. They do not act on themselves.
  template <bool skip_self>
  __device__ void sum_particles(std::uint32_t count) {
    Force<float> before[targets_per_lane];
    for (int t = 0; t < targets_per_lane; ++t) before[t] = force_[t];
    float closest2 = 3e38F;
#pragma unroll 4
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle[k];
      for (int t = 0; t < targets_per_lane; ++t) {
        const bool itself = skip_self && memory_.index[k] == target_index(t);
        const float dx = s.x - x_[t], dy = s.y - y_[t], dz = s.z - z_[t], r2 = softening_.squared(dx, dy, dz);
        // The softened distance shows how much rounding matters.
        closest2 = fminf(closest2, itself ? 3e38F : r2);
        add_particle_at<false>(softening_, dx, dy, dz, r2, itself ? 0.0F : s.w, force_[t]);
      }
    }
    const float* const half = box_.half_size;
    const float close2 = close_distance * close_distance * (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    if (!__any_sync(all_lanes, closest2 <= larger(close2, NewtonKernel::smallest<float>()))) return;
    for (int t = 0; t < targets_per_lane; ++t) {
      force_[t] = before[t];
      sum_close_particles(count, target_index(t), force_[t]);
    }
  }

  /// Adds the forces on one target, with differences of positions in FP64.
  __device__ void sum_close_particles(std::uint32_t count, std::uint32_t target, Force<float>& force) const {
    const Double4 own = a_.targets.particles[target];
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) {
      if (mode == WalkMode::own_tree && memory_.index[k] == target) continue;
      const Double4 s = a_.sources.particles[memory_.index[k]];
      const GravityUnits& units = a_.units;
      add_close_particle(softening_, units.close_offset(s.x, own.x), units.close_offset(s.y, own.y), units.close_offset(s.z, own.z),
                         memory_.particle[k].w, force);
    }
  }

  /// Lanes without a target repeat the first target.
  __device__ std::uint32_t target_index(int t) const {
    const std::uint32_t i = lane_ + t * warp_size;
    return first_ + (i < target_count_ ? i : 0);
  }

  /// Empties the FP32 sums after every block of sources. All batches except the last have 32 sources.
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

  /// Adds the sums of another warp of the team.
  __device__ void add_share(const ForceMemory& share) {
    for (int t = 0; t < targets_per_lane; ++t) {
      const auto at = [&](int k) { return share.force[t][k][lane_]; };
      force_[t] = {at(0), at(1), at(2), at(3)};
    }
    add_up();
    work_ = work_ + share.work;
  }

  __device__ float offset(double x, double centre) const { return a_.units.offset(x, centre); }

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

  const WalkArguments& a_;
  const Softening& softening_;
  ForceMemory& memory_;
  int lane_;
  std::uint32_t first_, target_count_;
  TargetBox box_;
  float x_[targets_per_lane], y_[targets_per_lane], z_[targets_per_lane];
  Force<float> force_[targets_per_lane];
  GroupWork work_;
};

}  // namespace grove::tree_walk
