// Several files of particles put together: the particles of `grove ic join`.
#pragma once

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
};

/// Reads and joins `parts`, at least one. The ids of each file except the first are raised above those of the earlier files. A component
/// keeps its name: it gets the type that has this name already, or its own type, or, if another component has that one, a free type other
/// than 0, which is gas. With `recentre`, the centre of mass and the mean velocity of all are then zero. The particles do not depend on the
/// number of ranks. The info has time and units of the first file, the G of the first that names one, and notes on all changes. Collective.
/// Throws AgreedError for bad files, for those of no isolated system, for different units or G, and for too
/// many components.
InitialState join_files(const std::vector<JoinPart>& parts, bool recentre, const Communicator& comm);

}  // namespace grove
