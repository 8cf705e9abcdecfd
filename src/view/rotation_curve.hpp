// The rotation curve of a snapshot, from the sample that the live view shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "src/config/config.hpp"

namespace grove {

/// Circular speeds as `grove profile` has them (profile.hpp): about the densest point of all, sqrt(G M / r) with the mass M within r, for
/// all particles with external potentials. The particles of a component stand for those that are not in the sample. As JSON:
///
///   snapshot, particles, shown  as in the sample
///   length_unit, speed_unit     names; "N-body units"
///   radius                      [shells] outer radii
///   curves                      [{name, speed [shells]}], the first of all; with `type` that of a component
///   external                    whether there are external potentials that are counted
///   missing                     names of components that are not in it: no particle of them is in the sample, or the potential moves
///
/// @param sample  of SampleCache
/// @param config  of the run
/// @param comm    of one rank
/// For any thread, one at a time. Throws DataError where the numbers are too large, SystemError where MPI is for the main thread alone.
nlohmann::ordered_json rotation_curve(const std::string& sample, const Config& config, const Communicator& comm);

}  // namespace grove
