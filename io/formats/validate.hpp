// What every particle must satisfy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The name of a row of a field in messages, e.g. "file.hdf5: PartType1/Coordinates, row 17"; `row` counts over all ranks.
using RowNamer = std::function<std::string(const ParticleField& field, std::uint64_t row)>;

/// Checks that there is at least one particle over all ranks, that floating-point fields are finite, masses not negative and types valid.
/// Collective.
/// @param source     a file or a generator, for messages
/// @param first_row  row number of this rank's first particle, counted over all ranks
/// @param name_row   called on at most one rank; empty: rows are named "source: field, row 17"
/// @throws AgreedError on all ranks (exit code of DataError), which names the lowest bad row over all ranks
void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const Communicator& comm,
                        const RowNamer& name_row = {});

/// Notes on what is seldom meant: a sentence for each type whose masses or velocities are all 0. `particles`, from the file `source`, must
/// be valid. Collective.
/// @throws AgreedError on all ranks (exit code of DataError) if all of several particles of a type are at the same place
std::vector<std::string> notes_on_values(const ParticleSet& particles, const std::string& source, const ComponentNames& components,
                                         const Communicator& comm);

}  // namespace grove
