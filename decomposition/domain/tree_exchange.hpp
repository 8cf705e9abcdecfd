// The exchange of essential trees.
//
// Where all messages go directly from GPU to GPU, and on the CPU, remote trees arrive so fast that one walk of the local tree and all
// remote ones is fastest: they are appended to the local tree, in the same arrays. Otherwise the local tree is walked while messages
// travel, and all remote trees after it.
//
// With several classes of softening each rank sends a tree of each class, and a walk asks for those of some classes. Trees are in the order
// of ranks, nearest ranks first, so that sums do not depend on the order of arrival.
//
// A rank gets one message with its trees of all classes. For a distant rank, a tree is its root alone, the same for all such ranks. With
// many ranks all roots are gathered by one collective, and only ranks with larger trees get messages.
#pragma once

#include <vector>

#include "decomposition/domain/essential_tree.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/transport.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Trees one after the other, in arrays of a space with the layout of tree.hpp.
template <class Space>
struct TreeArrays {
  explicit TreeArrays(Space& space) : links(space), geometry(space), multipole(space), particles(space) {}

  /// Contents are undefined.
  void resize_discard(std::size_t cells, std::size_t particle_count, const ExpansionForm& form) {
    links.resize_discard(cells);
    geometry.resize_discard(cells);
    multipole.resize_discard(cells * static_cast<std::size_t>(multipole_stride(form)));
    particles.resize_discard(particle_count);
  }
  /// Frees the memory.
  void release() {
    links.release();
    geometry.release();
    multipole.release();
    particles.release();
  }

  Buffer<Space, CellLinks> links;
  Buffer<Space, CellGeometry> geometry;
  Buffer<Space, float> multipole;
  Buffer<Space, Double4> particles;
};

template <class Space>
class TreeExchange {
 public:
  /// `comm` must outlive it.
  TreeExchange(Space& space, const Communicator& comm, TransportWay way);

  /// Finds the available ways of messages, once. Collective. Throws AgreedError like Transport::connect().
  void connect();
  /// After connect(): whether messages are so fast that remote trees are appended to the local one, unless a set is temporary.
  bool can_join() const { return is_fast_; }
  /// Begins a set: where `trees` are to be written. `is_temporary`: its memory is not to be kept; see release(). Collective, the first
  /// time.
  View<std::byte> room_for(const EssentialTrees<Space>& trees, bool is_temporary);
  /// Once they are written: exchanges the sizes of all messages and starts to send `trees`, which must not change before finish(). If
  /// can_join(), `own` and `positions` get room for the remote trees, unless this set is temporary. Collective.
  void begin(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions);
  /// The same where on all ranks all trees have the same cells and particles as in the last set. Collective with many ranks.
  void begin_again(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions);
  /// Passes all messages to MPI; does not wait until they are sent. Not collective.
  void send() { transport_.dispatch(); }

  /// Whether remote trees are walked together with the local one. The same on all ranks.
  bool joins_own_tree() const { return joins_; }
  /// Waits for all remote trees, and enqueues what makes them ready for walks.
  void receive();
  /// The remote trees of some classes, with the local ones if joins_own_tree(). Valid until the next begin().
  TreeView view(ClassRange classes) const;
  /// Waits until all messages of this rank are sent.
  void finish() { transport_.finish(); }
  /// Whether the local tree had too little room for the remote ones and has moved to other memory of the step.
  bool has_moved_own_tree() const { return has_moved_; }
  /// Frees the memory of messages, and that of remote trees that are not appended to the local one.
  void release() {
    transport_.release();
    separate_.release();
  }

  /// Remote particles for which the next set is expected to need room behind the local ones; 0 if none were appended so far.
  std::size_t expected_particles() const { return expected_particles_; }
  std::uint64_t received_cells() const { return cell_begin_.back() - cell_begin_.front(); }
  std::uint64_t received_particles() const { return particle_begin_.back() - particle_begin_.front(); }
  /// After connect(): how trees travel, as text for the user.
  std::string description() const { return transport_.description(); }

 private:
  /// Where a tree comes from, and where it is in a message.
  struct Source {
    int rank, its_class;
    PackedTree packed{};
  };
  /// The trees of a rank: the bytes [begin, end) of room_for() if they are sent.
  struct Message {
    int rank;
    std::uint64_t begin, end;
  };
  /// The place of a tree among those of all ranks and classes.
  std::size_t place_of(int rank, int its_class) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(class_count_) + static_cast<std::size_t>(its_class);
  }
  /// The arrays that hold the remote trees.
  struct Arrays {
    CellLinks* links;
    CellGeometry* geometry;
    float* multipole;
    Double4* particles;
  };

  void order_sources(std::span<const std::uint64_t> sizes, std::uint32_t first_cell, std::uint32_t first_particle);
  void list_messages(const EssentialTrees<Space>& trees, std::span<const std::uint64_t> to, std::span<const std::uint64_t> from);
  void list_roots(const Tree<Space>& own);
  bool is_root_alone(std::uint64_t cells, std::uint64_t particles) const;
  void gather_roots(const EssentialTrees<Space>& trees);
  void place_roots();
  void take_room(Tree<Space>& own, ParticleArray<Space>& positions);
  void find_received();
  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  bool is_connected_ = false, is_fast_ = false;
  bool joins_ = false;      ///< remote trees of this set are appended to the local one
  bool has_moved_ = false;  ///< the local tree, in this set
  std::size_t expected_particles_ = 0;
  ExpansionForm form_;  ///< of the multipoles
  TreeView trees_;      ///< in arrays_, with the local tree if joins_
  int class_count_ = 1;
  std::vector<Source> sources_;                                   ///< in the order in which trees are received
  std::vector<std::uint32_t> cell_begin_{0}, particle_begin_{0};  ///< [sources + 1] begin of each tree in the arrays
  std::vector<Message> sent_, received_;
  View<std::byte> messages_;  ///< to all ranks
  Arrays arrays_{};
  TreeArrays<Space> separate_;                   ///< remote trees, unless joins_
  std::vector<std::uint32_t> roots_;             ///< [ranks][classes][words of a root], if roots are gathered
  Buffer<Space, std::uint32_t> device_roots_;    ///< on the device: roots that are whole trees, then the numbers of their cells
  std::vector<std::uint32_t> walk_roots_;        ///< cells where walks start, class by class
  std::vector<std::size_t> walk_root_begin_;     ///< [classes + 1] first of these cells of each class
  Buffer<Space, std::uint32_t> device_begins_;   ///< on the device: walk_roots_, cell_begin_, particle_begin_
  std::vector<ReceivedTree> trees_received_;     ///< [sources]
  Buffer<Space, ReceivedTree> device_received_;  ///< the same on the device
};

}  // namespace grove
