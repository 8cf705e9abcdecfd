// What is in a log of Grove, for people: the meaning of its columns, and where it stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/unit_system.hpp"
#include "src/run/observers/csv_log.hpp"

namespace grove {

/// The units of the run whose used_parameters.toml is in `directory`; nothing where there is none that can be read.
std::optional<UnitSystem> units_of_run_in(const std::string& directory);

/// A log and what there is to say of it.
struct LogDescription {
  std::string file;
  std::string title;               ///< what it is, in one line
  std::vector<CsvColumn> columns;  ///< with their meanings
  CsvRows rows;
  std::optional<UnitSystem> units;  ///< of the run, as far as it is known
  std::vector<std::string> notes;

  /// All of it, in lines for a terminal.
  std::string text() const;
};

/// Describes the log in a file of any name; its units are those of units_of_run_in() beside it. Not collective. Throws as read_csv_log().
LogDescription describe_log(const std::string& path);

}  // namespace grove
