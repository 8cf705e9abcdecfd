// Files whose profiles are put beside each other, and the G and units that hold for each.
#pragma once

#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "io/unit_system.hpp"
#include "src/run/recorded_physics.hpp"

namespace grove {

/// A file and what it says of its physics.
struct ProfileSource {
  std::string file;
  RecordedPhysics physics;
  std::vector<std::string> notes;  ///< for the user, one sentence each
};

/// All files, before the first is measured. A file that names no units has those of the others. Units in `settings`, which are those of the
/// command line ("section.key=value"), hold for all, whatever the files name. Collective; throws AgreedError: for files that cannot be
/// read, and for units that differ.
std::vector<ProfileSource> profile_sources(const std::vector<std::string>& files, const std::vector<std::string>& settings,
                                           const Communicator& comm);

/// Where the G of a configuration comes from that follows from `physics` and `settings` and has these units: "recorded in the file".
std::string origin_of_G(const RecordedPhysics& physics, const std::vector<std::string>& settings, const UnitSystem& units);

}  // namespace grove
