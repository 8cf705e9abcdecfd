#include "io/reader_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <memory>
#include <string_view>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

constexpr std::uint64_t rows_per_piece = 1 << 16;
constexpr std::size_t most_columns = 8;
constexpr const char* column_names[most_columns] = {"mass", "x", "y", "z", "vx", "vy", "vz", "type"};
constexpr std::uint8_t default_type = 1;

/// One parsed line; column 8 is the default type when absent.
using Row = std::array<double, most_columns>;

/// The rows of a table, one after the other.
class TableFile {
 public:
  explicit TableFile(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary), buffer_(buffer_size, '\0') {
    if (!file_) throw DataError(path.string() + ": cannot be opened for reading");
  }

  /// The next line that holds data, without comment and blanks at its end. False at the end of the file.
  bool next_line(std::string_view& line);
  /// Parses the next row; throws DataError when there is none or it is not as it must be.
  Row next_row();
  std::size_t columns() const { return columns_; }

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 22;

  bool raw_line(std::string_view& line);
  std::string where(std::size_t column) const;
  double parse(std::string_view word, std::size_t column) const;

  std::filesystem::path path_;
  std::ifstream file_;
  std::string buffer_;  // bytes [at_, end_) are read but not yet handed out
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;  // of the line handed out last, from 1
  std::uint64_t row_ = 0;          // of the next row
  std::size_t columns_ = 0;        // of the first row; 0 before it
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool TableFile::raw_line(std::string_view& line) {
  for (std::size_t searched = at_;;) {
    const std::size_t newline = std::string_view(buffer_).substr(0, end_).find('\n', searched);
    if (newline != std::string_view::npos) {
      line = std::string_view(buffer_).substr(at_, newline - at_);
      at_ = newline + 1;
      return true;
    }
    // Move the unfinished line to the front and read on; a line longer than the buffer makes it grow.
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= at_;
    at_ = 0;
    searched = end_;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    file_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
    if (file_.bad()) throw SystemError(path_.string() + ": cannot be read");
    const auto got = static_cast<std::size_t>(file_.gcount());
    end_ += got;
    if (got > 0) continue;
    line = std::string_view(buffer_).substr(0, end_);
    at_ = end_;
    return !line.empty();
  }
}

bool TableFile::next_line(std::string_view& line) {
  while (raw_line(line)) {
    ++line_number_;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (!line.empty()) return true;
  }
  return false;
}

std::string TableFile::where(std::size_t column) const {
  return fmt::format("{}: column {} ({}), row {} (line {})", path_.string(), column + 1, column_names[column], row_, line_number_);
}

double TableFile::parse(std::string_view word, std::size_t column) const {
  // from_chars knows no plus sign, which some programs write.
  const std::string_view digits = word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) throw DataError(fmt::format("{}: {} is out of the range of numbers", where(column), word));
  if (error != std::errc() || end != digits.data() + digits.size())
    throw DataError(fmt::format("{}: '{}' is not a number", where(column), word));
  if (!std::isfinite(value)) throw DataError(fmt::format("{}: {} is {}; it must be finite", where(column), column_names[column], word));
  if (column == 0 && value < 0) throw DataError(fmt::format("{}: the mass is {}; it must not be negative", where(column), word));
  if (column == 7 && !(value >= 0 && value < particle_type_count && value == std::floor(value))) {
    throw DataError(fmt::format("{}: the type is {}; it must be an integer 0 to {}", where(column), word, particle_type_count - 1));
  }
  return value;
}

Row TableFile::next_row() {
  std::string_view line;
  if (!next_line(line)) throw DataError(path_.string() + ": became shorter while it was read");
  Row row{};
  row[most_columns - 1] = default_type;
  std::size_t column = 0;
  while (!line.empty()) {
    const std::size_t length = static_cast<std::size_t>(std::find_if(line.begin(), line.end(), is_blank) - line.begin());
    if (column < most_columns) row[column] = parse(line.substr(0, length), column);
    ++column;
    line.remove_prefix(length);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  }
  if (columns_ == 0 && (column == most_columns || column == most_columns - 1)) columns_ = column;
  if (column != columns_) {
    const std::string allowed =
        columns_ == 0 ? "7 or 8 are needed (mass x y z vx vy vz [type])" : fmt::format("the rows before have {}", columns_);
    throw DataError(fmt::format("{}: row {} (line {}) has {} columns; {}", path_.string(), row_, line_number_, column, allowed));
  }
  ++row_;
  return row;
}

std::uint64_t count_rows(const std::filesystem::path& path) {
  TableFile file(path);
  std::uint64_t rows = 0;
  for (std::string_view line; file.next_line(line);) ++rows;
  return rows;
}

/// A rank's rows arrive in order, piece by piece.
void append(ParticleSet& particles, std::span<const Row> rows, std::uint64_t first_row) {
  for (const Row& row : rows) {
    particles.id.push_back(first_row + particles.mass.size());
    particles.mass.push_back(row[0]);
    particles.position.insert(particles.position.end(), row.begin() + 1, row.begin() + 4);
    particles.velocity.insert(particles.velocity.end(), row.begin() + 4, row.begin() + 7);
    particles.type.push_back(static_cast<std::uint8_t>(row[7]));
  }
}

/// Sends the rows [begin, end), which the root holds in `rows`, to the ranks that own them. Collective.
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
  if (my_first < my_last)
    append(particles, std::span(rows).subspan(offset, my_last - my_first), first_of_rank(total, comm.rank(), comm.size()));
}

}  // namespace

bool recognises_text(const FileHead& head) {
  return !head.bytes.empty() && std::all_of(head.bytes.begin(), head.bytes.end(), [](unsigned char c) {
    return std::isprint(c) || std::isspace(c) || c >= 0x80;  // comments may be in UTF-8
  });
}

ParticleSet read_text_table(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  std::unique_ptr<TableFile> file;
  std::uint64_t total = 0;
  comm.agree([&] {
    if (!comm.is_root()) return;
    total = count_rows(path);
    file = std::make_unique<TableFile>(path);
  });
  comm.broadcast(std::span<std::uint64_t>(&total, 1));
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
    for (const Row& row : comm.is_root() ? std::span<const Row>(rows) : std::span<const Row>())
      ++info.count_of_type[static_cast<std::size_t>(row[7])];
    scatter(rows, begin, end, total, particles, comm);
  }
  validate_particles(particles, path.string(), first_of_rank(total, comm.rank(), comm.size()), comm);
  if (comm.is_root() && file->columns() == most_columns) info.notes.push_back("column 8 is taken as the particle type, 0 to 5");
  return particles;
}

std::vector<FieldDescription> text_fields(const std::filesystem::path& path) {
  const std::uint64_t rows = count_rows(path);
  TableFile file(path);
  if (rows > 0) file.next_row();
  std::vector<FieldDescription> fields;
  for (std::size_t c = 0; c < file.columns(); ++c) {
    fields.push_back({fmt::format("column {} ({})", c + 1, column_names[c]), "text", std::to_string(rows)});
  }
  return fields;
}

}  // namespace grove
