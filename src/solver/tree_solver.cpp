#include "src/solver/tree_solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace grove {

template <class Space>
TreeSolver<Space>::TreeSolver(Space& space, const Communicator& comm, const GravityLaw& law, int most_steps,
                              std::unique_ptr<Walker<Space>> walker, TransportWay way)
    : space_(space),
      comm_(comm),
      law_(law),
      walker_(std::move(walker)),
      reuse_(most_steps),
      own_(space, comm, law, *walker_, way),
      others_(space, comm, way),
      walks_(space, law_, *walker_, own_, others_) {}

template <class Space>
void TreeSolver<Space>::prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets) {
  if (ahead_drift_ != 0 && ahead_drift_ == drift) {
    ahead_drift_ = 0;
    return;
  }
  forget_ahead();
  if (!can_reuse_tree(particles, drift) || !reuse_tree(particles, clock, targets)) make_tree(particles, clock, drift, targets);
  particles.has_acceleration = false;  // until forces() sets them anew
}

/// Where the walk itself checks the bounds, and essential trees are selected, the host need not wait for the device: but it does where
/// roots are gathered first (nine ranks or more), or where MPI reads the memory of GPUs.
template <class Space>
void TreeSolver<Space>::prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) {
  if (!can_reuse_tree(particles, drift) || !walks_.checks_bounds() || !others_.are_selected()) return;
  update_tree(particles, clock);
  walk_checks_bounds_ = true;
  others_.send(own_, particles, clock, false);
  particles.has_acceleration = false;
  ahead_drift_ = drift;
}

/// Essential trees that are on their way must arrive before others are sent.
template <class Space>
void TreeSolver<Space>::forget_ahead() {
  if (std::exchange(ahead_drift_, 0) != 0) others_.receive();
}

template <class Space>
MagnitudesAhead TreeSolver<Space>::magnitudes_ahead(Particles<Space>& particles, double drift) {
  return can_reuse_tree(particles, drift) ? own_.magnitudes_ahead() : MagnitudesAhead{};
}

template <class Space>
void TreeSolver<Space>::forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                               const std::function<void()>& meanwhile) {
  bool is_first = true;
  const auto once = [&] {
    if (std::exchange(is_first, false) && meanwhile) meanwhile();
  };
  WalkOutcome outcome = walk(particles, active, clock, once);
  if (outcome == WalkOutcome::lacks_cells) {
    // Particles have moved further than the margin of the essential trees.
    others_.select(own_, particles, clock, reuse_.time_left());
    others_.send(own_, particles, clock, false);
    outcome = walk(particles, active, clock, once);
  } else if (outcome == WalkOutcome::out_of_bounds) {
    // A particle was thrown out of the tree. The last accelerations, on some ranks these, are as good as before; the work is not known.
    walks_.forget_work(particles);
    particles.has_acceleration = true;
    make_tree(particles, clock, reuse_.drift(), Targets::all);
    outcome = walk(particles, nullptr, clock, once);
  }
  if (outcome != WalkOutcome::complete) throw std::logic_error("the walk of new trees is not complete");
}

/// The outcome is that of all ranks.
template <class Space>
WalkOutcome TreeSolver<Space>::walk(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                                    const std::function<void()>& meanwhile) {
  const TreeBounds bounds = reuse_.is_reused() && walk_checks_bounds_ ? own_.bounds() : TreeBounds{};
  WalkOutcome outcome = walks_.run(particles, active, bounds, clock, meanwhile);
  if (others_.exist() && reuse_.is_reused()) {
    clock.begin("waiting");
    outcome = static_cast<WalkOutcome>(comm_.max(static_cast<int>(outcome)));
  }
  if (!active && outcome == WalkOutcome::complete) particles.has_acceleration = true;
  return outcome;
}

/// For one more step of the same tree: its cells have the same particles, at other positions. Returns false where a particle was thrown
/// out of it, unless the walk checks that: one for all particles, since only these have accelerations for a new tree after it.
template <class Space>
bool TreeSolver<Space>::reuse_tree(Particles<Space>& particles, PhaseClock<Space>& clock, Targets targets) {
  update_tree(particles, clock);
  walk_checks_bounds_ = targets == Targets::all && walks_.checks_bounds();
  if (!walk_checks_bounds_ && comm_.min(own_.is_within_bounds() ? 1 : 0) == 0) return false;
  if (!others_.are_selected()) others_.select(own_, particles, clock, reuse_.time_left());
  others_.send(own_, particles, clock, false);
  return true;
}

/// Links the cells again where something else, a snapshot say, has used their memory, where the trees of others had no room behind them,
/// and after a restart.
template <class Space>
void TreeSolver<Space>::update_tree(Particles<Space>& particles, PhaseClock<Space>& clock) {
  reuse_.begin_step();
  if (!own_.is_in_memory() || others_.have_moved_own_tree()) {
    clock.begin("tree");
    begin_arena_step();
    others_.make_room(own_.tree(), particles);
    own_.link_again(particles);
  }
  own_.update_moments(particles, clock);
}

/// Makes a new tree. Where the opening criterion looks at the last accelerations and there are none, or none that tell anything of the
/// next ones, a geometric walk finds the first ones.
template <class Space>
void TreeSolver<Space>::make_tree(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets) {
  if (particles.has_acceleration && build_tree(law_, particles, clock, drift, targets, false)) return;
  particles.has_acceleration = false;
  if (law_.needs_acceleration()) {
    build_tree(law_.without_acceleration(), particles, clock, 0, Targets::all, true);
    walk(particles, nullptr, clock, {});
    others_.release();
  }
  build_tree(law_, particles, clock, drift, targets, false);
}

/// Returns false, with no tree, if the last accelerations tell nothing of the next ones. Without accelerations the particles are those of a
/// new run. `is_temporary`: the trees of other ranks are given up after the next walk.
template <class Space>
bool TreeSolver<Space>::build_tree(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock, double drift,
                                   Targets targets, bool is_temporary) {
  clock.begin("keys");
  const bool is_new_run = !particles.has_acceleration;
  is_new_run ? reuse_.reset() : reuse_.end();
  begin_arena_step();
  const int planned = planned_steps(drift, targets);
  const bool has_grown = own_.find_frame(particles, 0.5 * (planned - 1) * drift, is_new_run);
  if (!is_new_run && law.needs_acceleration() && has_grown) return false;
  own_.exchange(law, particles, clock);
  if (!is_temporary) others_.make_room(own_.tree(), particles);
  const View<const float> last_acceleration = own_.build(law, particles, clock);
  if (drift != 0 && own_.can_be_reused()) begin_reuse(planned, drift, targets, particles);
  own_.find_moments(particles, last_acceleration, clock);
  others_.select(own_, particles, clock, reuse_.time_left());
  others_.send(own_, particles, clock, is_temporary);
  return true;
}

/// What a step of the arena had to take twice, the next ones have room for.
template <class Space>
void TreeSolver<Space>::begin_arena_step() {
  if (others_.have_moved_own_tree()) space_.arena().forget_largest_use();
  space_.arena().begin_step();
}

template <class Space>
void TreeSolver<Space>::begin_reuse(int planned, double drift, Targets targets, const Particles<Space>& particles) {
  if (reuse_.needs_motion(planned)) reuse_.set_motion(own_.motion(particles));
  // Particles may have become faster since the last tree. Fewer steps than planned do not end as they began: that is rare.
  reuse_.begin(std::min(planned, planned_steps(drift, targets)), drift);
}

template <class Space>
void TreeSolver<Space>::save(SavedState& state) const {
  state.put_count("solver.ranks", static_cast<std::uint64_t>(comm_.size()));
  own_.save(state);
  others_.save(state);
  reuse_.save(state);
}

template <class Space>
void TreeSolver<Space>::restore(const SavedState& state, const Particles<Space>& particles) {
  if (!state.has("solver.ranks") || state.count("solver.ranks") != static_cast<std::uint64_t>(comm_.size())) return;
  reuse_.restore(state);
  if (!own_.restore(state, particles.size())) reuse_.end();
  others_.restore(state);
}

template class TreeSolver<BackEnd>;

}  // namespace grove
