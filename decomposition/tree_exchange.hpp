// The exchange of essential trees: sent while this rank works, and made ready for walks.
//
// Where all messages go directly from GPU to GPU, and on the CPU, the trees of the others arrive so fast that one walk of the own tree and
// of theirs is the fastest: they are put behind the own tree, in the same arrays. Otherwise the own tree is walked meanwhile, and the
// others are taken batch by batch in a fixed order, nearest ranks first, in batches of 1, 1, 2, 4, 8 ... ranks: the first can be walked
// while the rest still travel, there are only logarithmically many walks, and the sums do not depend on which message was faster.
//
// With several classes of softening each rank sends a tree of each class. Walks are then asked for class by class.
//
// To a rank far away a tree is its root alone. With many ranks that is what most of them get, and it is the same for all: the roots of all
// ranks are gathered in one collective, and only trees with more than a root are messages.
#pragma once

#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/essential_tree.hpp"
#include "decomposition/transport.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

template <class Space>
class TreeExchange {
 public:
  /// `comm` must outlive it.
  TreeExchange(Space& space, const Communicator& comm, TransportWay way);

  /// Finds out which ways messages can go; does nothing when it is known. Collective. Throws AgreedError as Transport::connect() does.
  void connect();
  /// After connect(): whether messages travel so fast that other trees join the own one, unless a set is temporary.
  bool can_join() const { return is_fast_; }
  /// Agrees on the sizes of all messages, posts the receives, and starts to send `trees`, which must not change before finish(). If the
  /// other trees join the own one, `own` and the array of positions get room for them. They do so if can_join(), unless
  /// this set is temporary: its memory is not to be kept; see release(). Collective.
  void begin(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions, bool is_temporary);
  /// Hands all messages to MPI. Not collective; does not wait until they have left.
  void send() { transport_.dispatch(); }

  /// Whether the trees of the others are walked together with the own tree. The same on all ranks.
  bool joins_own_tree() const { return joins_; }
  /// Waits for the trees of all others and puts them behind the own one: see view_of_all().
  void receive_all();

  int batch_count() const { return static_cast<int>(batches_.size()); }
  /// Waits for the trees of one batch and brings them to the device. Batches in order.
  void receive(int batch);
  /// The trees of a class that were received, of a batch or all with the own one. Views hold until the next begin().
  TreeView view(int batch, int its_class) const;
  TreeView view_of_all(int its_class) const;
  /// Waits until all that this rank sent has left.
  void finish() { transport_.finish(); }
  /// Whether the own tree had too little room for those that joined it, and has moved to other memory of the step.
  bool has_moved_own_tree() const { return has_moved_; }
  /// Gives the memory of trees back that have not joined the own one.
  void release() {
    links_.release();
    geometry_.release();
    multipole_.release();
    particles_.release();
  }

  /// Particles of others for which a later set needs room behind the own ones, if it is like the last one that joined; 0: there was none.
  std::size_t expected_particles() const { return expected_particles_; }
  std::uint64_t received_cells() const { return cell_begin_.back() - cell_begin_.front(); }
  std::uint64_t received_particles() const { return particle_begin_.back() - particle_begin_.front(); }
  /// After connect(): how trees travel, for the user.
  std::string description() const { return transport_.description(); }

 private:
  /// Trees of the order in which they are taken: those of class c are [class_begin[c], class_begin[c + 1]).
  struct Batch {
    std::vector<std::size_t> class_begin;
    std::size_t first() const { return class_begin.front(); }
    std::size_t end() const { return class_begin.back(); }
  };
  /// Where a tree comes from.
  struct Source {
    int rank, its_class;
  };
  /// The arrays that hold the trees.
  struct Arrays {
    CellLinks* links;
    CellGeometry* geometry;
    float* multipole;
    Double4* particles;
  };

  void order_sources(std::span<const std::uint64_t> sizes, std::uint32_t first_cell, std::uint32_t first_particle);
  void list_roots(const Tree<Space>& own);
  bool is_root_alone(std::uint64_t cells, std::uint64_t particles) const;
  void gather_roots(const EssentialTrees<Space>& trees);
  void place_roots();
  void take_room(Tree<Space>& own, ParticleArray<Space>& positions);
  void declare_sends(const EssentialTrees<Space>& trees);
  void declare_receives();
  void relocate(std::size_t first_tree, std::size_t end_tree);

  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  bool is_connected_ = false, is_fast_ = false;
  bool joins_ = false;      ///< in this set
  bool has_moved_ = false;  ///< the own tree, in this set
  std::size_t expected_particles_ = 0;
  ExpansionForm form_;  ///< of the multipoles
  TreeView own_;        ///< the own tree, if the others join it
  int class_count_ = 1;
  std::vector<Source> sources_;                                   ///< in the order in which trees are taken
  std::vector<std::uint32_t> cell_begin_{0}, particle_begin_{0};  ///< [sources + 1] where each tree begins in the arrays
  std::vector<std::size_t> receive_begin_{0};  ///< [sources + 1] first of the messages of each tree; none for a root alone
  std::vector<Batch> batches_;
  Arrays arrays_{};
  Buffer<Space, CellLinks> links_;  ///< the arrays of trees that do not join the own one
  Buffer<Space, CellGeometry> geometry_;
  Buffer<Space, float> multipole_;
  Buffer<Space, Double4> particles_;
  std::vector<std::uint32_t> roots_;            ///< [ranks][classes][words of a root] those of all ranks, if they are gathered
  Buffer<Space, std::uint32_t> device_roots_;   ///< on the device: those that are trees alone, and the numbers of their cells
  std::vector<std::uint32_t> walk_roots_;       ///< cells where walks of all trees start, class by class
  std::vector<std::size_t> walk_root_begin_;    ///< [classes + 1] first of these of each class
  Buffer<Space, std::uint32_t> device_begins_;  ///< on the device: walk_roots_, cell_begin_, particle_begin_
};

}  // namespace grove
