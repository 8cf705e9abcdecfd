// The exchange of essential trees: sent while the own tree is walked, received batch by batch.
//
// Every rank takes the trees of the others in a fixed order, nearest ranks first, in batches of 1, 1, 2, 4, 8 ... ranks: the first can be
// walked while the rest still travel, there are only logarithmically many walks, and the sums do not depend on which message was faster.
#pragma once

#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/essential_tree.hpp"
#include "decomposition/transport.hpp"

namespace grove {

template <class Space>
class TreeExchange {
 public:
  explicit TreeExchange(Space& space)
      : transport_(space), links_(space), geometry_(space), multipole_(space), particles_(space), base_(space) {}

  /// Agrees on the sizes of all messages, posts the receives, and starts to send `trees`, which must not change before finish().
  /// Collective.
  void begin(Space& space, const Communicator& comm, const EssentialTrees<Space>& trees);
  /// Hands all messages to MPI. Not collective; does not wait until they have left.
  void send() { transport_.dispatch(); }

  int batch_count() const { return static_cast<int>(batches_.size()); }
  /// Waits for the trees of one batch and brings them to the device. The view holds until the next begin(). Batches in order.
  TreeView receive(Space& space, int batch);
  /// The trees of a batch that was received before.
  TreeView view(int batch) const;
  /// Waits until all that this rank sent has left.
  void finish() { transport_.finish(); }

  std::uint64_t received_cells() const { return links_.size(); }
  std::uint64_t received_particles() const { return particles_.size(); }

 private:
  /// Trees [first, first + count) of the order in which they are taken.
  struct Batch {
    std::size_t first, count;
  };

  void order_sources(const Communicator& comm, std::span<const std::uint64_t> cells, std::span<const std::uint64_t> particles);
  void declare_sends(const EssentialTrees<Space>& trees);
  void declare_receives();

  Transport<Space> transport_;
  ExpansionForm form_;                                      ///< of the multipoles
  std::vector<int> sources_;                                ///< ranks, in the order in which their trees are taken
  std::vector<std::uint32_t> cell_begin_, particle_begin_;  ///< [sources + 1] where each tree begins in the arrays
  std::vector<Batch> batches_;
  Buffer<Space, CellLinks> links_;
  Buffer<Space, CellGeometry> geometry_;
  Buffer<Space, float> multipole_;
  Buffer<Space, Double4> particles_;
  Buffer<Space, std::uint32_t> base_;  ///< cell_begin_ and behind it particle_begin_, on the device
};

}  // namespace grove
