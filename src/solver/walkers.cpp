#include "src/solver/walkers.hpp"

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

template <class Space>
void add_totals(Space& space, const std::uint32_t* group_start, View<const GroupWork> work, WorkCounts& counts) {
  const Totals totals = space.reduce_rows(work.size, Totals{}, TotalsOf{group_start, work.data}, AddParts{});
  counts.particle_particle += totals.part[0];
  counts.cell_particle += totals.part[1];
  counts.opening_tests += totals.part[2];
  counts.cell_cell += totals.part[3];
}

/// Every target of these groups meets all sources.
struct AddPairs {
  View<const std::uint32_t> groups;
  GroupWork* work;
  std::uint32_t sources;
  GROVE_HD void operator()(std::size_t k) const { work[groups[k]].particle_particle += sources; }
};

}  // namespace

template <class Space>
void Walker<Space>::choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) {
  choose_target_groups<Space>(space_, tree, keys, static_cast<std::uint32_t>(largest_group_), particles.tree_level.view());
}

template <class Space>
void Walker<Space>::set_targets(const Tree<Space>& tree, const Particles<Space>& particles) {
  tree_ = &tree;
  particles_ = &particles;
  list_targets();
}

template <class Space>
LeastInGroups Walker<Space>::begin_forces(const LastAccelerations& last_acceleration) {
  LeastInGroups least{group_start(), nullptr, last_acceleration};
  group_least_acceleration_.resize_discard(least.count());
  least.least = group_least_acceleration_.data();
  group_work_.resize_discard(least.count());
  return least;
}

template <class Space>
void Walker<Space>::set_active(const std::uint8_t* active, const ParticleParts& parts) {
  are_listed_ = active || parts.count > 1;
  next_targets_ = {};
  if (!are_listed_) return;
  active_lists_.find(space_, group_start(), active, parts);
  if (parts.count <= 1) next_targets_ = with_cells(active_lists_.all());
  clear_work();
}

template <class Space>
void Walker<Space>::add_pairs(std::size_t sources) {
  space_.for_each(next_targets_.groups.size, AddPairs{next_targets_.groups, group_work_.data(), static_cast<std::uint32_t>(sources)});
}

template <class Space>
WorkCounts Walker<Space>::work_counts() {
  WorkCounts counts;
  add_totals<Space>(space_, group_start().data, group_work_.view(), counts);
  return counts;
}

template <class Space>
WalkOutcome TreeWalker<Space>::walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const TreeBounds&,
                                    const std::function<void()>& meanwhile) {
  const Particles<Space>& particles = *this->particles_;
  const bool is_asked = this->may_lack_cells_;
  Scratch<Space, std::uint32_t> lacks_cells(this->space_, 1);
  if (is_asked) this->space_.fill_bytes(lacks_cells.data(), 0, sizeof(std::uint32_t));
  walk_tree(this->space_, law, sources,
            {particles.position.view(), this->group_least_acceleration_.view(), group_start(), particles.acceleration.view(),
             this->group_work_.view(), this->next_targets_, is_asked ? lacks_cells.data() : nullptr},
            mode);
  if (!is_asked) {
    if (meanwhile) meanwhile();
    return WalkOutcome::complete;
  }
  auto seen = this->space_.copy_to_host_later(lacks_cells.data());
  if (meanwhile) meanwhile();
  return seen.get() != 0 ? WalkOutcome::lacks_cells : WalkOutcome::complete;
}

template <class Space>
void FmmWalker<Space>::choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) {
  Walker<Space>::choose_groups(tree, keys, particles);
  if constexpr (Space::on_gpu)
    if (tree.class_count > 1 || FmmWalk<Space>::waits_for_slowest_group(this->space_, this->form_, particles.size()))
      divide_busy_groups<Space>(this->space_, largest_fmm_group<Space>, particles.work.view(), particles.tree_level.view());
}

template <class Space>
WalkOutcome FmmWalker<Space>::walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const TreeBounds& bounds,
                                   const std::function<void()>& meanwhile) {
  const Particles<Space>& particles = *this->particles_;
  const Tree<Space>& tree = *this->tree_;
  const FmmWalkTargets data{tree.view(particles.position.data()),
                            tree.least_acceleration.data(),
                            particles.position.view(),
                            this->group_least_acceleration_.view(),
                            particles.acceleration.view(),
                            this->group_work_.view(),
                            this->next_targets_,
                            bounds};
  const WalkOutcome outcome = fmm_walk_.walk(this->space_, law, sources, targets_, data, mode, meanwhile);
  return outcome == WalkOutcome::lacks_cells && !this->may_lack_cells_ ? WalkOutcome::complete : outcome;
}

template <class Space>
WorkCounts FmmWalker<Space>::work_counts() {
  WorkCounts counts = Walker<Space>::work_counts();
  add_totals<Space>(this->space_, nullptr, fmm_walk_.cell_work(), counts);
  return counts;
}

template class Walker<BackEnd>;
template class TreeWalker<BackEnd>;
template class FmmWalker<BackEnd>;

}  // namespace grove
