// A file for the user with the particles whose numbers are not finite, which has ended the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/run/files/log_kinds.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The most particles listed of one rank and of all ranks.
inline constexpr std::size_t most_listed_of_rank = 1000, most_listed = 100000;

/// The columns of a list with their meanings; see LogKind.
std::vector<CsvColumn> not_finite_columns(const std::vector<std::string>& names);

/// Lists the particles with a mass, position, velocity, acceleration or potential that is not finite in not_finite_step_`step`.csv, or
/// under the next free name. Returns a sentence on the file, or on why it could not be written. Collective.
std::string list_not_finite(Simulation& simulation, const Communicator& comm, const OutputDirectory& directory, std::uint64_t step);

}  // namespace grove
