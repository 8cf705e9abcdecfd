// A description of a log for people: the meaning of its columns, and its last values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/base/units.hpp"
#include "src/run/files/csv_log.hpp"

namespace grove {

/// The units in the used_parameters.toml of `directory`; nothing without a readable one.
std::optional<UnitSystem> units_of_run_in(const std::string& directory);

/// A log and its description.
struct LogDescription {
  std::string file;
  std::string title;               ///< one line
  std::vector<CsvColumn> columns;  ///< with their meanings
  CsvRows rows;
  std::optional<UnitSystem> units;  ///< of the run, if known
  std::vector<std::string> notes;

  /// All in lines for a terminal.
  std::string text() const;
};

/// Describes the log in a file of any name, with the units_of_run_in() its directory. Not collective. Throws as read_csv_log().
LogDescription describe_log(const std::string& path);

}  // namespace grove
