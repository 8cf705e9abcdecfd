// What every particle must satisfy, wherever it comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// How a row of a field is named in messages; `row` counts over all ranks. E.g. "file.hdf5: PartType1/Coordinates, row 17".
using RowNamer = std::function<std::string(const ParticleField& field, std::uint64_t row)>;

/// Checks that there is at least one particle over all ranks, that all floating-point fields that are known are finite, masses not
/// negative, and types below particle_type_count. Collective.
/// @param source     where the particles come from, for messages: a file or a generator
/// @param first_row  row number of this rank's first particle, counted over all ranks
/// @throws AgreedError on all ranks (exit code of DataError) naming the lowest bad row over all ranks
void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const Communicator& comm);

/// The same with rows named by `name_row`, which is called on at most one rank.
void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const RowNamer& name_row,
                        const Communicator& comm);

/// What is possible, but seldom meant: one sentence for each type whose masses, or velocities, are all 0. `particles` are as
/// validate_particles() wants them. Collective.
/// @param source  the file that they come from
/// @throws AgreedError on all ranks (exit code of DataError) where several particles of a type are all at the same place
std::vector<std::string> notes_on_values(const ParticleSet& particles, const std::string& source, const ComponentNames& components,
                                         const Communicator& comm);

}  // namespace grove
