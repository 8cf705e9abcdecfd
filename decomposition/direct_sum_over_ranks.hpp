// Direct summation over ranks: blocks of sources travel round a ring.
#pragma once

#include "decomposition/communicator.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Memory for the blocks that pass through this rank.
template <class Space>
class DirectSumOverRanks {
 public:
  explicit DirectSumOverRanks(Space& space)
      : present_(space.host_memory()),
        next_(space.host_memory()),
        present_id_(space.host_memory()),
        next_id_(space.host_memory()),
        position_(space),
        id_(space) {}

  /// Adds the forces of the particles of all ranks to `targets`, which may differ in number from rank to rank. Collective. While a block is
  /// summed on the device, the next one travels. Sums run in an order that depends on the rank, the ranks and their numbers of particles
  /// alone.
  void add_all(Space& space, const Communicator& comm, const GravityParameters& gravity, const Particles<Space>& particles,
               const DirectTargets& targets);

 private:
  using HostMemory = typename Space::HostMemory;
  Buffer<HostMemory, Double4> present_, next_;
  Buffer<HostMemory, std::uint64_t> present_id_, next_id_;
  Buffer<Space, Double4> position_;
  Buffer<Space, std::uint64_t> id_;
};

}  // namespace grove
