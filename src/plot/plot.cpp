#include "src/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"
#include "src/pictures/png_file.hpp"
#include "src/plot/python.hpp"
#include "src/run/files/log_description.hpp"
#include "src/run/files/log_units.hpp"
#include "src/run/files/output_directory.hpp"

namespace grove {

extern const std::string_view plot_script;

namespace {

namespace fs = std::filesystem;

/// A log that has rows; nothing where there is none, or none yet.
std::optional<CsvRows> rows_in(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) == 0)) return std::nullopt;
  const LogKind* kind = log_kind_in(path);
  if (!kind || kind->file != fs::path(path).filename()) throw DataError(path + ": is no log of Grove");
  CsvRows rows = read_csv_log(path);
  return rows.count > 0 ? std::optional(std::move(rows)) : std::nullopt;
}

/// The units of the axes. `units`: nothing where the run does not say them.
std::string axis_units(const TimeUnit& time, const std::optional<UnitSystem>& units) {
  const LogUnits named = units ? log_units(*units) : LogUnits{{"code units"}, {"code units"}, {"code units"}, {"code units"}};
  const std::string time_name = *time.name ? time.name : units ? "N-body units" : "code units";
  nlohmann::json json;
  for (const auto& [name, unit] : {std::pair<const char*, LogUnit>{"time", {time_name, time.per_code_unit}},
                                   {"length", named.length},
                                   {"energy", named.energy},
                                   {"momentum", named.momentum},
                                   {"angular_momentum", named.angular_momentum}})
    json[name] = {{"name", unit.name}, {"per_code_unit", unit.per_code_unit}};
  return json.dump();
}

/// The arguments of the script for the logs of a run: title, units, files of energies and timings; empty: not drawn.
std::vector<std::string> drawing_of(const std::string& directory) {
  const OutputDirectory output(directory);
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored))
    throw ConfigError(fmt::format("{} is no directory: grove plot needs the output directory of a run", directory));
  const std::optional<CsvRows> energies = rows_in(output.energy()), timings = rows_in(output.timings()), bins = rows_in(output.time_bins());
  if (!energies && !timings)
    throw ConfigError(fmt::format("{} has nothing to draw: neither {} nor {} is there with a whole row", directory,
                                  fs::path(output.energy()).filename().string(), fs::path(output.timings()).filename().string()));
  const CsvRows& rows = energies ? *energies : *timings;
  const double first = rows.value(rows.first, "time").value_or(0), last = rows.value(rows.last, "time").value_or(0);
  const std::optional<UnitSystem> units = units_of_run_in(directory);
  const TimeUnit unit = unit_of_time(std::max(std::abs(first), std::abs(last)), units.value_or(UnitSystem{}));
  const std::string begin = rows.count > 1 ? fmt::format("{:.6g} to ", first * unit.per_code_unit) : "";
  return {fmt::format("{}: {} state{}, t = {}{:.6g}{}{}", directory, format_count(rows.count), rows.count == 1 ? "" : "s", begin,
                      last * unit.per_code_unit, *unit.name ? " " : "", unit.name),
          axis_units(unit, units), energies ? output.energy() : "", timings ? output.timings() : "", bins ? output.time_bins() : ""};
}

void require_replaceable(const std::string& out) {
  require_png(out, "--out");
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(out, ignored).type();
  if (type == fs::file_type::not_found) return;
  if (type != fs::file_type::regular || !is_png_of_grove(out, plot_source))
    throw ConfigError(fmt::format("{} is no picture that grove plot has made, and is not replaced: name another file with --out", out));
}

}  // namespace

void plot_run(const std::string& directory, const std::string& out) {
  require_replaceable(out);
  const std::vector<std::string> drawing = drawing_of(directory);
  require_place_for(out, "--out");
  write_whole_file(out, draw_png(plot_script, drawing, "the logs"));
}

}  // namespace grove
