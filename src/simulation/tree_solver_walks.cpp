// The walks of a TreeSolver: of the own tree and those of the others, for each class of softening, and the work that they have told.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/particles/work.hpp"
#include "src/simulation/tree_solver.hpp"

namespace grove {

namespace {

/// Gives every particle of a group the group's cost per target: the particle's weight when domains are next cut. Also tells which particles
/// are in parts of divided groups.
struct SpreadWork {
  const std::uint32_t* group_start;
  const GroupWork* group_work;
  ActiveTargets active;
  View<const std::uint8_t> tree_level;
  std::uint32_t* work;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t k) const {
    const std::size_t g = active.some() ? active.groups[k] : k;
    const GroupWork w = group_work[g];
    const std::uint32_t begin = group_start[g], end = group_start[g + 1], targets = end - begin;
    const std::uint32_t cost = w.particle_particle * slots_particle_particle + w.cell_particle * slots_cell_particle +
                               (w.cell_cell * slots_cell_cell + w.opening_tests * slots_opening_test) / targets;
    const bool is_part = divides_group(tree_level[begin]) || (end < tree_level.size && divides_group(tree_level[end]));
    const std::uint32_t told = is_part ? cost | in_part_bit : cost & ~in_part_bit;
    for (std::uint32_t i = begin + static_cast<std::uint32_t>(team.rank()); i < end; i += Team::size)
      if (active.wants(i)) work[i] = told;
  }
};

/// Marks the active particles of one class.
struct MarkPart {
  const std::uint8_t* active;  ///< null: all
  std::uint32_t begin, end;
  std::uint8_t* part;
  GROVE_HD void operator()(std::size_t i) const { part[i] = begin <= i && i < end && (!active || active[i] != 0) ? 1 : 0; }
};

}  // namespace

template <class Space>
void TreeSolver<Space>::forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                               const std::function<void()>& meanwhile) {
  walker_->set_active(active);
  if (comm_.size() == 1) {
    walk_alone(particles, active, clock, meanwhile);
  } else {
    if (tree_exchange_.joins_own_tree())
      walk_together(active, clock);
    else
      walk_own_and_other_trees(particles, active, clock);
    spread_work(particles);
  }
  if (!active) particles.has_acceleration = true;
}

/// On one rank.
template <class Space>
void TreeSolver<Space>::walk_alone(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                                   const std::function<void()>& meanwhile) {
  bool is_first = true;
  const auto after_walk = [&] {
    spread_work(particles);
    if (std::exchange(is_first, false) && meanwhile) meanwhile();
  };
  const auto walk = [&] {
    clock.begin("walk");
    return walk_classes(
        active, WalkMode::own_tree, [&](int c) { return tree_.view(particles.position.data(), c); }, after_walk);
  };
  if (walk()) return;
  // A particle was thrown out. The last accelerations are as they were.
  if (active) throw std::logic_error("a tree that serves several steps is for the forces on all particles");
  const double drift = life_.drift();
  life_.end();
  forget_work(particles);
  particles.has_acceleration = true;
  prepare(particles, clock, drift);
  walker_->set_active(nullptr);
  if (!walk()) throw std::logic_error("the walk of a new tree was refused");
}

template <class Space>
void TreeSolver<Space>::spread_work(Particles<Space>& particles) {
  const View<const GroupWork> work = walker_->group_work();
  const ActiveTargets walked = walker_->active();
  space_.for_each_by_team(walked.some() ? walked.groups.size : work.size,
                          SpreadWork{walker_->group_start().data, work.data, walked, particles.tree_level.view(), particles.work.data()});
}

/// Walks the tree of each class, view_of(c), for the targets of each class, with the softening of their pairs. `mode` is that of the first
/// walk for a target. Returns false if that was refused; see Walker::walk(), also for `meanwhile`.
template <class Space>
template <class ViewOfClass>
bool TreeSolver<Space>::walk_classes(const std::uint8_t* active, WalkMode mode, ViewOfClass view_of,
                                     const std::function<void()>& meanwhile) {
  const int classes = tree_.class_count;
  if (classes == 1) return walker_->walk(scaled_law_, view_of(0), mode, meanwhile);
  const std::uint32_t count = tree_.class_begin[static_cast<std::size_t>(classes)];
  part_.resize_discard(count);
  for (int t = 0; t < classes; ++t) {
    const std::uint32_t begin = tree_.class_begin[static_cast<std::size_t>(t)], end = tree_.class_begin[static_cast<std::size_t>(t) + 1];
    if (begin == end) continue;
    space_.for_each(count, MarkPart{active, begin, end, part_.data()});
    walker_->set_part(part_.data());
    // The targets' own class comes first: it has sources on every rank that has targets.
    walker_->walk(scaled_laws_[static_cast<std::size_t>(t)], view_of(t), mode);
    for (int c = 0; c < classes; ++c)
      if (c != t) walker_->walk(scaled_laws_[static_cast<std::size_t>(std::max(t, c))], view_of(c), WalkMode::other_tree);
  }
  if (meanwhile) meanwhile();
  return true;
}

/// One walk of the own tree and those of the others.
template <class Space>
void TreeSolver<Space>::walk_together(const std::uint8_t* active, PhaseClock<Space>& clock) {
  clock.begin("tree exchange");
  if (!has_other_trees_) {
    tree_exchange_.receive_all();
    tree_exchange_.finish();
  }
  has_other_trees_ = true;
  clock.begin("walk");
  walk_classes(active, WalkMode::own_tree, [&](int c) { return tree_exchange_.view_of_all(c); });
}

/// The own tree is walked while those of the others travel.
template <class Space>
void TreeSolver<Space>::walk_own_and_other_trees(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock) {
  clock.begin("walk");
  walk_classes(active, WalkMode::own_tree, [&](int c) { return tree_.view(particles.position.data(), c); });
  clock.begin("tree exchange");
  if (Space::on_gpu && !has_other_trees_) tree_exchange_.send();
  for (int b = 0; b < tree_exchange_.batch_count(); ++b) {
    clock.begin("tree exchange");
    if (!has_other_trees_) tree_exchange_.receive(b);
    clock.begin("walk of others");
    walk_classes(active, WalkMode::other_tree, [&](int c) { return tree_exchange_.view(b, c); });
  }
  if (!has_other_trees_) tree_exchange_.finish();
  has_other_trees_ = true;
}

template void TreeSolver<BackEnd>::forces(Particles<BackEnd>&, const std::uint8_t*, PhaseClock<BackEnd>&, const std::function<void()>&);

}  // namespace grove
