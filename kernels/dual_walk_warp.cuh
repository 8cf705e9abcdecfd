// The dual walk on the GPU: one warp for each target cell, then one warp for each group.
//
// As in the group walk, pending source cells lie on a stack in global memory and lanes test 32 of them at a time. What is accepted waits in
// queues in shared memory until there are 32: cells go into the local expansion one in each lane; leaves are strung together to particles
// that meet the group's targets, one target in each lane. The loop has one place for each kind of work, so that the code of a kernel stays
// small enough for the instruction cache. What a target cell hands down is collected by its warp and then copied to the common list memory.
//
// Target cells of all levels are in one launch. Warps take them in order, a cell after the one above it, and wait for that one's list.
#pragma once

#include <cuda/atomic>

#include "kernels/dual_walk_forces.cuh"
#include "kernels/gravity_dispatch.hpp"
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
  SourceMemory<order> sources;
  Float4 rest[warp_size];         ///< see TargetForces
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
        forces_(a, softening, memory.sources, memory.rest),
        memory_(memory),
        stack_(a.stacks + std::size_t{stack_capacity} * warp),
        collected_(a.collected + std::size_t{a.collected_capacity} * warp),
        lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void run(std::uint32_t item) {
    accepted_count_ = direct_count_ = leaf_count_ = collected_count_ = own_ = 0;
    const std::uint32_t parent = at_group ? a_.targets.group_parent[item] : a_.targets.parent[item];
    if constexpr (at_group)
      forces_.load_group(item);
    else
      forces_.load_cell(item);
    const bool has_parent = parent != no_parent && parent >= a_.first_level_cell;
    begin_list(has_parent, parent);
    walk();
    if constexpr (at_group) forces_.evaluate_own(own_);
    forces_.finish_local(has_parent, parent);
    if constexpr (at_group) {
      forces_.store_group(item);
    } else {
      forces_.store_local(item);
      hand_down(item);
    }
  }

 private:
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
      while ((range = ready.load(cuda::memory_order_relaxed)) == not_ready) __nanosleep(100);
      // Once, not at each look: it empties the cache.
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    }
    return __shfl_sync(all_lanes, range, 0);
  }

  /// Tests all cells of the list and all that is opened on the way, and does what follows from it.
  __device__ void walk() {
    for (bool more = list_next_ < list_end_;;) {
      const std::uint32_t enough = more ? warp_size : 1;
      if (accepted_count_ >= enough) {
        const uint2 taken = take(accepted_count_);
        forces_.add_cells_to_local(memory_.accepted.entry + taken.x, taken.y);
      } else if (at_group && direct_count_ >= enough) {
        const uint2 taken = take(direct_count_);
        forces_.evaluate_cells(memory_.direct.entry + taken.x, taken.y);
      } else if (at_group && leaf_count_ >= enough) {
        const uint2 taken = take(leaf_count_);
        forces_.evaluate_leaves(memory_.leaves.entry + taken.x, taken.y);
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
    forces_.count_tests(taken);
    test(active, cell);
  }

  /// Tests one entry a lane and sends each cell where it belongs.
  __device__ void test(bool active, std::uint32_t entry) {
    const std::uint32_t cell = entry & ~spoiled_bit;
    std::uint32_t spoiled = entry & spoiled_bit;
    bool into_local = false, at_targets = false, handed_down = false, has_children = false, is_leaf = false;
    // All that the test may look at is loaded at once, also for lanes without a cell.
    const CellGeometry g = load_whole(a_.sources.geometry + (active ? cell : 0));
    const CellLinks links = load_whole(a_.sources.links + (active ? cell : 0));
    if (active && g.mass > 0) {
      if (!spoiled) {
        const LocalVerdict verdict = judge_local<order>(opening_, g, forces_.box(), a_.per_length, a_.support);
        into_local = verdict.accepted;
        if (verdict.spoiled) spoiled = spoiled_bit;
      }
      if constexpr (at_group) {
        // A cell without contents was accepted by the rank that sent it, for a box around these targets.
        if (!into_local)
          at_targets = links.particle_count == 0 ||
                       (links.particle_count > few_particles && accept(opening_, g, forces_.box(), a_.per_length, a_.support2));
      }
      const bool rejected = !into_local && !at_targets;
      has_children = rejected && links.child_count > 0 && (at_group || g.radius >= forces_.box().radius);
      is_leaf = at_group && rejected && links.child_count == 0;
      handed_down = !at_group && rejected && !has_children;
    }
    queue(into_local, cell, memory_.accepted, accepted_count_);
    if (__any_sync(all_lanes, has_children)) push_children(has_children ? links.child_count : 0, links.first_child | spoiled);
    if constexpr (at_group) {
      queue(at_targets, cell, memory_.direct, direct_count_);
      const std::uint32_t own = is_leaf ? forces_.own_bits(links.first_particle, links.particle_count) : 0;
      own_ |= __reduce_or_sync(all_lanes, own);
      queue(is_leaf && own == 0, make_uint2(links.first_particle, links.particle_count), memory_.leaves, leaf_count_);
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

  /// Copies what was collected to the common list memory and says that it is there.
  __device__ void hand_down(std::uint32_t target) {
    std::uint32_t begin = 0;
    if (lane_ == 0) {
      begin = atomicAdd(&a_.status->used, collected_count_);
      atomicMax(&a_.status->longest_list, collected_count_);
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

  const DualArguments& a_;
  const Opening& opening_;
  TargetForces<order, Softening> forces_;
  Memory& memory_;
  std::uint32_t* stack_;
  std::uint32_t* collected_;
  int lane_;
  const std::uint32_t* list_ = nullptr;  ///< null: cell numbers themselves
  std::uint32_t list_next_ = 0, list_end_ = 0, top_ = 0;
  std::uint32_t accepted_count_ = 0, direct_count_ = 0, leaf_count_ = 0, collected_count_ = 0;
  std::uint32_t own_ = 0;  ///< targets met as sources in leaves of the group's own, one bit each
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
