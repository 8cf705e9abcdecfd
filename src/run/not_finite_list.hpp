// The particles with which a run has ended because their numbers are not finite, in a file for the user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "src/run/observers/log_kinds.hpp"
#include "src/run/output_directory.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// So many particles of a rank are listed at most; fewer where all ranks together would list more than `most_listed`.
inline constexpr std::size_t most_listed_of_rank = 1000, most_listed = 100000;

/// The columns of a list with their meanings; see LogKind.
std::vector<CsvColumn> not_finite_columns(const std::vector<std::string>& names);

/// Lists the particles of which a mass, position, velocity, acceleration or potential is not finite in not_finite_step_`step`.csv, or under
/// the next name that is free. Returns a sentence on the file; on why there is none, if it cannot be written. Collective; does not throw
/// what is wrong with the file.
std::string list_not_finite(Simulation& simulation, const Communicator& comm, const OutputDirectory& directory, std::uint64_t step);

}  // namespace grove
