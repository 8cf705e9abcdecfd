// Going on from a snapshot, where there is no checkpoint.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "decomposition/communicator.hpp"
#include "src/run/continuation.hpp"

namespace grove {

/// The time in a snapshot; nothing for a file that cannot be read. Waits for HDF5's turn. Not collective.
std::optional<double> time_in_snapshot(const std::filesystem::path& path);

/// The configuration with which the newest snapshot of a directory was written, whose path becomes `file`; empty where there is none that
/// can be read. Waits for HDF5's turn. Not collective.
std::string configuration_of_newest_snapshot(const OutputDirectory& directory, std::string& file);

/// Reads the newest snapshot that can be read, and puts together the state of the run from it and the logs; leaves `continuation` as it is
/// where there are none but that of the initial conditions. The number of the step is the one of timings.csv, or else that of the
/// snapshot's own settings. Collective; throws as find_continuation().
void find_snapshot(const ContinuingRun& run, const Communicator& comm, Continuation& continuation);

}  // namespace grove
