// Steps 2 and 3: the global cube, and the ranks' domains on the Morton curve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/particle_sort.hpp"
#include "kernels/tree.hpp"

namespace grove {

/// The cube of this step's keys and the scale of its trees: the same on all ranks.
struct Frame {
  KeyCube cube;
  TreeScale scale;
};

/// Finds the frame of all ranks' particles. The cube encloses them all, unless less than 1 % lie so far out that it would leave too few key
/// bits for the rest: then it ends at 1024 times the median distance from the median position, or at 4 times the distance that 99 % do not
/// exceed, as a sample of 1024 particles has them. Collective; synchronises.
template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles);

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
