#include "src/run/files/log_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/unit_names.hpp"
#include "kernels/base/units.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"

namespace grove {

namespace {

// Width of the names at the start of a line.
constexpr int name_width = 22;

std::string line(const std::string& name, const std::string& text) { return fmt::format("{:<{}}{}\n", name, name_width, text); }

/// Notes on a log that a run may still write.
std::vector<std::string> notes_on(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(-1, std::ios::end);
  if (file.get() == '\n') return {};
  return {"the last line is not whole, as while a run writes it, and is left out"};
}

/// First and last value, e.g. "0 to 20"; empty if there is no such column.
std::string span_of(const CsvRows& rows, const std::string& column, const std::optional<UnitSystem>& units) {
  const auto first = rows.value(rows.first, column), last = rows.value(rows.last, column);
  if (!first || !last) return "";
  std::string span = fmt::format("{:.10g} to {:.10g}", *first, *last);
  if (!units || !is_physical(*units)) return span;
  const TimeUnit unit = unit_of_time(std::max(std::abs(*first), std::abs(*last)), *units);
  return fmt::format("{} ({:.6g} to {:.6g} {})", span, *first * unit.per_code_unit, *last * unit.per_code_unit, unit.name);
}

}  // namespace

std::optional<UnitSystem> units_of_run_in(const std::string& directory) {
  const std::string file = OutputDirectory(directory).used_parameters();
  try {
    return parse_recorded_config(read_config_text(file), file).units;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

LogDescription describe_log(const std::string& path) {
  LogDescription log{path, "", {}, read_csv_log(path), std::nullopt, notes_on(path)};
  const LogKind* kind = log_kind_of(log.rows.names);
  if (!kind) throw DataError(path + ": is a log of Grove with other columns than this version knows");
  log.title = kind->title;
  log.columns = kind->columns(log.rows.names);
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  log.units = units_of_run_in(directory.empty() ? "." : directory.string());
  return log;
}

std::string LogDescription::text() const {
  std::string all = line("format", "log of Grove: " + title) + line("rows", format_count(rows.count));
  for (const char* column : {"step", "time"}) {
    const std::string span = span_of(rows, column, *column == 't' ? units : std::nullopt);
    if (!span.empty()) all += line(column, span);
  }
  all += line("units",
              units ? names_of_units(*units) : "code units of the run: there is no used_parameters.toml beside the log that says more");
  for (const std::string& note : notes) all += line("note", note);
  std::size_t longest = 0;
  for (const CsvColumn& column : columns) longest = std::max(longest, column.name.size());
  all += fmt::format("\n{:<{}} {:>18}   {}\n", "column", longest, "last value", "meaning (in code units where no other is named)");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string value = rows.count > 0 ? fmt::format("{:.10g}", rows.last[i]) : "-";
    all += fmt::format("{:<{}} {:>18}   {}\n", columns[i].name, longest, value, columns[i].meaning);
  }
  return all;
}

}  // namespace grove
