#include "src/run/files/log_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "kernels/base/text_parts.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/run/files/not_finite_list.hpp"
#include "src/run/files/run_file_names.hpp"
#include "src/run/files/time_bins_log.hpp"
#include "src/run/files/timings_log.hpp"

namespace grove {

const std::vector<LogKind>& log_kinds() {
  static const std::vector<LogKind> table{
      {energy_log_file, "energy, momentum and centre of mass after every step", energy_columns},
      {timings_log_file, "wall time of every step", timings_columns},
      {time_bins_log_file, "particles, forces and wall time of every rung", time_bins_columns},
      {not_finite_files, "particles whose numbers are not finite", not_finite_columns},
  };
  return table;
}

namespace {

/// The first line of a log has fewer bytes.
constexpr std::size_t longest_head = 65536;

/// The names in the first line of a file; empty if it has no complete line, or is not a regular file.
std::vector<std::string> column_names_in(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string line(longest_head, '\0');
  file.getline(line.data(), static_cast<std::streamsize>(line.size()));
  if (!file || file.eof()) return {};
  line.resize(static_cast<std::size_t>(file.gcount()) - 1);
  const std::vector<std::string_view> names = csv_parts(line);
  return {names.begin(), names.end()};
}

/// Whether `name` is `pattern`, with digits and '_' in place of its "#".
bool is_called(std::string_view name, std::string_view pattern) {
  const std::size_t mark = pattern.find('#');
  if (mark == std::string_view::npos) return name == pattern;
  const std::string_view before = pattern.substr(0, mark), after = pattern.substr(mark + 1);
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return false;
  const std::string_view number = name.substr(before.size(), name.size() - before.size() - after.size());
  return number.find_first_not_of("0123456789_") == std::string_view::npos;
}

}  // namespace

const LogKind* log_kind_of(const std::vector<std::string>& names) {
  for (const LogKind& kind : log_kinds())
    if (!kind.columns(names).empty()) return &kind;
  return nullptr;
}

const LogKind* log_kind_in(const std::string& path) { return log_kind_of(column_names_in(path)); }

bool is_log_of_grove(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto kind = std::find_if(log_kinds().begin(), log_kinds().end(), [&](const LogKind& k) { return is_called(name, k.file); });
  if (kind == log_kinds().end()) return false;
  std::error_code unknown;
  const bool is_empty = std::filesystem::is_regular_file(path, unknown) && std::filesystem::is_empty(path, unknown);
  return is_empty || !kind->columns(column_names_in(path)).empty();
}

std::vector<CsvColumn> columns_if_named(const std::vector<CsvColumn>& columns, const std::vector<std::string>& names) {
  const auto is_same = [](const CsvColumn& column, const std::string& name) { return column.name == name; };
  return std::equal(columns.begin(), columns.end(), names.begin(), names.end(), is_same) ? columns : std::vector<CsvColumn>();
}

}  // namespace grove
