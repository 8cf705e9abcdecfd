// Binary snapshots and initial conditions of GADGET-1 and -2 (formats 1 and 2), of both byte orders, in one file or several.
//
// Positions, velocities, ids and masses are taken as they are, in 4 or 8 bytes a number; other blocks, such as the energies of gas, are not
// used, and a note says so. Rows are numbered by type, within a type by file. Numbers are taken as they are; what the header says of an
// expanding universe goes into ReadInfo::universe. The files say nothing of units.
#pragma once

#include "io/formats/gadget_binary_file.hpp"
#include "io/formats/input_format.hpp"

namespace grove {

/// The root looks at the headers and blocks of all files; then each rank reads its own rows. Collective.
ParticleSet read_gadget_binary(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> gadget_binary_fields(const std::filesystem::path& path);

}  // namespace grove
