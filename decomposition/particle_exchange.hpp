// Step 3: particles move to the rank that owns their key.
#pragma once

#include "decomposition/frame.hpp"

namespace grove {

/// Moves particles between ranks; keeps the staging memory of the last exchange.
template <class Space>
class ParticleExchange {
 public:
  explicit ParticleExchange(Space& space) : leaving_(space.host_memory()), arriving_(space.host_memory()) {}

  /// Moves every particle to the rank that owns its key, in whatever order: sort them afterwards. Domains are cut so that each has the
  /// same measured work, and none more than three times the mean number of particles, as far as equal keys allow. All fields travel.
  /// Collective; synchronises.
  void run(Space& space, const Communicator& comm, const Frame& frame, Particles<Space>& particles);

 private:
  Buffer<typename Space::HostMemory, ParticleRecord> leaving_, arriving_;
};

}  // namespace grove
