// The methods `tree` and `fmm`: walks of the own tree and of the essential trees of the other ranks.
#pragma once

#include <memory>
#include <string>

#include "src/solver/force_solver.hpp"
#include "src/solver/other_trees.hpp"
#include "src/solver/own_tree.hpp"
#include "src/solver/tree_reuse.hpp"
#include "src/solver/tree_walks.hpp"
#include "src/solver/walkers.hpp"

namespace grove {

/// Calls the parts, which do not call each other back: the decision on tree reuse, the own tree, the trees of other ranks, and the walks,
/// which read the trees. It alone knows when a walk must be repeated: where the opening criterion needs accelerations of which there are
/// none, and where a particle has been thrown out of a reused tree.
template <class Space>
class TreeSolver final : public ForceSolver<Space> {
 public:
  /// A tree is used for `most_steps` steps at most.
  TreeSolver(Space& space, const Communicator& comm, const GravityLaw& law, int most_steps, std::unique_ptr<Walker<Space>> walker,
             TransportWay way);

  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets) override;
  void prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  void forget_ahead() override;
  MagnitudesAhead magnitudes_ahead(Particles<Space>& particles, double drift) override;
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
              const std::function<void()>& meanwhile) override;
  std::string transport_description() override { return others_.transport_description(); }
  WorkCounts work_counts() override { return walks_.work_counts(); }
  void save(SavedState& state) const override;
  void restore(const SavedState& state, const Particles<Space>& particles) override;

 private:
  bool can_reuse_tree(const Particles<Space>& particles, double drift) const {
    return particles.has_acceleration && reuse_.can_reuse(drift);
  }
  bool reuse_tree(Particles<Space>& particles, PhaseClock<Space>& clock, Targets targets);
  void update_tree(Particles<Space>& particles, PhaseClock<Space>& clock);
  void make_tree(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets);
  bool build_tree(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets,
                  bool is_temporary);
  int planned_steps(double drift, Targets targets) const { return reuse_.planned_steps(drift, targets == Targets::some); }
  void begin_arena_step();
  void begin_reuse(int planned, double drift, Targets targets, const Particles<Space>& particles);
  WalkOutcome walk(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                   const std::function<void()>& meanwhile);

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  std::unique_ptr<Walker<Space>> walker_;
  TreeReuse reuse_;
  OwnTree<Space> own_;
  OtherTrees<Space> others_;
  TreeWalks<Space> walks_;
  bool walk_checks_bounds_ = false;  ///< whether the next walk, of a tree that is reused, does
  double ahead_drift_ = 0;           ///< of prepare_ahead(), if that has done what prepare() is to do; else 0
};

}  // namespace grove
