// The methods `tree` and `fmm`: walks of the own tree and of the essential trees of the other ranks.
#pragma once

#include <memory>
#include <utility>

#include "decomposition/domain_exchange.hpp"
#include "decomposition/particle_exchange.hpp"
#include "decomposition/tree_exchange.hpp"
#include "src/simulation/force_solver.hpp"
#include "src/simulation/walkers.hpp"

namespace grove {

template <class Space>
class TreeSolver final : public ForceSolver<Space> {
 public:
  TreeSolver(Space& space, const Communicator& comm, const GravityLaw& law, std::unique_ptr<Walker<Space>> walker, TransportWay way)
      : space_(space),
        comm_(comm),
        law_(law),
        scaled_law_(law.unscaled()),
        walker_(std::move(walker)),
        end_keys_(space),
        particle_exchange_(space, comm, way),
        tree_(space, walker_->multipole_form()),
        essential_(space),
        tree_exchange_(space, comm, way) {}

  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock) override;
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock) override;
  std::string transport_description() override;
  WorkCounts work_counts() override;
  void save(SavedState& state) const override;
  void restore(const SavedState& state) override;

 private:
  /// `is_temporary`: the trees serve to find the first accelerations, and those of other ranks are then given up.
  void prepare_for(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary);
  void make_room_for_others(Particles<Space>& particles);
  void build_own_tree(Particles<Space>& particles, PhaseClock<Space>& clock);
  void keep_end_keys(View<const std::uint64_t> keys);
  void send_essential_trees(Particles<Space>& particles, bool is_temporary);
  void walk_together(PhaseClock<Space>& clock);
  void walk_other_trees(PhaseClock<Space>& clock);

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  ScaledLaw scaled_law_;  ///< in the units of the tree that was prepared
  std::unique_ptr<Walker<Space>> walker_;
  Frame frame_;
  StepBuffer<Space, std::uint64_t> end_keys_;  ///< smallest and largest key of this rank's particles, on several ranks
  ParticleExchange<Space> particle_exchange_;
  Tree<Space> tree_;
  DomainExchange domains_;
  EssentialTrees<Space> essential_;
  TreeExchange<Space> tree_exchange_;
  bool has_other_trees_ = false;  ///< whether the trees of the other ranks have arrived since prepare()
};

}  // namespace grove
