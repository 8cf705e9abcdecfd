// The walk of `fmm` on the GPU: one warp for each target cell, and one for each group. If there are few targets, a team of warps walks for
// each target, and every warp takes a share of the pending cells.
//
// Pending source cells are on a stack in global memory. Each lane tests two of them at a time, because a test mostly waits for memory. In a
// team it tests one, because the time of a round matters more. Accepted cells and leaves wait in queues in shared memory until there are
// 32. Cells are then added to the local expansion, one in each lane. The particles of leaves form one sequence and act on the group's
// targets, one target in each lane; with few active targets, several lanes have the same one, each with a share of the sources. The loop
// contains the code for each kind of work only once, so that a kernel fits into the instruction cache. A warp collects the list that its
// target cell hands down, and then copies it to the common list memory.
//
// See fmm_walk_schedule.cuh for the order of the targets.
#pragma once

#include "kernels/space/read_now.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/fmm_walk_forces.cuh"
#include "kernels/walks/fmm_walk_memory.cuh"
#include "kernels/walks/fmm_walk_schedule.cuh"

namespace grove::fmm_walk {

template <int order, class Opening, class Softening, bool at_group, class Team, GroupKind kind>
class TargetWalk {
 public:
  using Memory = WarpMemory<ExpansionTerms<order, Softening>>;

  /// `memory` is the memory of this warp, in an array for all warps of the block; `warp` numbers the warps of all blocks.
  __device__ TargetWalk(const FmmArguments& a, const Opening& opening, const Softening& softening, const Team& team, Memory& memory,
                        int warp)
      : a_(a),
        opening_(opening),
        team_(team),
        forces_(a, softening, team, memory.sources),
        memory_(memory),
        stack_memory_(a.stacks + std::size_t{a.stack_capacity} * warp),
        stack_(stack_memory_),
        collected_(a.collected + std::size_t{a.collected_capacity} * warp),
        put_off_(a.put_off + std::size_t{a.put_off_capacity} * warp),
        lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  /// Clears all sums and reads the position of a target. May be called before the cell above is ready.
  __device__ void load(std::uint32_t target) {
    if constexpr (at_group)
      forces_.load_group(target);
    else
      forces_.load_cell(target);
  }
  /// Walks for the target that load() has read, unless there is no memory for a list that it needs, or an earlier launch has walked it. For
  /// groups, the cell above must be done. All warps of a team call it together.
  __device__ void run(std::uint32_t target) {
    const std::uint32_t above = at_group ? a_.targets.group_parent[target] : a_.targets.parent[target];
    const bool has_parent = a_.has_list(above);
    const std::uint64_t range = !has_parent ? range_of_roots()
                                : at_group  ? a_.list_range[above]
                                            : wait_for(a_.list_range[above], not_ready);
    if (a_.finished && (at_group ? !has_parent || a_.finished[above] : a_.finished[target])) return;
    if (range == no_memory) {
      if constexpr (!at_group) publish_for_team(a_.list_range[target], no_memory);
      return;
    }
    list_ = has_parent ? a_.lists : a_.sources.roots;
    list_next_ = static_cast<std::uint32_t>(range);
    list_end_ = static_cast<std::uint32_t>(range >> 32);
    accepted_count_ = direct_count_ = leaf_count_ = collected_count_ = put_off_count_ = top_ = own_ = 0;
    begin_sharing();
    const auto memory_of = [this](int k) -> auto& { return (&memory_)[k].sources; };
    if constexpr (at_group) {
      walk(target);
      forces_.join(own_, memory_of);
      if (!team_.is_first()) return;
      forces_.evaluate_own(own_);
      forces_.finish_group(target, has_parent, above);
    } else {
      if (!walk(target)) return;
      forces_.join(own_, memory_of);
      if (!team_.is_first()) return;
      if (a_.lists_first && has_parent) wait_for(a_.done[above], 0U);
      forces_.finish_cell(target, has_parent, above);
      if (!a_.lists_first) publish(a_.list_range[target], range_);
    }
  }

 private:
  /// Tests all cells of the list and all cells that are opened on the way, and does the work that follows. If lists come first, a target
  /// cell puts off most of its accepted cells until its list is handed down. Returns false if there is no memory for the list.
  __device__ bool walk(std::uint32_t target) {
    bool handed_down = at_group;
    for (bool more = list_next_ < list_end_;;) {
      const std::uint32_t enough = more ? warp_size : 1;
      if (!handed_down && !more) {
        range_ = hand_down();
        if (a_.lists_first || range_ == no_memory) publish_for_team(a_.list_range[target], range_);
        if (range_ == no_memory) return false;
        handed_down = true;
      } else if (accepted_count_ >= enough) {
        const uint2 taken = take(accepted_count_);
        if (!at_group && more && a_.lists_first && put_off_count_ < a_.put_off_capacity)
          put_off(memory_.accepted.entry + taken.x);
        else
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
      } else if (!at_group && put_off_count_ > 0) {
        take_back();
      } else {
        return true;
      }
    }
  }

  /// put_off() stores 32 accepted cells for later. take_back() moves as many of them as fit to the empty queue, all at once, because a read
  /// takes longer than the copy to the queue.
  __device__ void put_off(const std::uint32_t* cells) {
    put_off_[put_off_count_ + lane_] = cells[lane_];
    put_off_count_ += warp_size;
    __syncwarp();
  }
  __device__ void take_back() {
    accepted_count_ = smaller(put_off_count_, std::uint32_t{sizeof(memory_.accepted.entry) / sizeof(std::uint32_t)});
    put_off_count_ -= accepted_count_;
    copy_cells(put_off_ + put_off_count_, memory_.accepted.entry, accepted_count_);
    __syncwarp();
  }

  /// Copies cells. Several are read before the first is written.
  __device__ void copy_cells(const std::uint32_t* from, std::uint32_t* to, std::uint32_t count) const {
    constexpr int at_once = 3;
#pragma unroll 1
    for (std::uint32_t base = lane_; base < count; base += at_once * warp_size) {
      std::uint32_t cell[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) cell[k] = from[smaller(base + k * warp_size, count - 1)];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (base + k * warp_size < count) to[base + k * warp_size] = cell[k];
    }
  }

  /// Range in the array of roots or, if there is none, of the roots themselves: begin and, in the upper half, end.
  __device__ std::uint64_t range_of_roots() const {
    const std::uint32_t begin = a_.sources.roots ? 0 : a_.sources.first_root;
    return begin | std::uint64_t{begin + a_.sources.root_count} << 32;
  }

  /// Pending cells that a lane tests at a time.
  static constexpr int tests_at_once = Team::warps > 1 ? tests_a_lane_of_team : tests_a_lane;

  // How the warps of a team share the pending cells. If the list is short, all warps first do the same tests, and only the results of the
  // first warp count, until there are enough pending cells for all. These then become the list, and each warp takes its share of it.

  static constexpr std::uint32_t enough_to_share = warp_size;

  __device__ void begin_sharing() {
    if constexpr (Team::warps == 1) return;
    stack_ = stack_memory_;
    shares_ = list_end_ - list_next_ > enough_to_share;
    if (shares_) list_next_ = smaller(list_next_ + team_.rank(), list_end_);
  }
  /// Makes the pending cells on the stack the new list. The old one, which was short, has come to its end.
  __device__ void share_stack() {
    list_ = stack_;
    list_next_ = team_.rank();
    list_end_ = top_;
    stack_ += top_;
    top_ = 0;
    shares_ = true;
  }
  /// Number of pending cells in the list that belong to this warp.
  __device__ std::uint32_t left_in_list() const {
    if constexpr (Team::warps == 1) return list_end_ - list_next_;
    return shares_ ? (list_end_ - list_next_ + Team::warps - 1) / Team::warps : list_end_ - list_next_;
  }
  __device__ std::uint32_t most_taken() const {
    if constexpr (Team::warps == 1) return fmm_walk::most_taken(top_, few_pending, tests_at_once);
    return shares_ ? fmm_walk::most_taken(top_, few_pending_of_team, tests_at_once) : warp_size;
  }
  /// Distance between this warp's cells in the list.
  __device__ std::uint32_t list_step() const { return Team::warps == 1 || !shares_ ? 1 : Team::warps; }
  /// Whether the results of this warp count.
  __device__ bool counts() const { return Team::warps == 1 || shares_ || team_.is_first(); }

  template <class T>
  __device__ void publish_for_team(T& word, T value) const {
    if (team_.is_first()) publish(word, value);
  }

  /// A pending cell that a lane tests, and the result of the test.
  struct Pending {
    std::uint32_t entry;  ///< the cell, and forbidden_bit
    CellGeometry geometry;
    CellLinks links;
    bool into_local, at_targets, has_children, is_leaf, handed_down;

    __device__ std::uint32_t cell() const { return entry & ~forbidden_bit; }
    __device__ std::uint32_t forbidden() const { return entry & forbidden_bit; }
  };

  /// Takes pending cells from the stack or, if it is empty, from the list. Tests them, and passes each on.
  __device__ void test_next() {
    const bool from_stack = top_ > 0;
    const std::uint32_t taken = smaller(from_stack ? top_ : left_in_list(), most_taken());
    if (from_stack) top_ -= taken;
    Pending pending[tests_at_once];
#pragma unroll
    for (int j = 0; j < tests_at_once; ++j) {
      const std::uint32_t at = warp_size * j + lane_;
      const std::uint32_t in_list = list_next_ + at * list_step();
      pending[j].entry = at >= taken ? 0 : from_stack ? stack_[top_ + at] : list_ ? list_[in_list] : in_list;
    }
    if (!from_stack) list_next_ = smaller(list_next_ + taken * list_step(), list_end_);
    __syncwarp();
    if (counts()) forces_.count_tests(taken);
      // Loads all data for the tests at once, also in lanes without a cell.
#pragma unroll
    for (Pending& p : pending) {
      p.geometry = read_now(a_.sources.geometry + p.cell());
      p.links = read_now(a_.sources.links + p.cell());
    }
#pragma unroll
    for (int j = 0; j < tests_at_once; ++j) test(pending[j], warp_size * j + lane_ < taken);
#pragma unroll
    for (const Pending& p : pending) pass_on(p);
    __syncwarp();
    if constexpr (Team::warps > 1) {
      if (!shares_ && top_ > enough_to_share) share_stack();
    }
  }

  /// Tests a cell. There are no branches, so the tests of one lane overlap.
  __device__ void test(Pending& p, bool active) const {
    const bool real = active & (p.geometry.mass > 0);
    const LocalVerdict<bool> verdict = judge_local<order>(opening_, p.geometry, forces_.box(), a_.units.per_length, a_.support);
    p.into_local = real & (p.forbidden() == 0) & verdict.accepted;
    if (verdict.forbidden) p.entry |= forbidden_bit;
    p.at_targets = false;
    if constexpr (at_group) {
      const bool accepted = accept(opening_, p.geometry, forces_.box(), a_.units.per_length, a_.support2);
      const bool is_closed = p.links.particle_count == 0;
      p.at_targets = real & !p.into_local & (is_closed | ((p.links.particle_count > few_particles) & accepted));
      if (p.at_targets & is_closed & !accepted) a_.status->lacks_cells = 1;
    }
    const bool rejected = real & !p.into_local & !p.at_targets;
    p.has_children = rejected & (p.links.child_count > 0) & (at_group | (p.geometry.radius >= forces_.box().radius));
    p.is_leaf = at_group & rejected & (p.links.child_count == 0) & counts();
    p.handed_down = !at_group & rejected & !p.has_children & counts();
    p.into_local &= counts();
    p.at_targets &= counts();
  }

  __device__ void pass_on(const Pending& p) {
    queue(p.into_local, p.cell(), memory_.accepted, accepted_count_);
    if (__any_sync(all_lanes, p.has_children)) push_children(p.has_children ? p.links.child_count : 0, p.links.first_child | p.forbidden());
    if constexpr (at_group) {
      queue(p.at_targets, p.cell(), memory_.direct, direct_count_);
      const std::uint32_t own = p.is_leaf ? forces_.own_bits(p.links.first_particle, p.links.particle_count) : 0;
      own_ |= __reduce_or_sync(all_lanes, own);
      queue(p.is_leaf && own == 0, make_uint2(p.links.first_particle, p.links.particle_count), memory_.leaves, leaf_count_);
    } else {
      collect(p.handed_down, p.cell());
    }
  }

  /// Appends the entries of the lanes with `wanted`.
  template <class T>
  __device__ void queue(bool wanted, const T& entry, Queue<T>& entries, std::uint32_t& count) {
    const unsigned mask = __ballot_sync(all_lanes, wanted);
    if (wanted) entries.entry[count + __popc(mask & ((1U << lane_) - 1))] = entry;
    count += __popc(mask);
  }

  /// Takes up to 32 entries from the end of a queue. Returns the index of the first one, and their number.
  __device__ static uint2 take(std::uint32_t& count) {
    const std::uint32_t taken = smaller(count, std::uint32_t{warp_size});
    count -= taken;
    return make_uint2(count, taken);
  }

  __device__ void push_children(std::uint32_t count, std::uint32_t first) {
    const std::uint32_t end = inclusive_scan(count, lane_);
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) stack_[top_ + end - count + k] = first + k;
    top_ += __shfl_sync(all_lanes, end, warp_size - 1);
  }

  __device__ void collect(bool handed_down, std::uint32_t cell) {
    const unsigned mask = __ballot_sync(all_lanes, handed_down);
    const std::uint32_t at = collected_count_ + __popc(mask & ((1U << lane_) - 1));
    if (handed_down && at < a_.collected_capacity) collected_[at] = cell;
    collected_count_ += __popc(mask);
  }

  /// Copies the collected cells of the team to the common list memory. Returns their range there, or no_memory.
  __device__ std::uint64_t hand_down() {
    const CollectedCells all = collected_of_team();
    unsigned long long begin = 0;
    if (lane_ == 0 && team_.is_first()) {
      begin = atomicAdd(&a_.status->used, static_cast<unsigned long long>(all.count));
      atomicMax(&a_.status->longest_list, all.longest);
    }
    begin = of_first_lane(begin);
    const std::uint64_t end = begin + all.count;
    if (all.longest > a_.collected_capacity || end > a_.list_capacity) {
      if (lane_ == 0) a_.status->short_of_memory = 1;
      return no_memory;
    }
    copy_cells(collected_, a_.lists + begin + all.before, collected_count_);
    if constexpr (Team::warps > 1) team_.sync();  // the range is published next
    return begin | end << 32;
  }

  /// Numbers of cells collected by the warps of a team.
  struct CollectedCells {
    std::uint32_t count, longest;  ///< of all warps together, and the largest of one warp
    std::uint32_t before;          ///< by the warps before this one
  };
  __device__ CollectedCells collected_of_team() {
    if constexpr (Team::warps == 1) return {collected_count_, collected_count_, 0};
    __shared__ std::uint32_t count_of[Team::warps];
    if (lane_ == 0) count_of[team_.rank()] = collected_count_;
    team_.sync();
    CollectedCells all{};
    for (int k = 0; k < Team::warps; ++k) {
      if (k < team_.rank()) all.before += count_of[k];
      all.count += count_of[k];
      all.longest = larger(all.longest, count_of[k]);
    }
    return all;
  }
  /// The value in the first lane of the team's first warp.
  __device__ unsigned long long of_first_lane(unsigned long long value) {
    if constexpr (Team::warps == 1) return __shfl_sync(all_lanes, value, 0);
    __shared__ unsigned long long place;
    if (threadIdx.x == 0) place = value;
    team_.sync();
    return place;
  }

  const FmmArguments& a_;
  const Opening& opening_;
  const Team team_;
  TargetForces<order, Softening, Team, kind> forces_;
  Memory& memory_;
  std::uint32_t* const stack_memory_;
  std::uint32_t* stack_;  ///< begins after the list, if that is in the same memory
  std::uint32_t* collected_;
  std::uint32_t* put_off_;
  int lane_;
  const std::uint32_t* list_ = nullptr;  ///< null: the list is the cells list_next_, list_next_ + 1, ...
  std::uint32_t list_next_ = 0, list_end_ = 0, top_ = 0;
  std::uint32_t accepted_count_ = 0, direct_count_ = 0, leaf_count_ = 0, collected_count_ = 0, put_off_count_ = 0;
  bool shares_ = false;      ///< whether the warps of the team have different pending cells
  std::uint64_t range_ = 0;  ///< of the list handed down
  std::uint32_t own_ = 0;    ///< one bit for each target that is in a source leaf inside the group
};

}  // namespace grove::fmm_walk
