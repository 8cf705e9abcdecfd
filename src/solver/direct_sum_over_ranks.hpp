// Direct summation over ranks: blocks of sources travel round a ring.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/transport.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/walks/direct_sum.hpp"

namespace grove {

/// Memory for the blocks that pass through this rank.
template <class Space>
class DirectSumOverRanks {
 public:
  /// `comm` must outlive it.
  DirectSumOverRanks(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), transport_(space, comm, way), blocks_{Block(space), Block(space)} {}

  /// Adds the forces of the particles of all ranks to `targets`, which may differ in number from rank to rank. Collective. While a block is
  /// summed, the next one travels. The order of the sums depends only on the rank, the number of ranks and their numbers of particles.
  void add_all(const GravityLaw& law, const Particles<Space>& particles, const DirectTargets& targets);

  /// How blocks travel, for the user. Collective. Throws AgreedError as Transport::connect() does.
  std::string transport_description() {
    transport_.connect();
    return transport_.description();
  }

 private:
  struct Block {
    explicit Block(Space& space) : position(space), id(space), type(space) {}
    void resize(std::size_t n, bool has_classes) {
      position.resize_discard(n);
      id.resize_discard(n);
      type.resize_discard(has_classes ? n : 0);
    }
    Buffer<Space, Double4> position;
    Buffer<Space, std::uint64_t> id;
    Buffer<Space, std::uint8_t> type;
  };

  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  Block blocks_[2];  ///< in turn, one is summed while the other arrives
};

}  // namespace grove
