// Several files of particles put together: the particles of `grove ic join`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/reader.hpp"

namespace grove {

/// A file, and how its particles are moved: rotated about the origin of the file, first about its x axis, then y, then z,
/// counter-clockwise; then shifted in position and velocity.
struct JoinPart {
  std::string file;
  double rotate[3] = {};  ///< degrees, about x, y and z
  double shift[3] = {};   ///< added to positions, code units
  double boost[3] = {};   ///< added to velocities, code units
};

/// Particles of several files.
struct JoinedParticles {
  ParticleSet particles;  ///< of this rank: positions, velocities, masses, ids, types
  ComponentNames components = usual_component_names();
  std::uint64_t count = 0;         ///< over all ranks
  ReadInfo info;                   ///< of the first file: units, time; G of the first that names one
  std::vector<std::string> notes;  ///< changes and notes for the user, one sentence each
};

/// Reads and joins `parts`, at least one. The ids of each file except the first are raised above those of the earlier files. A component
/// keeps its name: it gets the type that has this name already, or its own type, or, if another component has that one, a free type other
/// than 0, which is gas. With `recentre`, the centre of mass and the mean velocity of all are then zero. The particles do not depend on the
/// number of ranks. Collective. Throws AgreedError for bad files, for those of no isolated system, for different units or G, and for too
/// many components.
JoinedParticles join_files(const std::vector<JoinPart>& parts, bool recentre, const Communicator& comm);

/// Shifts all particles so that the centre of mass and the mean velocity are zero; the same bits on any number of ranks. Collective.
void move_to_centre(ParticleSet& particles, const Communicator& comm);

}  // namespace grove
