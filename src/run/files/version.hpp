// Version, back ends and libraries of this program.
#pragma once

#include <string>

#include "io/snapshots/snapshot.hpp"

namespace grove {

/// Version and commit in one line: "Grove 0.1.0 (commit 1234567890ab)".
std::string version_line();

/// version_line() and a line each for back ends, MPI, HDF5 and compiler. Needs no MPI_Init.
std::string version_text();

/// The provenance of all files of this program, without configuration and device.
Provenance program_provenance();

}  // namespace grove
