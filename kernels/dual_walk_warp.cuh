// The dual walk on the GPU: one warp for each target cell, then one warp for each group.
//
// As in the group walk, pending source cells lie on a stack in global memory and lanes test 32 of them at a time. What is accepted waits in
// queues in shared memory until there are 32: cells go into the local expansion one in each lane; leaves are strung together to particles
// that meet the group's targets, one target in each lane. The loop has one place for each kind of work, so that the code of a kernel stays
// small enough for the instruction cache. What a target cell hands down is collected by its warp and then copied to the common list memory.
//
// Target cells of all levels are in one launch. Warps take them in order, a cell after the one above it, and wait for that one's list.
#pragma once

#include <cuda_pipeline.h>

#include <cuda/atomic>

#include "kernels/dual_walk_cuda.hpp"
#include "kernels/gravity_dispatch.hpp"
#include "kernels/interaction.hpp"
#include "kernels/warp.cuh"

namespace grove {

namespace dual_walk {

// A multipole at each target costs more than a leaf of so few particles.
inline constexpr std::uint32_t few_particles = 3;
// On the stack: cells that must not go into the local expansion.
inline constexpr std::uint32_t spoiled_bit = 1U << 31;

/// A queue in shared memory; 32 entries are taken out whenever there are as many, so that 32 more always fit.
template <class T>
struct Queue {
  T entry[2 * warp_size];
};

/// One warp's part of shared memory.
template <int order>
struct WarpMemory {
  static constexpr int terms = term_count(order), words = multipole_stride(order) / 4;
  // Used one after the other.
  union {
    // Rows of an odd number of 16-byte words: lanes that read their rows 16 bytes at a time meet no bank conflicts.
    float4 moments[warp_size][words | 1];
    float local[warp_size][terms | 1];
    CellSource cell[warp_size];
    struct {
      Float4 particle[warp_size];
      std::uint32_t own_index[warp_size];
    };
  };
  Queue<std::uint32_t> accepted;  ///< cells for the local expansion
  Queue<std::uint32_t> direct;    ///< cells for each target
  Queue<uint2> leaves;            ///< first particle and number of particles
};

template <int order, class Opening, class Softening, bool at_group>
class TargetWalk {
 public:
  using Memory = WarpMemory<order>;

  __device__ TargetWalk(const DualArguments& a, const Opening& opening, const Softening& softening, Memory& memory, int warp)
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
    const bool has_parent = parent != no_parent && parent >= a_.first_level_cell;
    begin_list(has_parent, parent);
    walk();
    sum_local_over_lanes();
    if (has_parent) add_parent_expansion(parent);
    if constexpr (at_group)
      store_group(item);
    else
      store_cell(item);
  }

 private:
  static constexpr int terms = term_count(order), stored_moments = multipole_stride(order);

  __device__ void clear() {
    accepted_count_ = direct_count_ = leaf_count_ = collected_count_ = 0;
    work_ = {};
    force_ = {};
    total_ = {};
    for_terms<terms>([&](auto i) { local_[i] = 0; });
  }

  /// The cells to start from: those that the parent handed down, or the roots.
  __device__ void begin_list(bool has_parent, std::uint32_t parent) {
    list_ = a_.sources.roots;
    list_next_ = 0;
    list_end_ = a_.sources.root_count;
    if (has_parent) {
      const std::uint64_t range = at_group ? a_.list_range[parent] : wait_for_list(parent);
      list_ = a_.lists;
      list_next_ = static_cast<std::uint32_t>(range);
      list_end_ = static_cast<std::uint32_t>(range >> 32);
    }
    top_ = 0;
  }

  /// The list of a target cell that another warp, or this one, has taken before.
  __device__ std::uint64_t wait_for_list(std::uint32_t target) const {
    std::uint64_t range = not_ready;
    if (lane_ == 0) {
      const cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> ready(a_.list_range[target]);
      while ((range = ready.load(cuda::memory_order_acquire)) == not_ready) __nanosleep(100);
    }
    return __shfl_sync(all_lanes, range, 0);
  }

  /// Tests all cells of the list and all that is opened on the way, and does what follows from it.
  __device__ void walk() {
    for (bool more = list_next_ < list_end_;;) {
      const std::uint32_t enough = more ? warp_size : 1;
      if (accepted_count_ >= enough) {
        add_cells_to_local();
      } else if (at_group && direct_count_ >= enough) {
        evaluate_cells();
      } else if (at_group && leaf_count_ >= enough) {
        evaluate_leaves();
      } else if (more) {
        test_next();
        more = top_ > 0 || list_next_ < list_end_;
      } else {
        return;
      }
    }
  }

  /// Takes up to 32 pending cells, one a lane.
  __device__ void test_next() {
    const bool from_stack = top_ > 0;
    const std::uint32_t taken = smaller(from_stack ? top_ : list_end_ - list_next_, std::uint32_t{warp_size});
    const bool active = lane_ < static_cast<int>(taken);
    std::uint32_t cell = 0;
    if (from_stack) {
      top_ -= taken;
      if (active) cell = stack_[top_ + lane_];
    } else {
      if (active) cell = list_ ? list_[list_next_ + lane_] : list_next_ + lane_;
      list_next_ += taken;
    }
    __syncwarp();
    work_.opening_tests += taken;
    test(active, cell);
  }

  /// Tests one entry a lane and sends each cell where it belongs.
  __device__ void test(bool active, std::uint32_t entry) {
    const std::uint32_t cell = entry & ~spoiled_bit;
    std::uint32_t spoiled = entry & spoiled_bit;
    bool into_local = false, at_targets = false, handed_down = false, has_children = false, is_leaf = false;
    CellLinks links{};
    if (active) {
      const CellGeometry& g = a_.sources.geometry[cell];
      links = a_.sources.links[cell];
      if (g.mass > 0) {
        if (!spoiled) {
          const LocalVerdict verdict = judge_local<order>(opening_, g, box_, a_.per_length, a_.support);
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
    queue(into_local, cell, memory_.accepted, accepted_count_);
    if (__any_sync(all_lanes, has_children)) push_children(has_children ? links.child_count : 0, links.first_child | spoiled);
    if constexpr (at_group) {
      queue(at_targets, cell, memory_.direct, direct_count_);
      queue(is_leaf, make_uint2(links.first_particle, links.particle_count), memory_.leaves, leaf_count_);
    } else {
      collect(handed_down, cell);
    }
    __syncwarp();
  }

  /// Appends the entries of the lanes that say so.
  template <class T>
  __device__ void queue(bool wanted, const T& entry, Queue<T>& entries, std::uint32_t& count) {
    const unsigned mask = __ballot_sync(all_lanes, wanted);
    if (wanted) entries.entry[count + __popc(mask & ((1U << lane_) - 1))] = entry;
    count += __popc(mask);
  }

  /// Takes the last entries out of a queue: where they begin, and how many they are.
  __device__ static uint2 take(std::uint32_t& count) {
    const std::uint32_t taken = smaller(count, std::uint32_t{warp_size});
    count -= taken;
    return make_uint2(count, taken);
  }

  __device__ void push_children(std::uint32_t count, std::uint32_t first) {
    const std::uint32_t end = inclusive_scan(count, lane_);
    for (std::uint32_t k = 0; k < count; ++k) stack_[top_ + end - count + k] = first + k;
    top_ += __shfl_sync(all_lanes, end, warp_size - 1);
  }

  __device__ void collect(bool handed_down, std::uint32_t cell) {
    const unsigned mask = __ballot_sync(all_lanes, handed_down);
    const std::uint32_t at = collected_count_ + __popc(mask & ((1U << lane_) - 1));
    if (handed_down && at < a_.collected_capacity) collected_[at] = cell;
    collected_count_ += __popc(mask);
  }

  /// M2L of queued cells, one a lane.
  __device__ void add_cells_to_local() {
    const uint2 taken = take(accepted_count_);
    const std::uint32_t* const cells = memory_.accepted.entry + taken.x;
    constexpr int words = Memory::words;
    for (int i = lane_; i < static_cast<int>(taken.y) * words; i += warp_size)
      __pipeline_memcpy_async(&memory_.moments[i / words][i % words],
                              a_.sources.multipole + std::size_t{cells[i / words]} * stored_moments + 4 * (i % words), sizeof(float4));
    __pipeline_commit();
    const bool active = lane_ < static_cast<int>(taken.y);
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
    work_.cell_cell += taken.y;
    __syncwarp();
  }

  /// M2P of queued cells, all at each target.
  __device__ void evaluate_cells() {
    const uint2 taken = take(direct_count_);
    if (lane_ < static_cast<int>(taken.y)) {
      const std::uint32_t cell = memory_.direct.entry[taken.x + lane_];
      const CellGeometry& g = a_.sources.geometry[cell];
      memory_.cell[lane_] = make_cell_source(offset(g.centre_of_mass.x, box_.centre.x), offset(g.centre_of_mass.y, box_.centre.y),
                                             offset(g.centre_of_mass.z, box_.centre.z), g.mass,
                                             a_.sources.multipole + std::size_t{cell} * stored_moments, expansion_unit(g.radius));
    }
    __syncwarp();
    for (std::uint32_t k = 0; k < taken.y; ++k) add_cell(softening_, memory_.cell[k], x_, y_, z_, force_);
    work_.cell_particle += taken.y;
    add_to_total();
    __syncwarp();
  }

  /// P2P of the particles of queued leaves.
  __device__ void evaluate_leaves() {
    const uint2 taken = take(leaf_count_);
    const bool active = lane_ < static_cast<int>(taken.y);
    const uint2 leaf = active ? memory_.leaves.entry[taken.x + lane_] : make_uint2(0, 0);
    const StrungRanges ranges(leaf.y, leaf.x, lane_);
    const std::uint32_t size = ranges.size();
    for (std::uint32_t base = 0; base < size; base += warp_size) {
      load_particle(ranges.at(base + lane_), base + lane_ < size);
      sum_particles(smaller(size - base, std::uint32_t{warp_size}));
      if (base % sources_per_block == sources_per_block - warp_size) add_to_total();
    }
    work_.particle_particle += size;
    add_to_total();
  }

  __device__ void load_particle(std::uint32_t particle, bool active) {
    if (active) {
      const Double4 p = a_.sources.particles[particle];
      memory_.particle[lane_] = {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z),
                                 static_cast<float>(p.w * a_.per_mass)};
      // Softened, a particle would add its own potential to itself.
      if constexpr (!Softening::zero_at_zero)
        memory_.own_index[lane_] = a_.mode == WalkMode::own_tree ? particle - first_ : ~std::uint32_t{0};
    }
    __syncwarp();
  }

  __device__ void sum_particles(std::uint32_t count) {
#pragma unroll 8
    for (std::uint32_t k = 0; k < count; ++k) {
      const Float4 s = memory_.particle[k];
      float mass = s.w;
      if constexpr (!Softening::zero_at_zero) mass = memory_.own_index[k] == static_cast<std::uint32_t>(lane_) ? 0.0F : mass;
      add_particle(softening_, s.x, s.y, s.z, mass, x_, y_, z_, force_);
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

  __device__ void store_cell(std::uint32_t target) {
    float* const out = a_.local + std::size_t{target} * local_stride(order);
    for_terms<terms>([&](auto i) {
      if (lane_ == i % warp_size) out[i] = local_[i];
    });
    std::uint32_t begin = 0;
    if (lane_ == 0) {
      begin = atomicAdd(&a_.status->used, collected_count_);
      atomicMax(&a_.status->longest_list, collected_count_);
      add_work(a_.cell_work[target]);
    }
    begin = __shfl_sync(all_lanes, begin, 0);
    __syncwarp();
    // When memory is short the host sees it in `status`, and walks again with more.
    const bool fits = collected_count_ <= a_.collected_capacity && std::uint64_t{begin} + collected_count_ <= a_.list_capacity;
    for (std::uint32_t i = lane_; fits && i < collected_count_; i += warp_size) a_.lists[begin + i] = collected_[i];
    __syncwarp();
    if (lane_ == 0) {
      const std::uint64_t range = fits ? std::uint64_t{begin} | (std::uint64_t{begin} + collected_count_) << 32 : 0;
      cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>(a_.list_range[target]).store(range, cuda::memory_order_release);
    }
  }

  __device__ void add_work(GroupWork& out) const {
    const GroupWork before = a_.mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + work_.particle_particle, before.cell_particle + work_.cell_particle,
           before.opening_tests + work_.opening_tests, before.cell_cell + work_.cell_cell};
  }

  const DualArguments& a_;
  const Opening& opening_;
  const Softening& softening_;
  Memory& memory_;
  std::uint32_t* stack_;
  std::uint32_t* collected_;
  int lane_;
  const std::uint32_t* list_ = nullptr;  ///< null: cell numbers themselves
  std::uint32_t list_next_ = 0, list_end_ = 0, top_ = 0;
  std::uint32_t first_ = 0, target_count_ = 0;
  TargetBox box_{};
  float unit_ = 1;  ///< of the local expansion
  float x_ = 0, y_ = 0, z_ = 0;
  Force<float> force_, total_;
  float local_[terms];  ///< this lane's share of the local expansion, until it is summed over the warp
  std::uint32_t accepted_count_ = 0, direct_count_ = 0, leaf_count_ = 0, collected_count_ = 0;
  GroupWork work_;
};

template <int order, class Opening, class Softening, bool at_group>
__global__ void __launch_bounds__(warps_per_block* warp_size, blocks_per_multiprocessor(order))
    dual_walk_kernel(const __grid_constant__ DualArguments a, const __grid_constant__ Opening opening,
                     const __grid_constant__ Softening softening, std::uint32_t begin, std::uint32_t end) {
  using Memory = WarpMemory<order>;
  alignas(16) __shared__ unsigned char shared[warps_per_block * sizeof(Memory)];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  TargetWalk<order, Opening, Softening, at_group> walk(a, opening, softening, reinterpret_cast<Memory*>(shared)[warp],
                                                       static_cast<int>(blockIdx.x) * warps_per_block + warp);
  for (;;) {
    unsigned item = 0;
    if (threadIdx.x % warp_size == 0) item = atomicAdd(a.next_item, 1U);
    item = begin + __shfl_sync(all_lanes, item, 0);
    if (item >= end) return;
    walk.run(item);
  }
}

/// Walks for the target cells, or for the groups, numbered `begin` to `end`.
template <bool at_group, int order, class Opening, class Softening>
void launch(CudaSpace& space, const DualArguments& a, const Opening& opening, const Softening& softening, std::uint32_t begin,
            std::uint32_t end) {
  if (begin == end) return;
  space.fill_bytes(a.next_item, 0, sizeof(unsigned));
  const unsigned wanted = (end - begin + warps_per_block - 1) / warps_per_block;
  const unsigned blocks = std::min(wanted, static_cast<unsigned>(space.multiprocessors() * blocks_per_multiprocessor(order)));
  dual_walk_kernel<order, Opening, Softening, at_group>
      <<<blocks, warps_per_block * warp_size, 0, space.stream()>>>(a, opening, softening, begin, end);
  check_cuda(cudaGetLastError(), "dual walk");
}

}  // namespace dual_walk

template <int order>
void launch_dual_walk(CudaSpace& space, const GravityParameters& gravity, const TreeScale& scale, DualArguments a, DualTargetKind kind) {
  visit_opening(gravity, [&](const auto& opening) {
    visit_softening(gravity, scale.length, [&](const auto& softening) {
      a.support = static_cast<float>(softening.support() * (1 + 1e-6));
      a.support2 = a.support * a.support;
      if (kind == DualTargetKind::cells)
        dual_walk::launch<false, order>(space, a, opening, softening, a.first_level_cell, a.targets.cell_count);
      else
        dual_walk::launch<true, order>(space, a, opening, softening, 0, a.targets.group_count);
    });
  });
}

}  // namespace grove
