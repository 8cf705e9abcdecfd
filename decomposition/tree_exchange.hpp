// The transport of essential trees: staged through host memory, sent while the own tree is walked, received batch by batch.
//
// Every rank takes the trees of the others in a fixed order, nearest ranks first, in batches of 1, 1, 2, 4, 8 ... ranks: the first can be
// walked while the rest still travel, there are only logarithmically many walks, and the sums do not depend on which message was faster.
#pragma once

#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/essential_tree.hpp"

namespace grove {

template <class Space>
class TreeExchange {
 public:
  explicit TreeExchange(Space& space) : sent_(space.host_memory()), staged_(space.host_memory()), received_(space), base_(space) {}

  /// Agrees on the sizes of all messages, posts the receives, and starts copying `trees` to the host. Collective. `trees` must not change
  /// before send().
  void begin(Space& space, const Communicator& comm, const EssentialTrees<Space>& trees);
  /// Sends what begin() copied, once it has arrived on the host. Not collective; does not wait for the messages.
  void send(Space& space, const Communicator& comm);

  int batch_count() const { return static_cast<int>(batches_.size()); }
  /// Waits for the trees of one batch and brings them to the device. The view holds until the next begin(). Batches in order.
  TreeView receive(Space& space, int batch);
  /// Waits until all that this rank sent has left.
  void finish() { sends_.wait_all(); }

  std::uint64_t received_cells() const { return received_.links.size(); }
  std::uint64_t received_particles() const { return received_.particles.size(); }

 private:
  template <class Memory>
  struct Arrays {
    explicit Arrays(Memory& memory) : links(memory), geometry(memory), multipole(memory), particles(memory) {}
    void resize(std::size_t cells, std::size_t moments, std::size_t items);
    Buffer<Memory, CellLinks> links;
    Buffer<Memory, CellGeometry> geometry;
    Buffer<Memory, float> multipole;
    Buffer<Memory, Double4> particles;
  };
  /// Trees [first, first + count) of the order in which they are taken.
  struct Batch {
    std::size_t first, count;
    Requests requests;
  };

  void order_sources(const Communicator& comm, std::span<const std::uint64_t> cells, std::span<const std::uint64_t> particles);

  using HostMemory = typename Space::HostMemory;
  ExpansionForm form_;  ///< of the multipoles
  std::vector<std::uint64_t> send_cells_, send_particles_;
  std::vector<int> sources_;                                ///< ranks, in the order in which their trees are taken
  std::vector<std::uint32_t> cell_begin_, particle_begin_;  ///< [sources + 1] where each tree begins in the arrays
  std::vector<Batch> batches_;
  Requests sends_;
  Arrays<HostMemory> sent_, staged_;
  Arrays<Space> received_;
  Buffer<Space, std::uint32_t> base_;  ///< cell_begin_ and behind it particle_begin_, on the device
};

}  // namespace grove
