// Text tables: one particle a line, in columns that are separated by blanks, tabs or commas (CSV).
//
// The columns are named by the user (initial_conditions.columns), by a first line of names, by a comment before the first row that lists
// all names, or follow from their number: `mass x y z vx vy vz [type]`. An unnamed column 8 may only have types 1 to 5: many files number
// their galaxies there, from 0, and type 0 is gas. `#` starts a comment; blank lines, a missing end of the last line, DOS line ends, a
// byte-order mark and numbers like 1.0D0 are fine. Without types, all particles are of type 1; without ids, these are the row numbers, from
// 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "io/formats/input_format.hpp"
#include "io/formats/shared.hpp"
#include "io/formats/text_columns.hpp"
#include "io/formats/text_comments.hpp"
#include "io/formats/text_lines.hpp"
#include "io/formats/validate.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::uint64_t rows_per_piece = 1 << 16;
constexpr std::uint8_t default_type = 1;
// Numbers of components, 0 to 4, become types 1 to 5: type 0 is gas.
constexpr std::uint8_t first_component_type = 1;

/// One parsed line.
struct Row {
  std::array<double, needed_columns> numbers{};  ///< mass, position, velocity: in the order of TextColumn
  std::uint64_t id = 0;                          ///< the number of the row, where the table has none
  std::uint8_t type = default_type;
};

/// For a table without names of columns.
std::string assumption_about_columns(const TextColumns& columns) {
  return fmt::format("no names of columns found: taken as m x y z vx vy vz{}",
                     columns.has(TextColumn::type) ? " and, in column 8, the particle type, 1 to 5" : "");
}

/// The rows of a table in order. Its columns are known once it is open.
class TableFile {
 public:
  /// @param columns  as complaint_about_columns() describes; empty: the file says it
  /// @throws DataError when the file does not say what its columns are
  TableFile(const std::filesystem::path& path, const std::string& columns) : path_(path.string()), lines_(path) { look_at_head(columns); }

  /// Goes to the next row without parsing it. False at the end of the file.
  bool advance();
  /// Parses the next row; throws DataError if there is none or it is wrong.
  Row next_row();
  const TextColumns& columns() const { return columns_; }

 private:
  void look_at_head(const std::string& columns);
  bool is_line_of_names(bool columns_are_known) const;
  [[noreturn]] void refuse(std::size_t column, const std::string& why) const;
  double number(std::size_t column) const;
  std::uint64_t id(std::size_t column) const;
  std::uint8_t type(std::size_t column) const;
  std::uint8_t component(std::size_t column) const;
  void parse(std::size_t column, Row& row) const;

  std::string path_;
  TextLines lines_;
  TextLine line_;
  std::vector<std::string_view> words_;  // of the line
  bool line_is_waiting_ = false;         // the line was read, but not yet its row
  bool commas_ = false;
  std::uint64_t row_ = 0;  // of the next row
  TextColumns columns_;
};

/// The first line has names if no word is a number, except in columns that are not used.
bool TableFile::is_line_of_names(bool columns_are_known) const {
  double ignored = 0;
  for (std::size_t c = 0; c < words_.size(); ++c) {
    const bool is_skipped = columns_are_known && c < columns_.size() && columns_.kinds[c] == TextColumn::none;
    if (!is_skipped && parse_number(words_[c], ignored) == nullptr) return false;
  }
  return words_.size() > 1;
}

void TableFile::look_at_head(const std::string& columns) {
  constexpr std::size_t longest_comment = 1 << 14, most_comments = 100;
  std::vector<TextComment> comments;
  do {
    if (!lines_.next(line_)) return;
    if (!line_.data.empty() || line_.comment.empty() || line_.comment.size() > longest_comment) continue;
    // Keep the last ones, which are next to the data.
    if (comments.size() == most_comments) comments.erase(comments.begin());
    comments.push_back({line_.number, std::string(line_.comment)});
  } while (line_.data.empty());
  commas_ = line_.data.find(',') != std::string_view::npos;
  split_words(line_.data, commas_, words_);
  if (words_.size() == 1 && line_.data.find(';') != std::string_view::npos)
    throw DataError(
        fmt::format("{}: line {}: columns must be separated by blanks, tabs or commas, not by semicolons", path_, line_.number));
  if (!columns.empty()) columns_ = columns_of_list(columns);
  const std::string line_name = fmt::format("{}: line {}", path_, line_.number);
  if (is_line_of_names(!columns.empty())) {
    if (columns.empty()) columns_ = columns_of_names(words_, line_name);
    return;
  }
  line_is_waiting_ = true;
  if (!columns.empty() || columns_of_comments(comments, words_.size(), path_, columns_)) return;
  columns_ = columns_of_count(words_.size(), fmt::format("{}: row 0 (line {})", path_, line_.number));
}

bool TableFile::advance() {
  if (std::exchange(line_is_waiting_, false)) return true;
  while (lines_.next(line_))
    if (!line_.data.empty()) return true;
  return false;
}

void TableFile::refuse(std::size_t column, const std::string& why) const {
  const std::string assumed =
      columns_.has_names ? "" : fmt::format(" ({}; initial_conditions.columns can say otherwise)", assumption_about_columns(columns_));
  throw DataError(fmt::format("{}: column {} ({}), row {} (line {}): {}{}", path_, column + 1, columns_.names[column], row_, line_.number,
                              why, assumed));
}

double TableFile::number(std::size_t column) const {
  const std::string_view word = words_[column];
  double value = 0;
  const char* const error = parse_number(word, value);
  if (error != nullptr) refuse(column, fmt::format("'{}' {}", shown_word(word), error));
  if (!std::isfinite(value)) refuse(column, fmt::format("{} is {}; it must be finite", columns_.names[column], shown_word(word)));
  return value;
}

std::uint64_t TableFile::id(std::size_t column) const {
  const std::string_view word = words_[column];
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error == std::errc() && end == word.data() + word.size()) return id;
  // Many programs write all columns in one format, ids as 1.700e+01. Beyond 2^53 such a number would not be exact.
  constexpr double first_inexact = 9007199254740992.0;
  const double value = number(column);
  if (value < 0 || value >= first_inexact || value != std::floor(value))
    refuse(column, fmt::format("the id is {}; it must be an integer, not negative", shown_word(word)));
  return static_cast<std::uint64_t>(value);
}

std::uint8_t TableFile::type(std::size_t column) const {
  const double value = number(column);
  const bool is_type = value >= 0 && value < particle_type_count && value == std::floor(value);
  if (!columns_.has_names && !(is_type && value > 0)) {
    throw DataError(
        fmt::format("{}: column {} has no name and holds {} in row {} (line {}), which is no type of stars or dark matter. Say what it is: "
                    "initial_conditions.columns = \"m x y z vx vy vz galaxy\" makes a component of each number 0 to 4, type in place of "
                    "galaxy takes the numbers as particle types 0 to 5 (0 is gas), and - leaves the column out",
                    path_, column + 1, shown_word(words_[column]), row_, line_.number));
  }
  if (!is_type) {
    refuse(column, fmt::format("the type is {}; it must be an integer 0 to {}", shown_word(words_[column]), particle_type_count - 1));
  }
  return static_cast<std::uint8_t>(value);
}

std::uint8_t TableFile::component(std::size_t column) const {
  constexpr int last = particle_type_count - 1 - first_component_type;
  const double value = number(column);
  if (!(value >= 0 && value <= last && value == std::floor(value)))
    refuse(column, fmt::format("the number is {}; it must be an integer 0 to {}", shown_word(words_[column]), last));
  return static_cast<std::uint8_t>(first_component_type + static_cast<std::uint8_t>(value));
}

void TableFile::parse(std::size_t column, Row& row) const {
  const TextColumn kind = columns_.kinds[column];
  if (kind == TextColumn::none) return;
  if (kind == TextColumn::id)
    row.id = id(column);
  else if (kind == TextColumn::type)
    row.type = type(column);
  else if (kind == TextColumn::component)
    row.type = component(column);
  else
    row.numbers.at(static_cast<std::size_t>(kind)) = number(column);
  if (kind == TextColumn::mass && row.numbers[0] < 0)
    refuse(column, fmt::format("the mass is {}; it must not be negative", shown_word(words_[column])));
}

Row TableFile::next_row() {
  if (!advance()) throw DataError(path_ + ": became shorter while it was read");
  split_words(line_.data, commas_, words_);
  if (words_.size() != columns_.size()) {
    throw DataError(fmt::format(
        "{}: row {} (line {}) has {} columns; {}", path_, row_, line_.number, words_.size(),
        columns_.has_names ? fmt::format("{} are named", columns_.size()) : fmt::format("the rows before have {}", columns_.size())));
  }
  Row row;
  row.id = row_;
  for (std::size_t column = 0; column < columns_.size(); ++column) parse(column, row);
  ++row_;
  return row;
}

std::uint64_t count_rows(const std::filesystem::path& path, const std::string& columns) {
  TableFile file(path, columns);
  std::uint64_t rows = 0;
  while (file.advance()) ++rows;
  return rows;
}

/// A rank's rows arrive in order, piece by piece.
void append(ParticleSet& particles, std::span<const Row> rows) {
  for (const Row& row : rows) {
    particles.id.push_back(row.id);
    particles.mass.push_back(row.numbers[0]);
    particles.position.insert(particles.position.end(), &row.numbers[1], &row.numbers[4]);
    particles.velocity.insert(particles.velocity.end(), &row.numbers[4], row.numbers.end());
    particles.type.push_back(row.type);
  }
}

/// Sends the root's rows [begin, end) to the ranks that own them. Collective.
void scatter(std::vector<Row>& rows, std::uint64_t begin, std::uint64_t end, std::uint64_t total, ParticleSet& particles,
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

/// Notes on the columns, and names of components.
void describe_columns(const TextColumns& columns, ReadInfo& info) {
  info.notes.insert(info.notes.end(), columns.notes.begin(), columns.notes.end());
  if (!columns.has_names) info.notes.push_back(assumption_about_columns(columns));
  const auto found = std::find(columns.kinds.begin(), columns.kinds.end(), TextColumn::component);
  if (found == columns.kinds.end()) return;
  const std::string& word = columns.names[static_cast<std::size_t>(found - columns.kinds.begin())];
  for (std::size_t type = first_component_type; type < particle_type_count; ++type) {
    if (info.count_of_type[type] == 0) continue;
    info.components[type] = fmt::format("{} {}", word, type - first_component_type);
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
  std::vector<Row> rows;
  for (std::uint64_t begin = 0; begin < total; begin += rows_per_piece) {
    const std::uint64_t end = std::min(total, begin + rows_per_piece);
    comm.agree([&] {
      if (!comm.is_root()) return;
      rows.resize(end - begin);
      for (Row& row : rows) row = file->next_row();
    });
    for (const Row& row : comm.is_root() ? std::span<const Row>(rows) : std::span<const Row>()) ++info.count_of_type[row.type];
    scatter(rows, begin, end, total, particles, comm);
  }
  validate_particles(particles, path.string(), first_of_rank(total, comm.rank(), comm.size()), comm);
  if (comm.is_root()) describe_columns(file->columns(), info);
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
      .fields_of_columns = text_fields};
}

}  // namespace grove
