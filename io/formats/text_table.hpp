// A text table, row by row: what stands before the first row, and the numbers of each. Not collective.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/text_columns.hpp"
#include "io/formats/text_comments.hpp"
#include "io/formats/text_lines.hpp"

namespace grove {

/// Numbers of components, 0 to 4, become types 1 to 5: type 0 is gas.
inline constexpr std::uint8_t first_component_type = 1;

/// One parsed line. Without a column for them, particles are of type 1.
struct TableRow {
  std::array<double, needed_columns> numbers{};  ///< mass, position, velocity: in the order of TextColumn
  std::uint64_t id = 0;                          ///< the number of the row, where the table has none
  std::uint8_t type = 1;
};

/// The rows of a table in order. Its columns are known once it is open.
class TableFile {
 public:
  /// Reads what stands before the first row, and leaves the columns unknown.
  /// @throws DataError when that contradicts itself
  explicit TableFile(const std::filesystem::path& path) : path_(path.string()), lines_(path) { read_head(); }
  /// @param columns  as complaint_about_columns() describes; empty: the file says it
  /// @throws DataError when the file does not say what its columns are
  TableFile(const std::filesystem::path& path, const std::string& columns) : TableFile(path) { find_columns(columns); }

  /// Goes to the next row without parsing it. False at the end of the file.
  bool advance();
  /// Parses the next row; throws DataError if there is none or it is wrong.
  TableRow next_row();
  const TextColumns& columns() const { return columns_; }
  std::optional<double> time() const { return time_; }
  /// On what stands before the first row, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Throws DataError where the file says another number of rows.
  void require_count(std::uint64_t rows) const;

 private:
  void read_head();
  void go_to_data();
  bool take_count();
  void take_time(double time);
  void find_columns(const std::string& columns);
  bool is_line_of_names(bool columns_are_known) const;
  [[noreturn]] void refuse(std::size_t column, const std::string& why) const;
  double number(std::size_t column) const;
  std::uint64_t id(std::size_t column) const;
  std::uint8_t type(std::size_t column) const;
  std::uint8_t component(std::size_t column) const;
  void parse(std::size_t column, TableRow& row) const;

  std::string path_;
  TextLines lines_;
  TextLine line_;
  std::vector<std::string_view> words_;  // of the line
  bool line_is_waiting_ = false;         // the line was read, but not yet its row
  bool commas_ = false;
  std::uint64_t row_ = 0;  // of the next row
  TextColumns columns_;
  std::vector<TextComment> comments_;  // before the first row, the last ones
  std::optional<double> time_;
  std::vector<std::string> notes_;
  std::string line_of_count_;  // the number of rows; empty: no line says it
  double count_ = 0;
};

/// What is assumed of a table without names of columns.
std::string assumption_about_columns(const TextColumns& columns);

}  // namespace grove
