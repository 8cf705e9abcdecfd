// The sums that a warp of the walk of `fmm` makes for its target: the local expansion and, for groups, the force on the target of each
// lane.
#pragma once

#include <cuda_pipeline.h>

#include <bit>

#include "kernels/gravity/interaction.hpp"
#include "kernels/gravity/local_expansion.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/space/read_now.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/fmm_walk_cuda.hpp"
#include "kernels/walks/fmm_walk_memory.cuh"

namespace grove::fmm_walk {

/// In group radii. For pairs farther apart than this, rounding two offsets to FP32 hardly changes the force
/// (docs/development/constants.md). Forces of closer pairs are computed from their positions in FP64.
inline constexpr float close_distance = 1.0F / 64;
/// Scaled, and larger than the distance of NewtonKernel::smallest(). Pairs closer than this count as close in groups of any size.
inline constexpr float least_close_distance = 2e-12F;

/// Offset of sources that must not act. Their force is zero in FP32, their potential is negligible, and the square of the distance does not
/// overflow.
inline constexpr float far_away = 1e18F;

/// Which targets of a group have lanes, and whether all particles have one mass. Kernels for cells do not use it.
enum class GroupKind {
  all_targets,
  all_targets_of_one_mass,  ///< forces are summed in units of FmmArguments::common_mass: a pair takes an instruction less
  active_targets            ///< see TargetForces::take_active_targets()
};

template <int order, class Softening, class Team, GroupKind kind>
class TargetForces {
  static constexpr bool common = kind == GroupKind::all_targets_of_one_mass, some = kind == GroupKind::active_targets;

 public:
  using Terms = ExpansionTerms<order, Softening>;
  using Memory = SourceMemory<Terms>;

  __device__ TargetForces(const FmmArguments& a, const Softening& softening, const Team& team, Memory& memory)
      : a_(a), softening_(softening), team_(team), memory_(memory), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ const TargetBox& box() const { return box_; }

  /// Expansions of target cells are about their centre of mass.
  __device__ void load_cell(std::uint32_t target) {
    clear();
    const std::uint32_t cell = a_.targets.cell[target];
    const CellGeometry& g = a_.data.own_tree.geometry[cell];
    box_.centre = g.centre_of_mass;
    box_.radius = g.radius;
    box_.least_acceleration = a_.data.least_acceleration[cell];
    unit_ = expansion_unit(box_.radius);
  }

  /// Expansions of groups are about the centre of their bounding box. Lanes without a target repeat the first target. Where some targets
  /// are active, only these get lanes.
  __device__ void load_group(std::uint32_t group) {
    clear();
    first_ = a_.targets.group_start[group];
    target_count_ = a_.targets.group_start[group + 1] - first_;
    const std::uint32_t i = lane_ < static_cast<int>(target_count_) ? first_ + lane_ : first_;
    const Double4 origin = a_.data.particles[first_], p = a_.data.particles[i];
    box_.centre = {middle(p.x, origin.x, box_.half_size[0]), middle(p.y, origin.y, box_.half_size[1]),
                   middle(p.z, origin.z, box_.half_size[2])};
    x_ = offset(p.x, box_.centre.x);
    y_ = offset(p.y, box_.centre.y);
    z_ = offset(p.z, box_.centre.z);
    // If a group is narrow compared with its distance from the origin, rounding of the centre can put targets outside the box.
    box_.half_size[0] = larger(box_.half_size[0], reduce_max(fabsf(x_)));
    box_.half_size[1] = larger(box_.half_size[1], reduce_max(fabsf(y_)));
    box_.half_size[2] = larger(box_.half_size[2], reduce_max(fabsf(z_)));
    box_.radius = target_margin * sqrtf(reduce_max(x_ * x_ + y_ * y_ + z_ * z_));
    box_.least_acceleration = a_.data.group_least_acceleration[group];
    unit_ = expansion_unit(box_.radius);
    if constexpr (some) take_active_targets(group);
  }

  /// M2L of up to 32 cells, one in each lane.
  __device__ void add_cells_to_local(const std::uint32_t* cells, std::uint32_t count) {
    const bool active = lane_ < static_cast<int>(count);
    // Before the moments, so that the warp waits once for both.
    const CellPlace g = read_now<CellPlace>(a_.sources.geometry + cells[active ? lane_ : 0]);
    stage_moments(cells, count);
    const float x = -offset(g.centre_of_mass.x, box_.centre.x), y = -offset(g.centre_of_mass.y, box_.centre.y),
                z = -offset(g.centre_of_mass.z, box_.centre.z), mass = g.mass, cell_unit = expansion_unit(g.radius);
    __pipeline_wait_prior(0);
    __syncwarp();
    if (active) {
      const float4* const moments = memory_.moments[lane_];
      const auto moment = [&](auto k) {
        constexpr int i = k - implied_terms;
        const float4 word = moments[i / 4];
        return i % 4 == 0 ? word.x : i % 4 == 1 ? word.y : i % 4 == 2 ? word.z : word.w;
      };
      add_cell_to_local<Terms>(softening_, x, y, z, mass, moment, cell_unit, unit_, local_);
    }
    work_.cell_cell += count;
    __syncwarp();
  }

  /// M2P of up to 32 cells, each of which acts on all targets.
  __device__ void evaluate_cells(const std::uint32_t* cells, std::uint32_t count) {
    if (lane_ < static_cast<int>(count)) memory_.cell[lane_] = cell_source<Terms>(a_.sources, cells[lane_], box_.centre, a_.units);
    __syncwarp();
#pragma unroll 1
    for (std::uint32_t k = share(); k < count; k += shares()) add_cell(softening_, memory_.cell[k], x_, y_, z_, force_);
    work_.cell_particle += count;
    add_to_total(1);
    __syncwarp();
  }

  /// P2P of the particles of up to 32 leaves, each given by its first particle and number of particles.
  __device__ void evaluate_leaves(const uint2* leaves, std::uint32_t count) {
    const uint2 leaf = lane_ < static_cast<int>(count) ? leaves[lane_] : make_uint2(0, 0);
    const ConcatenatedRanges ranges(leaf.y, leaf.x, lane_);
    const std::uint32_t size = ranges.size();
    // While the forces of 32 particles are summed, the next 32 are loaded. Each kind of work appears only once in the loop: see
    // fmm_walk_warp.cuh.
    Fetched next{};
    std::uint32_t near_count = 0;
    for (std::uint32_t ahead = 0; ahead < size + warp_size || near_count > 0; ahead += warp_size) {
      const bool is_one_there = ahead > 0 && ahead < size + warp_size;
      if (is_one_there) put(next, ahead - warp_size + lane_ < size, near_count);
      if (ahead < size) next = fetch(ranges, ahead);
      if (is_one_there) sum_apart(smaller(size + warp_size - ahead, std::uint32_t{warp_size}));
      if (near_count >= (ahead < size ? warp_size : 1)) sum_near(near_count);
      if (ahead % sources_per_block == 0) add_to_total(unit_mass());
    }
    work_.particle_particle += size;
    add_to_total(unit_mass());
  }

  /// One bit for each target among the particles [first, first + count). No bits are set unless all of these particles are targets with
  /// lanes.
  __device__ std::uint32_t own_bits(std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t begin = first - first_;
    if (a_.mode != WalkMode::own_tree || begin >= target_count_ || begin + count > target_count_) return 0;
    return (all_lanes >> (warp_size - count)) << begin;
  }

  /// P2P of the targets in `bits` on all targets.
  __device__ void evaluate_own(std::uint32_t bits) {
    if (bits == 0) return;
    const bool included = (bits >> lane_ & 1) != 0;
    const Float4 source = {x_, y_, z_, included ? scaled_mass(a_.data.particles[first_ + lane_].w) : 0.0F};
    memory_.particle.offset[lane_] = source;
    __syncwarp();
    if (lane_ < static_cast<int>(target_count_)) memory_.particle.offset[target_count_ + lane_] = source;
    memory_.particle.index[lane_] = first_ + lane_;
    __syncwarp();
    // Each lane omits its own target, so at any time the lanes read different ones. Lanes without a target repeat the first.
    const std::uint32_t self = lane_ < static_cast<int>(target_count_) ? lane_ : 0;
    if (!sum_unless_close<false>(memory_.particle.offset + self, 1, target_count_)) sum_close_particles(target_count_);
    work_.particle_particle += __popc(bits);
    add_to_total(unit_mass());
  }

  /// Ends the sums over sources. Afterwards all lanes have the local expansion, and the first warp of a team has the sums and the own bits
  /// of all warps. `memory_of(k)` is the memory of warp k. All warps of the team call it together.
  template <class MemoryOf>
  __device__ void join(std::uint32_t& own, MemoryOf memory_of) {
    sum_local_over_lanes();
    if constexpr (Team::warps > 1) {
      TeamShare<terms>& mine = memory_.share;
      for_terms<terms>([&](auto i) {
        if (lane_ == i % warp_size) mine.local[i] = local_[i];
      });
      mine.force[lane_] = total_;
      if (lane_ == 0) mine.work = work_;
      if (lane_ == 0) mine.own = own;
      team_.sync();
      if (team_.is_first()) {
#pragma unroll 1
        for (int k = 1; k < Team::warps; ++k) add_share(memory_of(k).share, own);
      }
      team_.sync();
    }
  }

  /// Writes the forces on a group.
  __device__ void finish_group(std::uint32_t group, bool has_parent, std::uint32_t parent) {
    if constexpr (some) sum_over_shares();
    Double3 centre = box_.centre;
    float unit = unit_;
    // The expansion of the cell above is evaluated directly at the particles. It need not be shifted to the group's centre.
#pragma unroll 1
    for (bool above = false;; above = true) {
      add_local_force<Terms>([&](auto i) { return local_[i]; }, unit, x_ + offset(box_.centre.x, centre.x),
                             y_ + offset(box_.centre.y, centre.y), z_ + offset(box_.centre.z, centre.z), total_);
      if (above || !has_parent) break;
      const CellGeometry& g = a_.data.own_tree.geometry[a_.targets.cell[parent]];
      centre = g.centre_of_mass;
      unit = expansion_unit(g.radius);
      load_local(parent, local_);
    }
    const int count = some ? lane_targets_ : static_cast<int>(target_count_);
    if (lane_ < count) store_force(total_, a_.units, a_.mode, a_.data.acceleration[self()]);
    if (lane_ == 0) store_work(work_, a_.mode, a_.data.work[group]);
  }

  /// Writes a target cell's local expansion, including that of the target cell above.
  __device__ void finish_cell(std::uint32_t target, bool has_parent, std::uint32_t parent) {
    if (has_parent) add_parent_expansion(parent);
    float* const out = a_.local + std::size_t{target} * local_stride(Terms::form);
    for_terms<terms>([&](auto i) {
      if (lane_ == i % warp_size) out[i] = local_[i];
    });
    if (lane_ == 0) store_work(work_, a_.mode, a_.cell_work[target]);
  }

  __device__ void count_tests(std::uint32_t tests) { work_.opening_tests += tests; }

 private:
  /// Starts to copy the moments of up to 32 cells to shared memory, one 16-byte word in each lane. The number of lanes for each row is a
  /// power of two, some of which may do nothing. So a lane has the same position in its row in all rounds, and its addresses differ by
  /// constants.
  __device__ void stage_moments(const std::uint32_t* cells, std::uint32_t count) {
    constexpr int words = Memory::words, lanes_a_row = static_cast<int>(std::bit_ceil(static_cast<unsigned>(words)));
    constexpr int rows = warp_size / lanes_a_row;
    const int word = lane_ % lanes_a_row, first_row = lane_ / lanes_a_row;
    const auto* const from = reinterpret_cast<const float4*>(a_.sources.multipole) + word;
    float4* const to = &memory_.moments[first_row][word];
#pragma unroll
    for (int row = 0; row < warp_size; row += rows) {
      if (word < words && first_row + row < static_cast<int>(count))
        copy_async_by_way_of_l1(to + row * (words | 1), from + std::size_t{cells[first_row + row]} * words);
    }
    __pipeline_commit();
  }

  static constexpr int terms = Terms::count;

  // If some targets of a group are not active, or if it has at most 16, the warp is divided into sets of 8, 16 or 32 lanes. Every set has
  // all active targets, and sums its share of the sources. target_count_ is then 0, and the group's own particles are sources like others.
  static constexpr int fewest_bits = 3, all_lanes_bits = 5;

  __device__ void take_active_targets(std::uint32_t group) {
    const unsigned active =
        __ballot_sync(all_lanes, first_ + lane_ < a_.targets.group_start[group + 1] && a_.data.active.wants(first_ + lane_));
    lane_targets_ = __popc(active);
    set_bits_ = all_lanes_bits;
    self_ = first_ + smaller(static_cast<std::uint32_t>(lane_), target_count_ - 1);
    if (lane_targets_ == static_cast<int>(target_count_) && lane_targets_ > warp_size / 2) return;
    target_count_ = 0;
    set_bits_ = larger(fewest_bits, warp_size - __clz(lane_targets_ - 1));
    const int place = lane_ & ((1 << set_bits_) - 1);
    const unsigned from = __fns(active, 0, place < lane_targets_ ? place + 1 : 1);
    x_ = __shfl_sync(all_lanes, x_, from);
    y_ = __shfl_sync(all_lanes, y_, from);
    z_ = __shfl_sync(all_lanes, z_, from);
    self_ = first_ + from;
  }
  /// The target of this lane.
  __device__ std::uint32_t self() const { return some ? self_ : first_ + smaller(static_cast<std::uint32_t>(lane_), target_count_ - 1); }
  __device__ std::uint32_t share() const { return some ? static_cast<std::uint32_t>(lane_) >> set_bits_ : 0; }
  __device__ std::uint32_t shares() const { return some ? std::uint32_t{warp_size} >> set_bits_ : 1; }
  __device__ void sum_over_shares() {
#pragma unroll 1
    for (int d = 1 << set_bits_; d < warp_size; d *= 2) {
      total_.x += __shfl_xor_sync(all_lanes, total_.x, d);
      total_.y += __shfl_xor_sync(all_lanes, total_.y, d);
      total_.z += __shfl_xor_sync(all_lanes, total_.z, d);
      total_.potential += __shfl_xor_sync(all_lanes, total_.potential, d);
    }
  }

  __device__ void clear() {
    work_ = {};
    force_ = {};
    total_ = {};
    for_terms<terms>([&](auto i) { local_[i] = 0; });
  }

  /// A source particle that is being loaded.
  struct Fetched {
    Double4 position;
    std::uint32_t index;
  };

  /// This lane's particle of the 32 from index `base` on; the last particle for an index past the end.
  __device__ Fetched fetch(const ConcatenatedRanges& ranges, std::uint32_t base) const {
    const std::uint32_t index = ranges.at_lane(base, lane_);
    return {a_.sources.particles[index], index};
  }

  /// Writes 32 particles to shared memory, one from each lane with `counts`. Those that may be close to a target wait for sum_near().
  __device__ void put(const Fetched& source, bool counts, std::uint32_t& near_count) {
    const Float4 s = scaled(source.position);
    const float margin = close_to_targets();
    const bool is_near = counts && fabsf(s.x) <= box_.half_size[0] + margin && fabsf(s.y) <= box_.half_size[1] + margin &&
                         fabsf(s.z) <= box_.half_size[2] + margin;
    write_apart(counts && !is_near ? s : Float4{far_away, 0, 0, 0});
    const unsigned mask = __ballot_sync(all_lanes, is_near);
    if (is_near) memory_.particle.near[near_count + __popc(mask & ((1U << lane_) - 1))] = source.index;
    near_count += __popc(mask);
    __syncwarp();
  }
  __device__ Float4 scaled(const Double4& p) const {
    return {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z), scaled_mass(p.w)};
  }
  __device__ float scaled_mass(double mass) const { return common ? 1.0F : static_cast<float>(mass * a_.units.per_mass); }
  /// The unit of these masses.
  __device__ float unit_mass() const { return common ? a_.common_mass : 1.0F; }

  /// Writes a source for sum_apart().
  __device__ void write_apart(const Float4& s) {
    if constexpr (common) {
      memory_.particle.without_mass[0][lane_] = s.x;
      memory_.particle.without_mass[1][lane_] = s.y;
      memory_.particle.without_mass[2][lane_] = s.z;
    } else {
      memory_.particle.offset[lane_] = s;
    }
  }
  /// Adds the forces of `count` particles, none of which is close to a target. Most of the time is spent here.
  __device__ void sum_apart(std::uint32_t count) {
    // Several at a time. Particles past the last do not act; a second loop for the remainder would take space in the instruction cache.
    constexpr int at_once = common ? 4 : 8;
#pragma unroll 1
    for (std::uint32_t k = at_once * share(); k < count; k += at_once * shares()) {
      if constexpr (common) {
        const auto four = [&](int axis) { return *reinterpret_cast<const Float4*>(memory_.particle.without_mass[axis] + k); };
        const Float4 x = four(0), y = four(1), z = four(2);
        add_unit_mass(x.x, y.x, z.x);
        add_unit_mass(x.y, y.y, z.y);
        add_unit_mass(x.z, y.z, z.z);
        add_unit_mass(x.w, y.w, z.w);
      } else {
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          const Float4 s = memory_.particle.offset[k + j];
          const float dx = s.x - x_, dy = s.y - y_, dz = s.z - z_;
          add_particle_at<true>(softening_, dx, dy, dz, softening_.squared(dx, dy, dz), s.w, force_);
        }
      }
    }
    __syncwarp();
  }
  __device__ void add_unit_mass(float x, float y, float z) {
    const float dx = x - x_, dy = y - y_, dz = z - z_;
    add_particle_at<true>(softening_, dx, dy, dz, softening_.squared(dx, dy, dz), 1.0F, force_);
  }

  /// Adds the forces of up to 32 of the particles that may be close to a target.
  __device__ void sum_near(std::uint32_t& near_count) {
    const std::uint32_t count = smaller(near_count, std::uint32_t{warp_size});
    near_count -= count;
    if (lane_ < static_cast<int>(count)) {
      const std::uint32_t index = memory_.particle.near[near_count + lane_];
      memory_.particle.offset[lane_] = scaled(a_.sources.particles[index]);
      memory_.particle.index[lane_] = index;
    }
    __syncwarp();
    if (!sum_unless_close<true>(memory_.particle.offset, 0, count)) sum_close_particles(count);
  }

  /// Adds the forces of the particles source[begin] to source[end - 1] in shared memory, and returns true. If one of them is so close to a
  /// target that rounding of offsets would matter, adds nothing and returns false. `meets_itself`: targets may be among these particles.
  template <bool meets_itself>
  __device__ bool sum_unless_close(const Float4* source, std::uint32_t begin, std::uint32_t end) {
    const Force<float> before = force_;
    float closest2 = 3e38F;
#pragma unroll 1
    for (std::uint32_t k = begin + share(); k < end; k += shares()) {
      const Float4 s = source[k];
      const float dx = s.x - x_, dy = s.y - y_, dz = s.z - z_, r2 = softening_.squared(dx, dy, dz);
      // The softened distance shows how much rounding matters. It does not show whether a target meets itself, at distance zero.
      closest2 = fminf(closest2, meets_itself ? dx * dx + dy * dy + dz * dz : r2);
      add_particle_at<true>(softening_, dx, dy, dz, r2, s.w, force_);
    }
    const bool rounded = __any_sync(all_lanes, closest2 <= close_r2());
    if (rounded) force_ = before;
    __syncwarp();
    return !rounded;
  }

  /// Adds the forces of `count` particles. For those close to a target, differences of positions are in FP64. No target acts on itself.
  __device__ void sum_close_particles(std::uint32_t count) {
    const Double4 own = a_.data.particles[self()];
#pragma unroll 1
    for (std::uint32_t first = 0; first < count; first += shares()) {
      const std::uint32_t k = smaller(first + share(), count - 1);
      const Float4 source = memory_.particle.offset[k];
      float dx = source.x - x_, dy = source.y - y_, dz = source.z - z_, mass = first + share() < count ? source.w : 0;
      // Not the softened distance, because a target meets itself at distance zero.
      if (__any_sync(all_lanes, dx * dx + dy * dy + dz * dz <= close_r2())) {
        const std::uint32_t index = memory_.particle.index[k];
        const Double4 s = a_.sources.particles[index];
        dx = a_.units.close_offset(s.x, own.x), dy = a_.units.close_offset(s.y, own.y), dz = a_.units.close_offset(s.z, own.z);
        if (a_.mode == WalkMode::own_tree && index == self()) mass = 0;
      }
      // In units of one mass of all, 1 / r^2 might not fit where the force does.
      add_close_particle(softening_, dx, dy, dz, mass * unit_mass(), common ? total_ : force_);
    }
    __syncwarp();
  }

  /// The distance from a target at which a particle is close, and its square.
  __device__ float close_to_targets() const { return larger(box_.radius * close_distance, least_close_distance); }
  __device__ float close_r2() const { return close_to_targets() * close_to_targets(); }

  /// Sums of many small terms in FP32 lose digits. So after some hundreds of terms, they are added to a second sum.
  __device__ void add_to_total(float unit_mass) {
    total_.x += unit_mass * force_.x;
    total_.y += unit_mass * force_.y;
    total_.z += unit_mass * force_.z;
    total_.potential += unit_mass * force_.potential;
    force_ = {};
  }

  __device__ float offset(double x, double centre) const { return a_.units.offset(x, centre); }
  __device__ double middle(double x, double origin, float& half) const {
    const float d = offset(x, origin), low = reduce_min(d), high = reduce_max(d);
    half = 0.5F * (high - low) * target_margin;
    return origin + 0.5F * (low + high) * a_.units.length;
  }

  /// Every lane gets the sum of the local expansions of all lanes.
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

  __device__ void add_share(const TeamShare<terms>& share, std::uint32_t& own) {
    for_terms<terms>([&](auto i) { local_[i] += share.local[i]; });
    const Force<float> force = share.force[lane_];
    total_.x += force.x;
    total_.y += force.y;
    total_.z += force.z;
    total_.potential += force.potential;
    work_ = work_ + share.work;
    own |= share.own;
  }

  /// Loads the local expansion of a target cell.
  __device__ void load_local(std::uint32_t target, float (&local)[terms]) const {
    const auto* const from = reinterpret_cast<const Float4*>(a_.local + std::size_t{target} * local_stride(Terms::form));
    for_terms<local_stride(Terms::form) / 4>([&](auto w) {
      const Float4 word = from[w];
      for_terms<4>([&](auto k) {
        if constexpr (4 * w + k < terms) local[4 * w + k] = k == 0 ? word.x : k == 1 ? word.y : k == 2 ? word.z : word.w;
      });
    });
  }

  __device__ void add_parent_expansion(std::uint32_t parent) {
    float from[terms];
    load_local(parent, from);
    const CellGeometry& above = a_.data.own_tree.geometry[a_.targets.cell[parent]];
    const Double3 centre = above.centre_of_mass;
    add_parent_local<Terms>([&](auto i) { return from[i]; }, expansion_unit(above.radius), offset(box_.centre.x, centre.x),
                            offset(box_.centre.y, centre.y), offset(box_.centre.z, centre.z), unit_, local_);
  }

  const FmmArguments& a_;
  const Softening& softening_;
  const Team team_;
  Memory& memory_;
  int lane_;
  std::uint32_t first_ = 0, target_count_ = 0;  ///< the targets of a group; none where sets of lanes share the sources
  std::uint32_t self_ = 0;                      ///< the target of this lane
  int lane_targets_ = 0;                        ///< active targets of the group
  int set_bits_ = all_lanes_bits;               ///< a set has 2^set_bits_ lanes
  TargetBox box_{};
  float unit_ = 1;  ///< of the local expansion
  float x_ = 0, y_ = 0, z_ = 0;
  Force<float> force_, total_;
  float local_[terms];  ///< this lane's part of the local expansion, until it is summed over the warp
  GroupWork work_;
};

}  // namespace grove::fmm_walk
