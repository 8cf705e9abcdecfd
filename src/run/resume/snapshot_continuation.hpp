// Continuing at a snapshot, where there is no checkpoint.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "src/run/resume/continuation.hpp"

namespace grove {

/// Reads the newest snapshot that can be read, and makes the state of the run from it and the logs. Leaves `point` as it is where there is
/// no snapshot except that of the initial conditions. The step number is that of timings.csv, or else follows from the snapshot's own
/// settings. Collective; throws as find_restart_point().
void find_snapshot(const ContinuedRun& run, const Communicator& comm, RestartPoint& point);

}  // namespace grove
