#include "src/solver/tree_walks.hpp"

#include <vector>

#include "kernels/particles/work.hpp"
#include "kernels/walks/direct_sum_on_few.hpp"
#include "src/solver/class_walks.hpp"

namespace grove {

namespace {

/// Particles of a class that get forces by direct summation: for so few, a walk on a GPU takes longer (docs/development/constants.md).
template <class Space>
constexpr std::size_t most_by_direct_summation = Space::on_gpu ? most_in_direct_sum_on_few : 0;

/// Gives every particle of a group the group's cost per target: the particle's weight when domains are next cut. Also marks the particles
/// of groups that are parts of divided ones.
struct SpreadWork {
  const std::uint32_t* group_start;
  const GroupWork* group_work;
  ActiveTargets active;
  View<const std::uint8_t> tree_level;
  std::uint32_t* work;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t k) const {
    const std::size_t g = active.is_list ? active.groups[k] : k;
    const GroupWork w = group_work[g];
    const std::uint32_t begin = group_start[g], end = group_start[g + 1], targets = end - begin;
    const std::uint64_t slots =
        std::uint64_t{w.particle_particle} * slots_particle_particle + std::uint64_t{w.cell_particle} * slots_cell_particle +
        (std::uint64_t{w.cell_cell} * slots_cell_cell + std::uint64_t{w.opening_tests} * slots_opening_test) / targets;
    const auto cost = static_cast<std::uint32_t>(smaller<std::uint64_t>(slots, ~std::uint32_t{0}));
    const bool is_part = divides_group(tree_level[begin]) || (end < tree_level.size && divides_group(tree_level[end]));
    const std::uint32_t told = work_of(cost, is_part);
    for (std::uint32_t i = begin + static_cast<std::uint32_t>(team.rank()); i < end; i += Team::size)
      if (active.wants(i)) work[i] = told;
  }
};

struct ForgetWork {
  std::uint32_t* work;
  GROVE_HD void operator()(std::size_t i) const { work[i] = unknown_work; }
};

}  // namespace

template <class Space>
WalkOutcome TreeWalks<Space>::run(Particles<Space>& particles, const std::uint8_t* active, const TreeBounds& bounds,
                                  PhaseClock<Space>& clock, const std::function<void()>& meanwhile) {
  const Tree<Space>& tree = own_.tree();
  walker_.set_active(active, tree.class_count > 1 ? ParticleParts{tree.class_begin, tree.class_count} : ParticleParts{});
  walker_.set_may_lack_cells(others_.may_lack_cells());
  const auto after_walk = [&] {
    spread_work(particles);
    if (meanwhile) meanwhile();
  };
  return !others_.exist() || others_.join_own_tree() ? walk_together(particles, bounds, clock, after_walk)
                                                     : walk_one_after_the_other(particles, bounds, clock, after_walk);
}

template <class Space>
void TreeWalks<Space>::forget_work(Particles<Space>& particles) {
  space_.for_each(particles.size(), ForgetWork{particles.work.data()});
}

template <class Space>
WorkCounts TreeWalks<Space>::work_counts() {
  WorkCounts counts = walker_.work_counts();
  counts.cells = own_.tree().cell_count();
  counts.imported_cells = others_.received_cells();
  counts.imported_particles = others_.received_particles();
  return counts;
}

/// One walk of the own tree and those of the others, if there are any.
template <class Space>
WalkOutcome TreeWalks<Space>::walk_together(const Particles<Space>& particles, const TreeBounds& bounds, PhaseClock<Space>& clock,
                                            const std::function<void()>& after_walk) {
  if (others_.exist()) {
    clock.begin("tree exchange");
    others_.receive();
  }
  clock.begin("walk");
  return walk_classes(
      particles, WalkMode::own_tree, bounds,
      [&](ClassRange classes) { return others_.exist() ? others_.view(classes) : own_.tree().view(particles.position.data(), classes); },
      after_walk);
}

/// The own tree is walked while those of the others travel.
template <class Space>
WalkOutcome TreeWalks<Space>::walk_one_after_the_other(const Particles<Space>& particles, const TreeBounds& bounds,
                                                       PhaseClock<Space>& clock, const std::function<void()>& after_walk) {
  clock.begin("walk");
  const WalkOutcome of_own = walk_classes(
      particles, WalkMode::own_tree, bounds, [&](ClassRange classes) { return own_.tree().view(particles.position.data(), classes); },
      [&] { others_.receive(); });
  clock.begin("walk of others");
  return larger(of_own,
                walk_classes(
                    particles, WalkMode::other_tree, bounds, [&](ClassRange classes) { return others_.view(classes); }, after_walk));
}

/// Walks the trees of all classes, view_of(classes), for the targets of all classes, with the softening of their pairs. `mode` is that of
/// the first walk for a target. With one class, its walk checks `bounds`, and calls `meanwhile`; with several, that follows the last walk.
template <class Space>
template <class ViewOfClasses>
WalkOutcome TreeWalks<Space>::walk_classes(const Particles<Space>& particles, WalkMode mode, const TreeBounds& bounds,
                                           ViewOfClasses view_of, const std::function<void()>& meanwhile) {
  const Tree<Space>& tree = own_.tree();
  if (tree.class_count == 1) return walker_.walk(own_.laws().largest(), view_of({0, 1}), mode, bounds, meanwhile);
  auto outcome = WalkOutcome::complete;
  // Returns whether there are any.
  const auto take_targets = [&](ClassRange targets) {
    walker_.set_parts(targets.begin, targets.end);
    return !walker_.next_targets().groups.empty();
  };
  std::vector<bool> takes_walks(static_cast<std::size_t>(tree.class_count), true);
  for (int t = 0; t < tree.class_count; ++t) {
    if (mode != WalkMode::own_tree || !takes_direct_summation(t)) continue;
    takes_walks[static_cast<std::size_t>(t)] = false;
    if (take_targets({t, t + 1})) outcome = larger(outcome, sum_on_class(particles, t));
  }
  for (const ClassWalk& walk : class_walks(law_.classes(), takes_walks)) {
    if (!take_targets(walk.targets)) continue;
    // In the own tree, the first walk sets the forces: it has sources, since its targets are among them.
    outcome = larger(outcome, walker_.walk(own_.laws().of_pair(walk.targets.begin, walk.sources.begin), view_of(walk.sources),
                                           walk.is_first() ? mode : WalkMode::other_tree));
  }
  meanwhile();
  return outcome;
}

/// Whether a class has particles here, but so few that the own ones act on them by direct summation.
template <class Space>
bool TreeWalks<Space>::takes_direct_summation(int its_class) const {
  const auto c = static_cast<std::size_t>(its_class);
  const std::size_t count = own_.tree().class_begin[c + 1] - own_.tree().class_begin[c];
  return count > 0 && count <= most_by_direct_summation<Space>;
}

/// Sets the forces of all own particles on those of a class, and adds those of other trees that are joined to the own one.
template <class Space>
WalkOutcome TreeWalks<Space>::sum_on_class(const Particles<Space>& particles, int its_class) {
  const Tree<Space>& tree = own_.tree();
  const std::uint8_t* const active = walker_.next_targets().particle;
  const std::size_t begin = tree.class_begin[static_cast<std::size_t>(its_class)],
                    count = tree.class_begin[static_cast<std::size_t>(its_class) + 1] - begin;
  const DirectSources sources{particles.position.view(), particles.id.view(), particles.type.view()};
  direct_sum_on_few<Space>(space_, law_, sources,
                           {sources.position.part(begin, count), sources.id.part(begin, count),
                            particles.acceleration.view().part(begin, count), sources.type.part(begin, count)},
                           active ? active + begin : nullptr);
  walker_.add_pairs(particles.size());
  auto outcome = WalkOutcome::complete;
  if (!others_.exist() || !others_.join_own_tree()) return outcome;
  for (int c = 0; c < tree.class_count; ++c) {
    TreeView others = others_.view({c, c + 1});
    if (tree.root_of(c) != no_cell) ++others.roots, --others.root_count;  // without the own tree
    outcome = larger(outcome, walker_.walk(own_.laws().of_pair(its_class, c), others, WalkMode::other_tree));
  }
  return outcome;
}

template <class Space>
void TreeWalks<Space>::spread_work(Particles<Space>& particles) {
  const View<const GroupWork> work = walker_.group_work();
  const ActiveTargets walked = walker_.all_active();
  space_.for_each_by_team(walked.is_list ? walked.groups.size : work.size,
                          SpreadWork{walker_.group_start().data, work.data, walked, particles.tree_level.view(), particles.work.data()});
}

template class TreeWalks<BackEnd>;

}  // namespace grove
