// Text tables: one particle a line, in columns that are separated by blanks, tabs or commas (CSV).
//
// The columns are named by the user (initial_conditions.columns), by a first line of names, by a comment before the first row that lists
// all names, or follow from their number: `mass x y z vx vy vz [type]`. An unnamed column 8 may only have types 1 to 5: many files number
// their galaxies there, from 0, and type 0 is gas. A first line of one or two numbers is the number of rows and, if it is there, the time,
// which a comment before the first row can say, too: "time: 1.5". `#` starts a comment; blank lines, a missing end of the last line, DOS
// line ends, a byte-order mark and numbers like 1.0D0 are fine. Without types, all particles are of type 1; without ids, these are the row
// numbers, from 0.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/input_format.hpp"
#include "io/formats/shared.hpp"
#include "io/formats/text_table.hpp"
#include "io/formats/validate.hpp"

namespace grove {

namespace {

constexpr std::uint64_t rows_per_piece = 1 << 16;

std::uint64_t count_rows(const std::filesystem::path& path, const std::string& columns) {
  TableFile file(path, columns);
  std::uint64_t rows = 0;
  while (file.advance()) ++rows;
  file.require_count(rows);
  return rows;
}

/// A rank's rows arrive in order, piece by piece.
void append(ParticleSet& particles, std::span<const TableRow> rows) {
  for (const TableRow& row : rows) {
    particles.id.push_back(row.id);
    particles.mass.push_back(row.numbers[0]);
    particles.position.insert(particles.position.end(), &row.numbers[1], &row.numbers[4]);
    particles.velocity.insert(particles.velocity.end(), &row.numbers[4], row.numbers.end());
    particles.type.push_back(row.type);
  }
}

/// Sends the root's rows [begin, end) to the ranks that own them. Collective.
void scatter(std::vector<TableRow>& rows, std::uint64_t begin, std::uint64_t end, std::uint64_t total, ParticleSet& particles,
             const Communicator& comm) {
  const auto overlap = [&](int rank) {
    const std::uint64_t first = std::max(begin, first_of_rank(total, rank, comm.size()));
    const std::uint64_t last = std::min(end, first_of_rank(total, rank + 1, comm.size()));
    return std::pair(first, std::max(first, last));
  };
  Requests requests;
  const auto [my_first, my_last] = overlap(comm.rank());
  if (comm.is_root()) {
    for (int rank = 1; rank < comm.size(); ++rank) {
      const auto [first, last] = overlap(rank);
      if (first < last) comm.send_bytes(std::as_bytes(std::span(rows).subspan(first - begin, last - first)), rank, Tag::scatter, requests);
    }
  } else if (my_first < my_last) {
    rows.resize(my_last - my_first);
    comm.receive_bytes(std::as_writable_bytes(std::span(rows)), 0, Tag::scatter, requests);
  }
  requests.wait_all();
  const std::size_t offset = comm.is_root() ? my_first - begin : 0;
  if (my_first < my_last) append(particles, std::span(rows).subspan(offset, my_last - my_first));
}

/// The time, notes on the columns, and names of components.
void describe(const TableFile& file, ReadInfo& info) {
  const TextColumns& columns = file.columns();
  info.time = file.time();
  info.notes.insert(info.notes.end(), file.notes().begin(), file.notes().end());
  info.notes.insert(info.notes.end(), columns.notes.begin(), columns.notes.end());
  if (!columns.has_names) info.notes.push_back(assumption_about_columns(columns));
  const auto found = std::find(columns.kinds.begin(), columns.kinds.end(), TextColumn::component);
  if (found == columns.kinds.end()) return;
  const std::string& word = columns.names[static_cast<std::size_t>(found - columns.kinds.begin())];
  for (std::size_t type = first_component_type; type < particle_type_count; ++type) {
    if (info.count_of_type[type] == 0) continue;
    info.components[type] = fmt::format("{} {}", word, type - first_component_type);
    info.is_named[type] = true;
    info.notes.push_back(fmt::format("{} is particle type {}", info.components[type], type));
  }
}

bool recognises_text(const FileHead& head) {
  return !head.bytes.empty() && std::all_of(head.bytes.begin(), head.bytes.end(), [](unsigned char c) {
    return std::isprint(c) || std::isspace(c) || c >= 0x80;  // comments may be in UTF-8
  });
}

/// The root reads and parses in pieces of bounded size and sends each rank its rows. Collective.
/// @param columns  as the user lists them, valid by complaint_about_columns(); empty: the file says it
ParticleSet read_text(const std::filesystem::path& path, const std::string& columns, const FieldTablePtr& fields, const Communicator& comm,
                      ReadInfo& info) {
  std::unique_ptr<TableFile> file;
  std::uint64_t total = 0;
  comm.agree([&] {
    if (!comm.is_root()) return;
    total = count_rows(path, columns);
    file = std::make_unique<TableFile>(path, columns);
  });
  share(comm, total);
  ParticleSet particles;
  particles.fields = fields;
  std::vector<TableRow> rows;
  for (std::uint64_t begin = 0; begin < total; begin += rows_per_piece) {
    const std::uint64_t end = std::min(total, begin + rows_per_piece);
    comm.agree([&] {
      if (!comm.is_root()) return;
      rows.resize(end - begin);
      for (TableRow& row : rows) row = file->next_row();
    });
    for (const TableRow& row : comm.is_root() ? std::span<const TableRow>(rows) : std::span<const TableRow>())
      ++info.count_of_type[row.type];
    scatter(rows, begin, end, total, particles, comm);
  }
  validate_particles(particles, path.string(), first_of_rank(total, comm.rank(), comm.size()), comm);
  if (comm.is_root()) describe(*file, info);
  return particles;
}

std::vector<FieldDescription> text_fields(const std::filesystem::path& path, const std::string& list) {
  const std::uint64_t rows = count_rows(path, list);
  const TextColumns columns = TableFile(path, list).columns();
  std::vector<FieldDescription> fields;
  for (std::size_t c = 0; c < columns.size(); ++c)
    fields.push_back({fmt::format("column {} ({})", c + 1, columns.names[c]), "text", std::to_string(rows)});
  return fields;
}

}  // namespace

InputFormat text_format() {
  return {
      .name = "text table",
      .extensions = ".tab .txt .dat .asc .csv",
      .recognises = recognises_text,
      .read = [](const auto& path, const auto& fields, const auto& comm, auto& info) { return read_text(path, "", fields, comm, info); },
      .fields = [](const auto& path) { return text_fields(path, ""); },
      .read_columns = read_text,
      .fields_of_columns = text_fields,
      .info = [](const auto& path, auto& info) { info.time = TableFile(path).time(); }};
}

}  // namespace grove
