// Text tables: one particle a line, in columns that are separated by blanks, tabs or commas (CSV).
//
// What the columns are is said by the user (initial_conditions.columns), by a first line of names, by a comment before the first row that
// lists the names of all columns, or by their number: `mass x y z vx vy vz [type]`. Where nobody says what column 8 is, it may hold
// types 1 to 5 alone: many files number their galaxies there, from 0, and type 0 is gas. `#` starts a comment; blank lines, a missing end
// of the last line, DOS line ends and a byte-order mark are fine, and so are numbers like 1.0D0. Without a column of types all particles
// are of type 1, without one of ids these are the row numbers, from 0.
#pragma once

#include "io/formats/input_format.hpp"

namespace grove {

bool recognises_text(const FileHead& head);
/// The root reads and parses in pieces of bounded size and sends each rank its rows. Collective.
ParticleSet read_text_table(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
/// The same with columns as the user lists them; complaint_about_columns(columns) is empty.
ParticleSet read_text_columns(const std::filesystem::path& path, const std::string& columns, const FieldTablePtr& fields,
                              const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> text_fields(const std::filesystem::path& path);
/// The same with columns as the user lists them.
std::vector<FieldDescription> text_column_fields(const std::filesystem::path& path, const std::string& columns);

}  // namespace grove
