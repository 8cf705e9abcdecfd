// The methods `tree` and `fmm`: one force evaluation by walks of the own tree and of the essential trees of the other ranks.
#pragma once

#include "decomposition/cut_cells.hpp"
#include "decomposition/particle_exchange.hpp"
#include "decomposition/tree_exchange.hpp"
#include "src/simulation/force_solver.hpp"
#include "src/simulation/walkers.hpp"

namespace grove {

template <class Space>
class TreeSolver final : public ForceSolver<Space> {
 public:
  TreeSolver(Space& space, const Communicator& comm, const GravityParameters& gravity, std::unique_ptr<Walker<Space>> walker)
      : space_(space),
        comm_(comm),
        gravity_(gravity),
        walker_(std::move(walker)),
        particle_exchange_(space),
        tree_(space, walker_->multipole_form()),
        essential_(space),
        tree_exchange_(space) {}

  void compute(Particles<Space>& particles, PhaseClock<Space>& clock) override;
  WorkCounts work_counts() override;

 private:
  void compute_with(const GravityParameters& gravity, Particles<Space>& particles, PhaseClock<Space>& clock);
  void build_own_tree(const GravityParameters& gravity, Particles<Space>& particles, PhaseClock<Space>& clock);
  void select_essential_trees(const GravityParameters& gravity, const Particles<Space>& particles);
  void walk_trees(const GravityParameters& gravity, const Particles<Space>& particles, PhaseClock<Space>& clock);

  Space& space_;
  const Communicator& comm_;
  const GravityParameters gravity_;
  std::unique_ptr<Walker<Space>> walker_;
  Frame frame_;
  KeyRange domain_;  ///< of this rank's particles in this step, where there are others
  ParticleExchange<Space> particle_exchange_;
  Tree<Space> tree_;
  EssentialTrees<Space> essential_;
  TreeExchange<Space> tree_exchange_;
  bool has_acceleration_ = false;  ///< whether particles come with the acceleration of a step before
};

}  // namespace grove
