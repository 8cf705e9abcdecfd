// The walk of `tree` on the GPU: one warp walks for one group, with two targets in each lane. If there are few groups, a team of warps
// walks for each group, and every warp takes a share of the pending cells.
//
// Pending cells are on a stack in global memory. A warp takes 32 of them at a time and each lane tests one. Accepted cells wait in a queue
// in shared memory and are evaluated 32 at a time. The particles of leaves that are not accepted form one sequence and are evaluated 32 at
// a time. So every lane has work in the inner loops, whose sources are broadcast from shared memory.
#include <type_traits>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/tree_walk.hpp"
#include "kernels/walks/tree_walk_forces.cuh"
#include "kernels/walks/warp_team.cuh"

namespace grove {

namespace tree_walk {

namespace {

constexpr int blocks_per_multiprocessor = 6;
// If there is less than one group for this many warps, most warps would have nothing to do, so a team of warps walks for each group.
constexpr std::size_t warps_a_group_for_teams = 3;

// A warp takes 32 pending cells at a time or, in the rare case of more than few_pending cells on the stack, taken_of_many. A cell that is
// taken is replaced by at most 8 children, so the stack grows by at most 7 for each. After taken_of_many cells from the top, the next ones
// taken are descendants of these, until none are left, so every level adds at most 7 for each.
constexpr std::uint32_t few_pending = 1024, taken_of_many = 4;
constexpr std::uint32_t stack_capacity(std::uint32_t levels) { return few_pending + 7 * (warp_size + taken_of_many * levels); }
// In a team, the cells that the warps share are below the stack of each warp: the children of up to 32 cells.
constexpr std::uint32_t enough_to_share = warp_size, few_pending_of_team = few_pending - 8 * warp_size;

/// One warp's part of shared memory.
struct WarpMemory {
  ForceMemory forces;
  std::uint32_t accepted[2 * warp_size];
};

template <class Opening, class Softening, WalkMode mode, bool some_active, class Team>
class GroupWalk {
 public:
  /// `memory` is the memory of this warp, in an array for all warps of the block.
  __device__ GroupWalk(const WalkArguments& a, const Opening& opening, const Softening& softening, const Team& team, WarpMemory& memory,
                       std::uint32_t* stack)
      : a_(a),
        opening_(opening),
        team_(team),
        forces_(a, softening, memory.forces),
        memory_(memory),
        stack_memory_(stack),
        stack_(stack),
        lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  /// All warps of a team call it together.
  __device__ void run(std::size_t group) {
    forces_.load_targets(group);
    accepted_count_ = pending_count_ = top_ = 0;
    start_with_roots();
    while (top_ > 0 || list_next_ < list_end_) test_next();
    if (accepted_count_ > 0) forces_.evaluate_cells(memory_.accepted, accepted_count_);
    if (pending_count_ > 0) forces_.evaluate_particles(pending_, pending_count_);
    forces_.join(team_, [this](int k) -> const ForceMemory& { return (&memory_)[k].forces; });
    if (team_.is_first()) forces_.store(group);
  }

 private:
  // How the warps of a team share the pending cells. If there are few roots, all warps first do the same tests, and only the results of the
  // first warp count, until there are enough pending cells for all. These then become the list, and each warp takes its share of it.

  __device__ void start_with_roots() {
    list_ = a_.sources.roots;
    list_next_ = list_ ? 0 : a_.sources.first_root;
    list_end_ = list_next_ + a_.sources.root_count;
    if constexpr (Team::warps == 1) return;
    stack_ = stack_memory_;
    shares_ = a_.sources.root_count > enough_to_share;
    if (shares_) list_next_ = smaller(list_next_ + team_.rank(), list_end_);
  }
  /// Makes the pending cells on the stack the new list, after all roots have been taken.
  __device__ void share_stack() {
    list_ = stack_;
    list_next_ = team_.rank();
    list_end_ = top_;
    stack_ += top_;
    top_ = 0;
    shares_ = true;
  }
  /// Distance between this warp's cells in the list.
  __device__ std::uint32_t list_step() const { return Team::warps == 1 || !shares_ ? 1 : Team::warps; }
  /// Whether the results of this warp count.
  __device__ bool counts() const { return Team::warps == 1 || shares_ || team_.is_first(); }

  /// Takes pending cells from the stack or, if it is empty, from the list, and tests one in each lane.
  __device__ void test_next() {
    constexpr std::uint32_t few = Team::warps == 1 ? few_pending : few_pending_of_team;
    const bool from_stack = top_ > 0;
    const std::uint32_t left_in_list = (list_end_ - list_next_ + list_step() - 1) / list_step();
    const std::uint32_t taken = smaller(from_stack ? top_ : left_in_list, top_ > few ? taken_of_many : std::uint32_t{warp_size});
    const bool active = lane_ < static_cast<int>(taken);
    std::uint32_t cell = 0;
    if (from_stack) {
      top_ -= taken;
      if (active) cell = stack_[top_ + lane_];
    } else {
      const std::uint32_t at = list_next_ + lane_ * list_step();
      if (active) cell = list_ ? list_[at] : at;
      list_next_ = smaller(list_next_ + taken * list_step(), list_end_);
    }
    __syncwarp();
    if (counts()) forces_.count_tests(taken);
    test(active, cell);
    if constexpr (Team::warps > 1) {
      if (!shares_ && top_ > enough_to_share) share_stack();
    }
  }

  /// Tests one cell in each lane and passes it on.
  __device__ void test(bool active, std::uint32_t cell) {
    bool accepted = false, opened = false;
    CellLinks links{};
    if (active) {
      const CellGeometry geometry = a_.sources.geometry[cell];
      accepted = accept(opening_, geometry, forces_.box(), a_.units.per_length, a_.support2);
      if (!accepted) {
        links = a_.sources.links[cell];
        accepted = links.particle_count == 0;
        opened = !accepted;
        if (accepted && geometry.mass > 0 && a_.targets.lacks_cells) *a_.targets.lacks_cells = 1;
      }
      accepted = accepted && geometry.mass > 0;
    }
    queue_accepted(accepted && counts(), cell);
    const bool has_children = opened && links.child_count > 0;
    if (__any_sync(all_lanes, has_children)) push_children(has_children ? links.child_count : 0, links.first_child);
    const bool is_leaf = opened && links.child_count == 0 && counts();
    if (__any_sync(all_lanes, is_leaf)) add_particles(is_leaf ? links.particle_count : 0, links.first_particle);
  }

  __device__ void queue_accepted(bool accepted, std::uint32_t cell) {
    const unsigned mask = __ballot_sync(all_lanes, accepted);
    if (accepted) memory_.accepted[accepted_count_ + __popc(mask & ((1U << lane_) - 1))] = cell;
    accepted_count_ += __popc(mask);
    __syncwarp();
    if (accepted_count_ >= warp_size) {
      accepted_count_ -= warp_size;
      forces_.evaluate_cells(memory_.accepted + accepted_count_, warp_size);
    }
  }

  __device__ void push_children(std::uint32_t count, std::uint32_t first) {
    const std::uint32_t end = inclusive_scan(count, lane_);
    for (std::uint32_t k = 0; k < count; ++k) stack_[top_ + end - count + k] = first + k;
    __syncwarp();
    top_ += __shfl_sync(all_lanes, end, warp_size - 1);
  }

  /// Appends the particle ranges of all lanes to the pending particles, and evaluates them 32 at a time.
  __device__ void add_particles(std::uint32_t count, std::uint32_t first) {
    const ConcatenatedRanges ranges(count, first, lane_);
    const std::uint32_t held = pending_count_, available = held + ranges.size();
    for (std::uint32_t base = 0; base < available; base += warp_size) {
      const std::uint32_t slot = base + lane_;
      const std::uint32_t found = ranges.at(slot - held);
      if (slot >= held) pending_ = found;
      if (available - base >= warp_size) forces_.evaluate_particles(pending_, warp_size);
    }
    pending_count_ = available % warp_size;
  }

  const WalkArguments& a_;
  const Opening& opening_;
  const Team team_;
  GroupForces<Softening, mode, some_active> forces_;
  WarpMemory& memory_;
  std::uint32_t* const stack_memory_;
  std::uint32_t* stack_;  ///< begins after the list, if that is in the same memory
  int lane_;
  const std::uint32_t* list_ = nullptr;  ///< null: the list is the cells list_next_, list_next_ + 1, ...
  std::uint32_t list_next_ = 0, list_end_ = 0, top_ = 0, accepted_count_ = 0, pending_count_ = 0;
  std::uint32_t pending_ = 0;  ///< pending particle of this lane, for lanes below pending_count_
  bool shares_ = false;        ///< whether the warps of the team have different pending cells
};

template <class Opening, class Softening, WalkMode mode, bool some_active, class Team>
__global__ void __launch_bounds__(warps_per_block* warp_size, blocks_per_multiprocessor)
    walk_kernel(const __grid_constant__ WalkArguments a, const __grid_constant__ Opening opening,
                const __grid_constant__ Softening softening) {
  __shared__ WarpMemory memory[warps_per_block];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  std::uint32_t* const stack = a.stacks + std::size_t{a.stack_capacity} * (blockIdx.x * warps_per_block + warp);
  const Team team;
  GroupWalk<Opening, Softening, mode, some_active, Team> walk(a, opening, softening, team, memory[warp], stack);
  // Groups take different times: a team that has finished takes the next group. The order does not change the results.
  NumberDrawer<false, Team> drawer(team, a.next_group, static_cast<std::uint32_t>(a.targets.walked_count()));
  for (std::uint32_t number; drawer.next(number);) walk.run(some_active ? a.targets.active.groups[number] : number);
}

template <class Team, class Opening, class Softening>
void launch(CudaSpace& space, WalkArguments& a, const Opening& opening, const Softening& softening, WalkMode mode) {
  const std::size_t wanted = (a.targets.walked_count() * Team::warps + warps_per_block - 1) / warps_per_block;
  const std::size_t resident = static_cast<std::size_t>(space.multiprocessors()) * blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(std::min(wanted, resident));
  a.stack_capacity = stack_capacity(a.sources.levels);
  Scratch<CudaSpace, std::uint32_t> stacks(space, std::size_t{a.stack_capacity} * warps_per_block * blocks);
  Scratch<CudaSpace, unsigned> next_group(space, 1);
  space.fill_bytes(next_group.data(), 0, sizeof(unsigned));
  a.stacks = stacks.data();
  a.next_group = next_group.data();
  const auto kernel = [&] {
    constexpr auto own = WalkMode::own_tree, other = WalkMode::other_tree;
    if (a.targets.active.is_list)
      return mode == own ? walk_kernel<Opening, Softening, own, true, Team> : walk_kernel<Opening, Softening, other, true, Team>;
    return mode == own ? walk_kernel<Opening, Softening, own, false, Team> : walk_kernel<Opening, Softening, other, false, Team>;
  }();
  kernel<<<blocks, warps_per_block * warp_size, 0, space.stream()>>>(a, opening, softening);
  check_cuda(cudaGetLastError(), "walk_kernel");
}

}  // namespace

}  // namespace tree_walk

template <>
void walk_tree(CudaSpace& space, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  if (targets.walked_count() == 0 || sources.root_count == 0) return;
  check_form(sources, WalkTerms::form);
  tree_walk::WalkArguments a{};
  a.sources = sources;
  a.targets = targets;
  a.units = law.units;
  a.support2 = law.support2;
  const std::size_t warps =
      std::size_t{warps_per_block} * tree_walk::blocks_per_multiprocessor * static_cast<std::size_t>(space.multiprocessors());
  const bool teams = tree_walk::warps_a_group_for_teams * targets.walked_count() < warps;
  law.visit([&](const auto& opening, const auto& softening) {
    if (teams)
      tree_walk::launch<WarpTeam<warps_per_block>>(space, a, opening, softening, mode);
    else
      tree_walk::launch<WarpTeam<1>>(space, a, opening, softening, mode);
  });
}

}  // namespace grove
