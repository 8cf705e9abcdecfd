// TIPSY binary files, of both byte orders: a header, then gas, dark and star particles as records of floating-point numbers.
//
// Header: time (f8); number of particles, dimensions, gas, dark, star particles (i4 each); 4 bytes of padding, which some
// programs leave out. The numbers of the records have 4 bytes; in variants positions, or positions and velocities, or all numbers have 8:
// the size of the file decides. (Double velocities beside single positions would have the size of the first variant; no program known
// writes them by itself.) Gas becomes particle type 0, dark matter 1, stars 4. Ids are row numbers, from 0: the format has none.
// Big-endian is TIPSY's standard; little-endian is what programs on most machines write.
#pragma once

#include "io/formats/input_format.hpp"

namespace grove {

bool recognises_tipsy(const FileHead& head);
/// Each rank seeks and reads its own rows. Collective.
ParticleSet read_tipsy(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> tipsy_fields(const std::filesystem::path& path);

}  // namespace grove
