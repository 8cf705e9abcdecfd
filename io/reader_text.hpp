// Text tables: one particle a line, `mass x y z vx vy vz [type]`, separated by blanks or tabs.
//
// `#` starts a comment; blank lines, a missing end of the last line and DOS line ends are fine. All rows have the same number of
// columns. Column 8 is taken as the particle type, an integer 0 to 5 (files that number their galaxies there get these numbers as
// types); without it all particles are of type 1. Ids are row numbers, from 0.
#pragma once

#include "io/input_format.hpp"

namespace grove {

bool recognises_text(const FileHead& head);
/// The root reads and parses in pieces of bounded size and sends each rank its rows. Collective.
ParticleSet read_text_table(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> text_fields(const std::filesystem::path& path);

}  // namespace grove
