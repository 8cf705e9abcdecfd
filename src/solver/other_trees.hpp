// The essential trees of the other ranks, and what this rank sends of its own tree.
#pragma once

#include <string>

#include "decomposition/domain/domain_exchange.hpp"
#include "decomposition/domain/tree_exchange.hpp"
#include "src/solver/own_tree.hpp"

namespace grove {

/// Exchanges essential trees. For each new tree: select(), send(), and what the walks receive; for each step of a reused one, send() of the
/// same cells. On one rank these do nothing.
template <class Space>
class OtherTrees {
 public:
  /// `space` and `comm` must outlive it.
  OtherTrees(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), essential_(space), exchange_(space, comm, way) {}

  /// Receives what is on its way: collective, unless an exception is being thrown.
  ~OtherTrees();
  OtherTrees(const OtherTrees&) = delete;
  OtherTrees& operator=(const OtherTrees&) = delete;

  bool exist() const { return comm_.size() > 1; }
  /// Makes room behind the own tree and the positions for the trees that will join them: to move these to larger memory later would take
  /// both for a moment. Before the own tree is built or linked. Collective.
  void make_room(Tree<Space>& own, Particles<Space>& particles);
  /// Whether the present tree has a selection for later steps.
  bool are_selected() const { return !exist() || is_kept_; }
  /// After send(): whether it sent the selection of an earlier step, since which targets and cells have moved.
  bool may_lack_cells() const { return may_lack_cells_; }
  /// Whether the own tree had too little room, and has moved to other memory of the step.
  bool have_moved_own_tree() const { return exchange_.has_moved_own_tree(); }

  /// Tells the other ranks where the targets of this one are, and selects what they need of the own tree: also in later steps of the same
  /// tree, for the time `kept_for` [code units]; 0: now alone. Collective; synchronises.
  void select(OwnTree<Space>& own, const Particles<Space>& particles, PhaseClock<Space>& clock, double kept_for);
  /// Sends what is selected, as it now is. `is_temporary`: release() follows the walk. Collective.
  void send(OwnTree<Space>& own, Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary);
  /// Gives back the memory of temporary trees, which are several times larger than later ones.
  void release();

  /// Whether the other trees are walked together with the own one.
  bool join_own_tree() const { return exchange_.joins_own_tree(); }
  /// Waits for the other trees, and until all that this rank has sent has left. Does nothing where that is done since send().
  void receive();
  /// The other trees of some classes, with the own ones if they join these.
  TreeView view(ClassRange classes) const { return exchange_.view(classes); }

  std::uint64_t received_cells() const { return exchange_.received_cells(); }
  std::uint64_t received_particles() const { return exchange_.received_particles(); }
  /// How trees travel, for the user. Collective.
  std::string transport_description();

  /// The selection of all ranks. Collective.
  void save(SavedState& state) const;
  /// Of as many ranks, and for the same tree. The next send() selects as saved.
  void restore(const SavedState& state);

 private:
  /// What is selected: nothing yet, what saved_ says, cells of which the others do not know, cells that were sent in an earlier step.
  enum class State { none, restored, new_selection, sent };

  void describe(const OwnTree<Space>& own, const Particles<Space>& particles, const BoxMargin& margin);
  void enlarge_cut_cells(OwnTree<Space>& own);
  void select_as_saved(const OwnTree<Space>& own, const Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  State state_ = State::none;
  bool is_kept_ = false;      ///< what is selected stays so in later steps
  SavedState::Counts saved_;  ///< EssentialTrees::closed_cells() of a restored state
  DomainsOfRanks domains_;    ///< when it was selected
  EssentialTrees<Space> essential_;
  TreeExchange<Space> exchange_;
  bool may_lack_cells_ = false;
  bool have_arrived_ = true;  ///< what was sent last
};

}  // namespace grove
