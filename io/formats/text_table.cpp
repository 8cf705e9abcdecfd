#include "io/formats/text_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

std::string assumption_about_columns(const TextColumns& columns) {
  return fmt::format("no names of columns found: taken as m x y z vx vy vz{}",
                     columns.has(TextColumn::type) ? " and, in column 8, the particle type, 1 to 5" : "");
}

/// The first line has names if no word is a number, except in columns that are not used.
bool TableFile::is_line_of_names(bool columns_are_known) const {
  double ignored = 0;
  for (std::size_t c = 0; c < words_.size(); ++c) {
    const bool is_skipped = columns_are_known && c < columns_.size() && columns_.kinds[c] == TextColumn::none;
    if (!is_skipped && parse_number(words_[c], ignored) == nullptr) return false;
  }
  return words_.size() > 1;
}

/// Goes to the next line of data, whose words are then known; none at the end of the file.
void TableFile::go_to_data() {
  constexpr std::size_t longest_comment = 1 << 14, most_comments = 100, most_notes = 3;
  words_.clear();
  do {
    if (!lines_.next(line_)) return;
    if (!line_.data.empty() || line_.comment.empty() || line_.comment.size() > longest_comment) continue;
    const std::optional<CommentedTime> said = time_in_comment(line_.comment);
    if (said && said->unit.empty()) take_time(said->time);
    if (said && !said->unit.empty() && notes_.size() < most_notes)
      notes_.push_back(fmt::format("line {} ({}) says a time with a unit, which is not read: give it as time.begin = \"{:.10g} {}\"",
                                   line_.number, shown_word(line_.comment), said->time, shown_word(said->unit)));
    // Keep the last ones, which are next to the data.
    if (comments_.size() == most_comments) comments_.erase(comments_.begin());
    comments_.push_back({line_.number, std::string(line_.comment)});
  } while (line_.data.empty());
  commas_ = line_.data.find(',') != std::string_view::npos;
  split_words(line_.data, commas_, words_);
}

void TableFile::read_head() {
  go_to_data();
  if (take_count()) go_to_data();
}

void TableFile::take_time(double time) {
  if (time_ && *time_ != time)
    throw DataError(fmt::format("{}: line {}: the time is {:.10g}, and {:.10g} before: take one of both out of the file", path_,
                                line_.number, time, *time_));
  time_ = time;
}

/// Takes a line "N" or "N time": as a row it would be too short.
bool TableFile::take_count() {
  constexpr double most = 1e15;
  double time = 0;
  if (words_.empty() || words_.size() > 2 || parse_number(words_[0], count_) != nullptr) return false;
  if (!(count_ >= 0 && count_ < most && count_ == std::floor(count_))) return false;
  if (words_.size() == 2) {
    if (parse_number(words_[1], time) != nullptr || !std::isfinite(time)) return false;
    take_time(time);
  }
  line_of_count_ = fmt::format("line {} ({})", line_.number, shown_word(line_.data));
  notes_.push_back(fmt::format("{} is taken as the number of rows{}", line_of_count_, words_.size() == 2 ? " and the time" : ""));
  return true;
}

void TableFile::require_count(std::uint64_t rows) const {
  if (line_of_count_.empty() || static_cast<double>(rows) == count_) return;
  throw DataError(fmt::format("{}: {} is too short for a row, and as the number of rows it is wrong: {} follow. Mend it or take it out",
                              path_, line_of_count_, rows));
}

void TableFile::find_columns(const std::string& columns) {
  if (words_.empty()) return;
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
  if (!columns.empty() || columns_of_comments(comments_, words_.size(), path_, columns_)) return;
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
      columns_.has_names ? "" : fmt::format(" ({}; {} can say otherwise)", assumption_about_columns(columns_), where_columns_are_named);
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
    throw DataError(fmt::format(
        "{}: column {} has no name and holds {} in row {} (line {}), which is no type of stars or dark matter. Say what it is by "
        "{}: columns = \"m x y z vx vy vz galaxy\" makes a component of each number 0 to 4, type in place of "
        "galaxy takes the numbers as particle types 0 to 5 (0 is gas), and - leaves the column out",
        path_, column + 1, shown_word(words_[column]), row_, line_.number, where_columns_are_named));
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

void TableFile::parse(std::size_t column, TableRow& row) const {
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

TableRow TableFile::next_row() {
  if (!advance()) throw DataError(path_ + ": became shorter while it was read");
  split_words(line_.data, commas_, words_);
  if (words_.size() != columns_.size()) {
    throw DataError(fmt::format(
        "{}: row {} (line {}) has {} columns; {}", path_, row_, line_.number, words_.size(),
        columns_.has_names ? fmt::format("{} are named", columns_.size()) : fmt::format("the rows before have {}", columns_.size())));
  }
  TableRow row;
  row.id = row_;
  for (std::size_t column = 0; column < columns_.size(); ++column) parse(column, row);
  ++row_;
  return row;
}

}  // namespace grove
