#include "src/solver/walkers.hpp"

#include "kernels/tree/target_groups.hpp"

namespace grove {

namespace {

/// Pairs of particles, of cells and particles, opening tests, pairs of cells.
using Totals = Row<std::uint64_t, 4>;
struct TotalsOf {
  const std::uint32_t* group_start;  ///< null: work of target cells, which have no targets of their own
  const GroupWork* work;
  GROVE_HD Totals operator()(std::size_t g) const {
    const std::uint64_t targets = group_start ? group_start[g + 1] - group_start[g] : 0;
    return {{targets * work[g].particle_particle, targets * work[g].cell_particle, work[g].opening_tests, work[g].cell_cell}};
  }
};
struct AddTotals {
  GROVE_HD std::uint64_t operator()(int, std::uint64_t a, std::uint64_t b) const { return a + b; }
};

template <class Space>
void add_totals(Space& space, const std::uint32_t* group_start, View<const GroupWork> work, WorkCounts& counts) {
  const Totals totals = space.reduce_rows(work.size, Totals{}, TotalsOf{group_start, work.data}, AddTotals{});
  counts.particle_particle += totals.part[0];
  counts.cell_particle += totals.part[1];
  counts.opening_tests += totals.part[2];
  counts.cell_cell += totals.part[3];
}

}  // namespace

template <class Space>
void TreeWalker<Space>::choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) {
  choose_target_groups<Space>(space_, tree, keys, grove::largest_group, particles.tree_level.view());
}

template <class Space>
void TreeWalker<Space>::set_targets(const Tree<Space>&, const Outliers& outliers, const Particles<Space>& particles) {
  particles_ = &particles;
  list_target_groups<Space>(space_, particles.tree_level.view(), outliers, group_start_);
}

template <class Space>
LeastInGroups TreeWalker<Space>::begin_forces(const LastAccelerations& last_acceleration) {
  LeastInGroups least{group_start_.view(), nullptr, last_acceleration};
  group_least_acceleration_.resize_discard(least.count());
  least.least = group_least_acceleration_.data();
  group_work_.resize_discard(least.count());
  targets_ = {particles_->position.view(), group_least_acceleration_.view(),
              group_start_.view(),         particles_->acceleration.view(),
              group_work_.view(),          {}};
  return least;
}

template <class Space>
void TreeWalker<Space>::set_active(const std::uint8_t* active) {
  all_active_ = active ? active_.find(space_, group_start(), active) : ActiveTargets{};
  targets_.active = all_active_;
  if (active) space_.fill_bytes(group_work_.data(), 0, group_work_.size() * sizeof(GroupWork));
}

template <class Space>
bool TreeWalker<Space>::walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const LongestBox&,
                             const std::function<void()>& meanwhile) {
  targets_.particles = particles_->position.view();  // its memory may have grown
  walk_tree(space_, law, sources, targets_, mode);
  if (meanwhile) meanwhile();
  return true;
}

template <class Space>
WorkCounts TreeWalker<Space>::work_counts() {
  WorkCounts counts;
  add_totals<Space>(space_, group_start_.data(), group_work_.view(), counts);
  return counts;
}

template <class Space>
void FmmWalker<Space>::choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) {
  choose_target_groups<Space>(space_, tree, keys, largest_fmm_group<Space>, particles.tree_level.view());
  if constexpr (Space::on_gpu)
    if (FmmWalk<Space>::waits_for_slowest_group(space_, form_, particles.size()))
      divide_busy_groups<Space>(space_, largest_fmm_group<Space>, particles.work.view(), particles.tree_level.view());
}

template <class Space>
void FmmWalker<Space>::set_targets(const Tree<Space>& tree, const Outliers& outliers, const Particles<Space>& particles) {
  tree_ = &tree;
  particles_ = &particles;
  targets_.build(space_, tree, particles.tree_level.view(), outliers);
}

template <class Space>
LeastInGroups FmmWalker<Space>::begin_forces(const LastAccelerations& last_acceleration) {
  LeastInGroups least{targets_.group_start(), nullptr, last_acceleration};
  group_least_acceleration_.resize_discard(least.count());
  least.least = group_least_acceleration_.data();
  group_work_.resize_discard(targets_.view().group_count);
  data_ = {{}, nullptr, particles_->position.view(), group_least_acceleration_.view(), particles_->acceleration.view(), group_work_.view(),
           {}};
  return least;
}

template <class Space>
void FmmWalker<Space>::set_active(const std::uint8_t* active) {
  all_active_ = active ? active_.find(space_, targets_, active) : ActiveTargets{};
  data_.active = all_active_;
  is_first_walk_ = true;
  if (active) space_.fill_bytes(group_work_.data(), 0, group_work_.size() * sizeof(GroupWork));
}

template <class Space>
bool FmmWalker<Space>::walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const LongestBox& longest_box,
                            const std::function<void()>& meanwhile) {
  data_.particles = particles_->position.view();  // its memory may have grown
  data_.own_tree = tree_->view(data_.particles.data);
  data_.least_acceleration = tree_->least_acceleration.data();
  if (is_first_walk_) fmm_walk_.begin(space_, targets_.view().cell_count);
  is_first_walk_ = false;
  data_.longest_box = longest_box;
  return fmm_walk_.walk(space_, law, sources, targets_, data_, mode, meanwhile);
}

template <class Space>
WorkCounts FmmWalker<Space>::work_counts() {
  WorkCounts counts;
  add_totals<Space>(space_, targets_.group_start().data, group_work_.view(), counts);
  // A rank without particles has not walked.
  if (!is_first_walk_) add_totals<Space>(space_, nullptr, fmm_walk_.cell_work(), counts);
  return counts;
}

template class TreeWalker<BackEnd>;
template class FmmWalker<BackEnd>;

}  // namespace grove
