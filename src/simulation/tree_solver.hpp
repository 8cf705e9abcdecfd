// The methods `tree` and `fmm`: walks of the own tree and of the essential trees of the other ranks.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "decomposition/domain_exchange.hpp"
#include "decomposition/particle_exchange.hpp"
#include "decomposition/tree_exchange.hpp"
#include "src/simulation/force_solver.hpp"
#include "src/simulation/tree_life.hpp"
#include "src/simulation/walkers.hpp"

namespace grove {

template <class Space>
class TreeSolver final : public ForceSolver<Space> {
 public:
  /// A tree serves `most_steps` steps at most.
  TreeSolver(Space& space, const Communicator& comm, const GravityLaw& law, int most_steps, std::unique_ptr<Walker<Space>> walker,
             TransportWay way)
      : space_(space),
        comm_(comm),
        law_(law),
        life_(most_steps),
        scaled_law_(law.unscaled()),
        scaled_laws_(static_cast<std::size_t>(law.classes().count()), scaled_law_),
        walker_(std::move(walker)),
        end_keys_(space),
        part_(space),
        particle_exchange_(space, comm, way),
        tree_(space, walker_->multipole_form()),
        essential_(space),
        tree_exchange_(space, comm, way) {
    tree_.class_count = law.classes().count();
  }

  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  void prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  MagnitudesAhead magnitudes_ahead(Particles<Space>& particles, double drift) override;
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
              const std::function<void()>& meanwhile) override;
  std::string transport_description() override;
  WorkCounts work_counts() override;
  // In tree_solver_state.cpp.
  void save(SavedState& state) const override;
  void restore(const SavedState& state, const Particles<Space>& particles) override;

 private:
  /// Returns false, and has prepared nothing, if the last accelerations tell nothing of those to come. `is_temporary`: the trees serve to
  /// find the first accelerations, and those of other ranks are then given up.
  bool prepare_for(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock, double drift, bool is_temporary);
  bool prepare_with_same_tree(Particles<Space>& particles, PhaseClock<Space>& clock);
  void find_moments_of_same_tree(Particles<Space>& particles, PhaseClock<Space>& clock);
  void set_scale(const GravityLaw& law);
  void set_laws(const GravityLaw& law, ExpansionForm form);
  void choose_form(const GravityLaw& law);
  void make_room_for_others(Particles<Space>& particles);
  View<const float> build_own_tree(Particles<Space>& particles, PhaseClock<Space>& clock);
  void begin_life(int planned, double drift, const Particles<Space>& particles);
  void link_again(Particles<Space>& particles);
  void set_targets(const Particles<Space>& particles);
  void find_moments(const Particles<Space>& particles, const LastAccelerations& last_acceleration, PhaseClock<Space>& clock);
  View<const float> sort(Particles<Space>& particles, View<std::uint64_t> keys, PhaseClock<Space>& clock);
  void keep_end_keys(View<const std::uint64_t> keys);
  bool walk_looks_at_box() const { return comm_.size() == 1 && tree_.class_count == 1 && walker_->looks_at_box(); }
  double longest_extent() const;
  bool have_short_boxes();
  void describe_domains(const Particles<Space>& particles, PhaseClock<Space>& clock);
  void send_trees(Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary);
  // In tree_solver_walks.cpp, as forces().
  void walk_alone(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                  const std::function<void()>& meanwhile);
  void walk_together(const std::uint8_t* active, PhaseClock<Space>& clock);
  void walk_own_and_other_trees(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock);
  SavedState::Counts classes_in_numbers() const;
  void save_tree(SavedState& state) const;
  void restore_tree(const SavedState& state, std::size_t particle_count);
  template <class ViewOfClass>
  bool walk_classes(const std::uint8_t* active, WalkMode mode, ViewOfClass view_of, const std::function<void()>& meanwhile = {});
  void spread_work(Particles<Space>& particles);
  void forget_work(Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  TreeLife life_;
  ScaledLaw scaled_law_;                ///< in the units of the tree that was prepared
  std::vector<ScaledLaw> scaled_laws_;  ///< the same for pairs of each class of softening
  std::unique_ptr<Walker<Space>> walker_;
  Frame frame_;                            ///< of the tree
  Buffer<Space, std::uint64_t> end_keys_;  ///< smallest and largest key of this rank's particles, on several ranks
  Buffer<Space, std::uint8_t> part_;       ///< with several classes: not 0 for active particles of the class that is walked for
  ParticleExchange<Space> particle_exchange_;
  Tree<Space> tree_;
  DomainExchange domains_;
  EssentialTrees<Space> essential_;
  TreeExchange<Space> tree_exchange_;
  double ahead_drift_ = 0;        ///< of prepare_ahead(), if that has done what prepare() is to do; else 0
  bool has_magnitudes_ = false;   ///< of magnitudes_ahead(), for the next prepare()
  std::uint64_t tree_step_ = 0;   ///< the arena's step in whose memory the own tree is; another one has come: the tree is gone
  bool has_other_trees_ = false;  ///< whether the trees of the other ranks have arrived since prepare()
};

}  // namespace grove
