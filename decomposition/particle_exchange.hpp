// Step 3 (docs/architecture.md): particles move to the rank that owns their key.
#pragma once

#include "decomposition/frame.hpp"
#include "decomposition/transport.hpp"

namespace grove {

/// Moves particles between ranks; keeps the staging memory of the last exchange.
template <class Space>
class ParticleExchange {
 public:
  explicit ParticleExchange(Space& space) : transport_(space) {}

  /// Moves every particle to the rank that owns its key. There they are not yet in the order of the keys. Domains are cut so that each has
  /// the same measured work, and none more than three times the mean number of particles, as far as equal keys allow. All fields travel,
  /// except those whose row in the table says that they do not. Collective; synchronises.
  void run(Space& space, const Communicator& comm, const Frame& frame, Particles<Space>& particles);

 private:
  Transport<Space> transport_;
};

}  // namespace grove
