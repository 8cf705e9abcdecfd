// What a warp of the dual walk adds up for its target: the local expansion, and for groups the force on the target of each lane.
#pragma once

#include <cuda_pipeline.h>

#include "kernels/dual_walk_cuda.hpp"
#include "kernels/interaction.hpp"
#include "kernels/opening.hpp"

namespace grove::dual_walk {

/// A particle as the inner loop wants it: FP32 offset from the targets' centre, and what rounding took from it.
struct ParticleMemory {
  Float4 offset[warp_size];         ///< w: mass
  Float4 residual[warp_size];       ///< of sources near the targets; w unused
  std::uint32_t target[warp_size];  ///< which target the source is; none: a number that is no lane's
};

/// Shared memory of one warp for sources; its parts are used one after the other.
template <int order>
union SourceMemory {
  static constexpr int terms = term_count(order), words = multipole_stride(order) / 4;
  // Rows of an odd number of 16-byte words: lanes that read their rows 16 bytes at a time meet no bank conflicts.
  float4 moments[warp_size][words | 1];
  float local[warp_size][terms | 1];
  CellSource cell[warp_size];
  ParticleMemory particle;
};

/// In group radii: from further away than this, the rounding of two FP32 offsets changes a force by less than 4e-6, 1e-6 as a rule.
inline constexpr float close_distance = 1.0F / 64;

template <int order, class Softening>
class TargetForces {
 public:
  using Memory = SourceMemory<order>;

  __device__ TargetForces(const DualArguments& a, const Softening& softening, Memory& memory, Float4 (&rest)[warp_size])
      : a_(a), softening_(softening), memory_(memory), rest_(rest), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ const TargetBox& box() const { return box_; }

  /// Target cells expand about their centre of mass.
  __device__ void load_cell(std::uint32_t target) {
    clear();
    const std::uint32_t cell = a_.targets.cell[target];
    const CellGeometry& g = a_.data.own_tree.geometry[cell];
    box_.centre = g.centre_of_mass;
    box_.radius = g.radius;
    box_.least_acceleration = a_.data.least_acceleration[cell];
    unit_ = expansion_unit(box_.radius);
  }

  /// Groups expand about the middle of their bounding box. Lanes without a target repeat the first one.
  __device__ void load_group(std::uint32_t group) {
    clear();
    first_ = a_.targets.group_start[group];
    target_count_ = a_.targets.group_start[group + 1] - first_;
    const std::uint32_t i = lane_ < static_cast<int>(target_count_) ? first_ + lane_ : first_;
    const Double4 origin = a_.data.particles[first_], p = a_.data.particles[i];
    box_.centre = {middle(p.x, origin.x, box_.half_size[0]), middle(p.y, origin.y, box_.half_size[1]),
                   middle(p.z, origin.z, box_.half_size[2])};
    const Float4 rounded = offset_of(p);
    x_ = rounded.x;
    y_ = rounded.y;
    z_ = rounded.z;
    rest_[lane_] = residual_of(p, rounded);
    box_.radius = target_margin * sqrtf(reduce_max(x_ * x_ + y_ * y_ + z_ * z_));
    box_.least_acceleration = a_.data.group_least_acceleration[group];
    unit_ = expansion_unit(box_.radius);
  }

  /// M2L of up to 32 cells, one a lane.
  __device__ void add_cells_to_local(const std::uint32_t* cells, std::uint32_t count) {
    constexpr int words = Memory::words;
    for (int i = lane_; i < static_cast<int>(count) * words; i += warp_size)
      __pipeline_memcpy_async(&memory_.moments[i / words][i % words],
                              a_.sources.multipole + std::size_t{cells[i / words]} * stored_moments + 4 * (i % words), sizeof(float4));
    __pipeline_commit();
    const bool active = lane_ < static_cast<int>(count);
    const CellGeometry& g = a_.sources.geometry[cells[active ? lane_ : 0]];
    const float x = -offset(g.centre_of_mass.x, box_.centre.x), y = -offset(g.centre_of_mass.y, box_.centre.y),
                z = -offset(g.centre_of_mass.z, box_.centre.z), mass = g.mass, cell_unit = expansion_unit(g.radius);
    __pipeline_wait_prior(0);
    __syncwarp();
    if (active) {
      const float4* const moments = memory_.moments[lane_];
      const auto moment = [&](auto k) {
        constexpr int i = k - term_count(1);
        const float4 word = moments[i / 4];
        return i % 4 == 0 ? word.x : i % 4 == 1 ? word.y : i % 4 == 2 ? word.z : word.w;
      };
      add_cell_to_local<order>(softening_, x, y, z, mass, moment, cell_unit, unit_, local_);
    }
    work_.cell_cell += count;
    __syncwarp();
  }

  /// M2P of up to 32 cells, all at each target.
  __device__ void evaluate_cells(const std::uint32_t* cells, std::uint32_t count) {
    if (lane_ < static_cast<int>(count)) {
      const std::uint32_t cell = cells[lane_];
      const CellGeometry& g = a_.sources.geometry[cell];
      memory_.cell[lane_] = make_cell_source(offset(g.centre_of_mass.x, box_.centre.x), offset(g.centre_of_mass.y, box_.centre.y),
                                             offset(g.centre_of_mass.z, box_.centre.z), g.mass,
                                             a_.sources.multipole + std::size_t{cell} * stored_moments, expansion_unit(g.radius));
    }
    __syncwarp();
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) add_cell(softening_, memory_.cell[k], x_, y_, z_, force_);
    work_.cell_particle += count;
    add_to_total();
    __syncwarp();
  }

  /// P2P of the particles of up to 32 leaves, given by first particle and number.
  __device__ void evaluate_leaves(const uint2* leaves, std::uint32_t count) {
    const uint2 leaf = lane_ < static_cast<int>(count) ? leaves[lane_] : make_uint2(0, 0);
    const StrungRanges ranges(leaf.y, leaf.x, lane_);
    const std::uint32_t size = ranges.size();
    // While 32 particles are summed, the next 32 are on their way. One place for each kind of work: see dual_walk_warp.cuh.
    Fetched next{};
    for (std::uint32_t ahead = 0; ahead < size + warp_size; ahead += warp_size) {
      const bool own = ahead > 0 && put(next);
      if (ahead < size) next = fetch(ranges, ahead, size);
      if (ahead == 0) continue;
      const std::uint32_t base = ahead - warp_size, here = smaller(size - base, std::uint32_t{warp_size});
      if (own || !sum_particles(here)) sum_close_particles(here);
      if (base % sources_per_block == sources_per_block - warp_size) add_to_total();
    }
    work_.particle_particle += size;
    add_to_total();
  }

  /// The targets, one bit each, that are the particles [first, first + count); none unless all of these are targets.
  __device__ std::uint32_t own_bits(std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t begin = first - first_;
    if (a_.mode != WalkMode::own_tree || begin >= target_count_ || begin + count > target_count_) return 0;
    return (all_lanes >> (warp_size - count)) << begin;
  }

  /// P2P of the targets named by `bits` on all targets.
  __device__ void evaluate_own(std::uint32_t bits) {
    if (bits == 0) return;
    const bool included = (bits >> lane_ & 1) != 0;
    const float mass = included ? static_cast<float>(a_.data.particles[first_ + lane_].w * a_.per_mass) : 0.0F;
    memory_.particle.offset[lane_] = {x_, y_, z_, mass};
    memory_.particle.residual[lane_] = rest_[lane_];
    memory_.particle.target[lane_] = lane_;
    __syncwarp();
    sum_close_particles(target_count_);
    work_.particle_particle += __popc(bits);
    add_to_total();
  }

  /// Ends the sums over sources: every lane gets the whole local expansion, that of the target cell above included.
  __device__ void finish_local(bool has_parent, std::uint32_t parent) {
    sum_local_over_lanes();
    if (has_parent) add_parent_expansion(parent);
  }

  /// Writes the forces on a group.
  __device__ void store_group(std::uint32_t group) {
    add_local_force<order>([&](auto i) { return local_[i]; }, unit_, x_, y_, z_, total_);
    if (lane_ < static_cast<int>(target_count_)) {
      Double4& out = a_.data.acceleration[first_ + lane_];
      const Double4 before = a_.mode == WalkMode::own_tree ? Double4{} : out;
      out = {before.x + total_.x * a_.acceleration_unit, before.y + total_.y * a_.acceleration_unit,
             before.z + total_.z * a_.acceleration_unit, before.w - total_.potential * a_.potential_unit};
    }
    if (lane_ == 0) add_work(a_.data.work[group]);
  }

  /// Writes a target cell's local expansion.
  __device__ void store_local(std::uint32_t target) {
    float* const out = a_.local + std::size_t{target} * local_stride(order);
    for_terms<terms>([&](auto i) {
      if (lane_ == i % warp_size) out[i] = local_[i];
    });
    if (lane_ == 0) add_work(a_.cell_work[target]);
  }

  __device__ void count_tests(std::uint32_t tests) { work_.opening_tests += tests; }

 private:
  static constexpr int terms = term_count(order), stored_moments = multipole_stride(order);

  __device__ void clear() {
    work_ = {};
    force_ = {};
    total_ = {};
    for_terms<terms>([&](auto i) { local_[i] = 0; });
  }

  /// A source particle on its way from memory.
  struct Fetched {
    Double4 position;
    std::uint32_t index;
  };

  /// This lane's particle of the 32 from place `base` on; the last one for a place past `size`.
  __device__ Fetched fetch(const StrungRanges& ranges, std::uint32_t base, std::uint32_t size) const {
    const std::uint32_t index = ranges.at(smaller(base + lane_, size - 1));
    return {a_.sources.particles[index], index};
  }

  /// Writes 32 particles to shared memory; says whether any of them is a target of this group.
  __device__ bool put(const Fetched& source) {
    const Double4& p = source.position;
    const Float4 offset = offset_of(p);
    const std::uint32_t target = a_.mode == WalkMode::own_tree ? source.index - first_ : ~std::uint32_t{0};
    memory_.particle.offset[lane_] = {offset.x, offset.y, offset.z, static_cast<float>(p.w * a_.per_mass)};
    memory_.particle.residual[lane_] = residual_of(p, offset);
    memory_.particle.target[lane_] = target;
    __syncwarp();
    return __any_sync(all_lanes, target < target_count_);
  }

  /// Adds the particles, unless one is so close to a target that the rounding of their offsets would show: then does nothing but say so.
  __device__ bool sum_particles(std::uint32_t count) {
    const Force<float> before = force_;
    float closest2 = 3e38F;
#pragma unroll 4
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle.offset[k];
      const float dx = s.x - x_, dy = s.y - y_, dz = s.z - z_, r2 = dx * dx + dy * dy + dz * dz;
      closest2 = fminf(closest2, r2);
      add_particle_at(softening_, dx, dy, dz, r2, s.w, force_);
    }
    const float close = box_.radius * close_distance;
    const bool rounded = __any_sync(all_lanes, closest2 < close * close);
    if (rounded) force_ = before;
    __syncwarp();
    return !rounded;
  }

  /// Differences of offsets that are close are exact; those of the residuals add what rounding took from both. No target acts on itself.
  __device__ void sum_close_particles(std::uint32_t count) {
    const Float4 own = rest_[lane_];
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle.offset[k], r = memory_.particle.residual[k];
      const float mass = memory_.particle.target[k] == static_cast<std::uint32_t>(lane_) ? 0.0F : s.w;
      add_particle(softening_, (s.x - x_) + (r.x - own.x), (s.y - y_) + (r.y - own.y), (s.z - z_) + (r.z - own.z), mass, 0.0F, 0.0F, 0.0F,
                   force_);
    }
    __syncwarp();
  }

  /// Sums of many small terms in FP32 lose digits: after some hundreds they go to a second sum.
  __device__ void add_to_total() {
    total_.x += force_.x;
    total_.y += force_.y;
    total_.z += force_.z;
    total_.potential += force_.potential;
    force_ = {};
  }

  __device__ float offset(double x, double centre) const { return static_cast<float>((x - centre) * a_.per_length); }
  __device__ Float4 offset_of(const Double4& p) const {
    return {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z), 0};
  }
  /// What FP32 took from the offset of a position.
  __device__ Float4 residual_of(const Double4& p, const Float4& rounded) const {
    return {static_cast<float>((p.x - box_.centre.x) * a_.per_length - rounded.x),
            static_cast<float>((p.y - box_.centre.y) * a_.per_length - rounded.y),
            static_cast<float>((p.z - box_.centre.z) * a_.per_length - rounded.z), 0};
  }

  __device__ double middle(double x, double origin, float& half) const {
    const float d = offset(x, origin), low = reduce_min(d), high = reduce_max(d);
    half = 0.5F * (high - low) * target_margin;
    return origin + 0.5F * (low + high) * a_.length;
  }

  /// Every lane gets the sum of all lanes' local expansions.
  __device__ void sum_local_over_lanes() {
    for_terms<terms>([&](auto i) { memory_.local[lane_][i] = local_[i]; });
    __syncwarp();
    for (int i = lane_; i < terms; i += warp_size) {
      float sum[4] = {0, 0, 0, 0};
      for (int row = 0; row < warp_size; row += 4)
        for (int k = 0; k < 4; ++k) sum[k] += memory_.local[row + k][i];
      memory_.local[0][i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    __syncwarp();
    for_terms<terms>([&](auto i) { local_[i] = memory_.local[0][i]; });
    __syncwarp();
  }

  __device__ void add_parent_expansion(std::uint32_t parent) {
    const float* const from = a_.local + std::size_t{parent} * local_stride(order);
    const CellGeometry& above = a_.data.own_tree.geometry[a_.targets.cell[parent]];
    const Double3 centre = above.centre_of_mass;
    add_parent_local<order>([&](auto i) { return from[i]; }, expansion_unit(above.radius), offset(box_.centre.x, centre.x),
                            offset(box_.centre.y, centre.y), offset(box_.centre.z, centre.z), unit_, local_);
  }

  __device__ void add_work(GroupWork& out) const {
    const GroupWork before = a_.mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + work_.particle_particle, before.cell_particle + work_.cell_particle,
           before.opening_tests + work_.opening_tests, before.cell_cell + work_.cell_cell};
  }

  const DualArguments& a_;
  const Softening& softening_;
  Memory& memory_;
  Float4 (&rest_)[warp_size];  ///< what rounding took from each target's offset
  int lane_;
  std::uint32_t first_ = 0, target_count_ = 0;
  TargetBox box_{};
  float unit_ = 1;  ///< of the local expansion
  float x_ = 0, y_ = 0, z_ = 0;
  Force<float> force_, total_;
  float local_[terms];  ///< this lane's share of the local expansion, until it is summed over the warp
  GroupWork work_;
};

}  // namespace grove::dual_walk
