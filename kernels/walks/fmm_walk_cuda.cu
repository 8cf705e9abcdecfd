// The walk of `fmm` on the GPU, host side: provides memory, and continues the walk if the lists need more. docs/development/constants.md
// has the measurements behind the constants.
#include "kernels/walks/fmm_walk_cuda.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

// A level with fewer target cells than this has no lists, because it would keep few warps busy: the level below starts from the roots. The
// limit is lower if there are few cells in total. Otherwise errors on several ranks would differ from those on one rank.
constexpr std::uint32_t smallest_level(std::uint32_t cells) { return std::clamp(cells / 128, 16U, 128U); }
// With fewer target cells per warp than this, the chain of levels determines the time. Lists are then handed down before the expansions are
// complete.
constexpr std::uint32_t few_cells = 32;
// With fewer targets per warp than these, a team of warps walks for each. Teams have more work in total: with more targets, this costs more
// than what they gain for the slowest target.
constexpr double few_cells_for_teams = 2, few_groups_for_teams = 2.2;
// A guess at the active cells for each active group: the host does not know them. Scattered groups have more. Teams are chosen as for one.
constexpr std::uint32_t expected_cells_a_group = 2;
// With fewer groups per warp than this, in a walk for all, the slowest group determines the time; and the mean number of particles in a
// group.
constexpr std::size_t few_groups_to_divide = 1, particles_in_a_group = 22;
// Larger than the number of any target: warps that draw it are done.
constexpr unsigned past_all_targets = 1U << 31;
// Entries of list memory for each target cell, as long as no walk has shown how many are needed.
constexpr std::size_t entries_expected = 64;

// Largest list memory. Ranges that end here differ from no_memory and not_ready.
constexpr std::size_t most_entries = 0xfffffffd;

/// Number of the first target cell that gets a list.
std::uint32_t first_level_with_lists(const LevelOffsets& level_offset) {
  for (int level = 0; level < deepest_level; ++level)
    if (level_offset[level + 1] - level_offset[level] >= smallest_level(level_offset.back())) return level_offset[level];
  return level_offset.back();
}

/// Number of warps for groups that can be resident at once.
std::size_t resident_warps(const CudaSpace& space, ExpansionForm form) {
  return static_cast<std::size_t>(space.multiprocessors() * fmm_walk::blocks_per_multiprocessor(form, true, 1)) * warps_per_block;
}

std::size_t with_room(std::size_t entries) { return entries + entries / 16 + 65536; }

/// Sets the initial state of a walk, in one launch.
struct Start {
  FmmArguments a;
  std::uint32_t cells;
  GroupWork* work_to_clear;  ///< [cells]; null: keep the work, to add to it
  __device__ void operator()(std::size_t i) const {
    if (i < cells) {
      a.list_range[i] = fmm_walk::not_ready;
      a.done[i] = 0;
      if (work_to_clear) work_to_clear[i] = {};
    }
    if (i < a.block_slots) a.slots_returned[i] = fmm_walk::no_slot;
    if (i == 0) begin_counts();
  }
  __device__ void begin_counts() const {
    *a.counts = {};
    *a.status = {};
    if (a.data.bounds.hold(a.data.own_tree.geometry[0])) return;
    a.status->out_of_bounds = 1;
    a.counts->groups_drawn = a.counts->cells_drawn = past_all_targets;
  }
};

/// Marks the target cells that have been walked, and resets the others, which are walked again.
struct KeepFinished {
  std::uint64_t* range;
  std::uint32_t* done;
  std::uint8_t* finished;
  __device__ void operator()(std::size_t t) const {
    finished[t] = range[t] != fmm_walk::no_memory;
    if (finished[t]) return;
    range[t] = fmm_walk::not_ready;
    done[t] = 0;
  }
};

FmmArguments make_arguments(const ScaledLaw& law, const TreeView& sources, const FmmTargetView& targets, const FmmWalkTargets& data,
                            WalkMode mode) {
  FmmArguments a{};
  a.sources = sources;
  a.targets = targets;
  a.data = data;
  a.mode = mode;
  a.units = law.units;
  a.support = law.support;
  a.support2 = law.support2;
  a.common_mass = law.common_mass;
  return a;
}

}  // namespace

template <>
bool FmmWalk<CudaSpace>::waits_for_slowest_group(const CudaSpace& space, ExpansionForm form, std::size_t particles) {
  return particles / particles_in_a_group < few_groups_to_divide * resident_warps(space, form);
}

template <>
void FmmWalk<CudaSpace>::begin(CudaSpace&, std::uint32_t cells, bool for_all) {
  cell_work_.resize_discard(cells);
  clears_work_ = true;
  if (cells == 0) return;
  // The length of the lists varies slightly from step to step, and with the number of targets, which changes with the cuts of the domains.
  // Memory is kept while at least half of its reserve is left. Memory that is much too large is released: the first forces of a run, with
  // a geometric criterion, need several times the list memory of later ones. Walks for some targets need less, and tell nothing.
  if (are_for_all_ && most_used_ > 0 && cells_ > 0) used_by_all_ = most_used_, cells_of_all_ = cells_;
  const bool known = used_by_all_ > 0;
  const std::size_t expected = known ? used_by_all_ / cells_of_all_ * cells + used_by_all_ % cells_of_all_ * cells / cells_of_all_
                                     : std::size_t{cells} * entries_expected;
  const std::size_t wanted = with_room(expected);
  const std::size_t least = known ? expected + expected / 32 : wanted, most = wanted + wanted / 4;
  if (lists_.size() < least || (known && lists_.size() > most)) {
    lists_.release();
    lists_.resize_discard(wanted);
  }
  most_used_ = 0;
  cells_ = cells;
  are_for_all_ = for_all;
}

template <>
WalkOutcome FmmWalk<CudaSpace>::walk(CudaSpace& space, const ScaledLaw& law, const TreeView& sources, const FmmTargets<CudaSpace>& targets,
                                     const FmmWalkTargets& data, WalkMode mode, const std::function<void()>& meanwhile) {
  FmmArguments a = make_arguments(law, sources, targets.view(), data, mode);
  const std::uint32_t cells = a.targets.cell_count, groups = a.targets.group_count;
  a.cell_work = cell_work_.data();
  if (groups == 0 || sources.root_count == 0) {
    if (meanwhile) meanwhile();
    return WalkOutcome::complete;
  }
  const ExpansionForm form = law.form;
  check_form(sources, form);
  a.first_level_cell = first_level_with_lists(targets.level_offset());

  const std::size_t warps = resident_warps(space, form);
  a.block_slots = static_cast<unsigned>(warps / warps_per_block);
  a.stack_capacity = fmm_walk::stack_capacity(sources.levels);
  a.expected_cells = cells - a.first_level_cell;
  if (data.active.is_list) a.expected_cells = std::min(a.expected_cells, expected_cells_a_group * a.walked_groups());
  a.lists_first = a.expected_cells < few_cells * warps;
  const double likely_cells = data.active.is_list ? std::min(a.expected_cells, a.walked_groups()) : a.expected_cells;
  a.cell_team = likely_cells < few_cells_for_teams * static_cast<double>(warps) ? warps_per_block : 1;
  a.group_team = a.walked_groups() < few_groups_for_teams * static_cast<double>(warps) ? warps_per_block : 1;
  a.put_off_capacity = fmm_walk::put_off_by_team / static_cast<std::uint32_t>(a.cell_team);
  Scratch<CudaSpace, std::uint32_t> stacks(space, a.stack_capacity * warps);
  Scratch<CudaSpace, std::uint32_t> put_off(space, a.lists_first ? a.put_off_capacity * warps : 0);
  Scratch<CudaSpace, unsigned> slots_returned(space, a.block_slots), done(space, cells);
  Scratch<CudaSpace, ListStatus> status(space, 1);
  Scratch<CudaSpace, WarpCounts> counts(space, 1);
  Scratch<CudaSpace, std::uint8_t> finished(space, cells);
  a.stacks = stacks.data();
  a.put_off = put_off.data();
  a.slots_returned = slots_returned.data();
  a.done = done.data();
  a.status = status.data();
  a.counts = counts.data();

  list_range_.resize_discard(cells);
  a.list_range = list_range_.data();
  const auto start = [&](GroupWork* work_to_clear) {
    space.for_each(std::max<std::size_t>(cells, a.block_slots), Start{a, cells, work_to_clear});
  };
  start(clears_work_ ? a.cell_work : nullptr);
  clears_work_ = false;

  const auto with_fourth = [](std::uint32_t entries) { return entries + entries / 4; };
  auto outcome = WalkOutcome::complete;
  law.visit_order([&](auto order) {
    local_.resize_discard(std::size_t{cells} * local_stride(form));
    a.local = local_.data();
    for (;;) {
      Scratch<CudaSpace, std::uint32_t> collected(space, std::size_t{longest_list_} * warps);
      a.collected = collected.data();
      a.collected_capacity = longest_list_;
      a.lists = lists_.data();
      a.list_capacity = static_cast<std::uint32_t>(std::min<std::size_t>(lists_.size(), most_entries));
      launch_fmm_walk<order>(space, law, a);
      auto status_later = space.copy_to_host_later(a.status);
      if (meanwhile) meanwhile();
      const ListStatus& seen = status_later.get();
      if (seen.out_of_bounds != 0) outcome = WalkOutcome::out_of_bounds;
      if (outcome == WalkOutcome::out_of_bounds) break;
      if (seen.lacks_cells != 0) outcome = WalkOutcome::lacks_cells;
      if (seen.short_of_memory == 0) {
        most_used_ = std::max<std::size_t>(most_used_, seen.used);
        // Gives the next walk room for a slightly longer list, so that it need not start again.
        if (seen.longest_list > longest_list_ / 8 * 7) longest_list_ = with_fourth(seen.longest_list);
        break;
      }
      longest_list_ = std::max(longest_list_, with_fourth(seen.longest_list));
      // More than was requested: the cells below those that were skipped have not requested any memory yet.
      const std::size_t wanted =
          seen.used > lists_.size() ? with_room(std::max<std::size_t>(seen.used, lists_.size() + lists_.size() / 4)) : lists_.size();
      if (wanted > most_entries)
        throw SystemError("the walk of fmm needs lists of more than 2^32 cells; use more GPUs or a larger gravity.tolerance");
      if (mode == WalkMode::own_tree) {
        // Start again: there may not be enough memory for the old and the new lists together.
        lists_.release();
        lists_.resize_discard(wanted);
        start(nullptr);
      } else {
        // Continue: what is already added to the forces must not be added again.
        lists_.resize_keep(wanted);
        space.for_each(cells, KeepFinished{a.list_range, a.done, finished.data()});
        a.finished = finished.data();
        space.fill_bytes(&a.status->short_of_memory, 0, sizeof(a.status->short_of_memory));
        space.fill_bytes(a.counts, 0, sizeof(WarpCounts));
        space.fill_bytes(a.slots_returned, 0xff, a.block_slots * sizeof(unsigned));
      }
    }
  });
  return outcome;
}

}  // namespace grove
