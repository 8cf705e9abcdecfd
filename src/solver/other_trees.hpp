// The essential trees of the other ranks, and what this rank sends of its own tree.
#pragma once

#include <string>

#include "decomposition/domain/domain_exchange.hpp"
#include "decomposition/domain/tree_exchange.hpp"
#include "src/solver/own_tree.hpp"

namespace grove {

/// Exchanges essential trees. For each new tree, and each step of a reused one: describe(), send(), and what the walks receive. On one rank
/// these do nothing.
template <class Space>
class OtherTrees {
 public:
  /// `space` and `comm` must outlive it.
  OtherTrees(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), essential_(space), exchange_(space, comm, way) {}

  bool exist() const { return comm_.size() > 1; }
  /// Makes room behind the own tree and the positions for the trees that will join them: to move these to larger memory later would take
  /// both for a moment. Before the own tree is built or linked. Collective.
  void make_room(Tree<Space>& own, Particles<Space>& particles);
  /// Whether the own tree had too little room, and has moved to other memory of the step.
  bool have_moved_own_tree() const { return exchange_.has_moved_own_tree(); }

  /// Tells the other ranks where the targets of this one are. Collective; synchronises.
  void describe(const OwnTree<Space>& own, const Particles<Space>& particles, PhaseClock<Space>& clock);
  /// After describe(): the longest side of the box around the targets of all ranks, code units; not a number where theirs are not.
  double extent(const TreeScale& scale) const { return extent_of(domains_.summaries, scale); }
  /// Selects and sends what the others need of the own tree. `is_temporary`: release() follows the walk. Collective.
  void send(OwnTree<Space>& own, Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary);
  /// Gives back the memory of temporary trees, which are several times larger than later ones.
  void release();

  /// Whether the other trees are walked together with the own one.
  bool join_own_tree() const { return exchange_.joins_own_tree(); }
  /// Waits for all trees that join the own one. Like all that follows, does nothing where they have arrived since send().
  void receive_all();
  /// On a GPU, sends what the walk of the own tree is to overlap with.
  void send_during_walk();
  int batch_count() const { return exchange_.batch_count(); }
  /// Waits for the trees of a batch; batches in order.
  void receive(int batch);
  /// Waits until all that this rank has sent has left.
  void finish();
  TreeView view_of_all(int its_class) const { return exchange_.view_of_all(its_class); }
  TreeView view(int batch, int its_class) const { return exchange_.view(batch, its_class); }

  std::uint64_t received_cells() const { return exchange_.received_cells(); }
  std::uint64_t received_particles() const { return exchange_.received_particles(); }
  /// How trees travel, for the user. Collective.
  std::string transport_description();

 private:
  Space& space_;
  const Communicator& comm_;
  DomainsOfRanks domains_;
  EssentialTrees<Space> essential_;
  TreeExchange<Space> exchange_;
  bool have_arrived_ = false;  ///< since send()
};

}  // namespace grove
