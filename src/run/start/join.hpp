// Several files of particles put together: the particles of `grove ic join`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/run/start/initial_state.hpp"

namespace grove {

/// A file, and how its particles are moved: rotated about the origin of the file, first about its x axis, then y, then z,
/// counter-clockwise; then shifted in position and velocity.
struct JoinPart {
  std::string file;
  double rotate[3] = {};  ///< degrees, about x, y and z
  double shift[3] = {};   ///< added to positions, code units
  double boost[3] = {};   ///< added to velocities, code units
  bool renumber = false;  ///< its ids are replaced by the numbers of its rows
  /// Of its components, in the order of their types in the file: names, and types in the new file. Empty, or nothing for one: as they are.
  std::vector<std::string> names{};
  std::vector<std::optional<std::size_t>> types{};
};

/// What is done with all files together.
struct JoinChoice {
  bool recentre = false;  ///< the centre of mass and the mean velocity of all become zero
  bool merge = false;     ///< components of one name become one, where files or JoinPart name them
};

/// Reads and joins `parts`, at least one. The ids of each file except the first are raised above those of the earlier files. Each component
/// stays one of its own, unless it is merged with one of an earlier file. It keeps its name or, if that is taken, gets a number ("disc 2");
/// it keeps its type or gets a free one other than 0, which is gas. The particles do not depend on the number of ranks. The info has time
/// and units of the first file, the G of the first that names one, the softening of each component if the files say all of them, and notes;
/// the description has a line for each component. Collective.
/// Throws AgreedError for bad files, for those of no isolated system, for different units or G, for too many components, and for names and
/// types that cannot be given.
InitialState join_files(const std::vector<JoinPart>& parts, const JoinChoice& choice, const Communicator& comm);

/// Puts the particles of `part` behind those of `all`: position, velocity, mass, id and type.
void append(const ParticleSet& part, ParticleSet& all);

}  // namespace grove
