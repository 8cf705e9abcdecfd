// The logs that Grove writes: their file names, the meaning of their columns, and how a file is recognised as one.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// One column of a log.
struct CsvColumn {
  std::string name;
  std::string meaning;  ///< one line, with the unit, or in code units
};

/// One kind of log.
struct LogKind {
  const char* file;   ///< its name in an output directory; "#" stands for a number
  const char* title;  ///< one line
  /// The columns with their meanings if `names` are exactly those of such a log; else empty.
  std::vector<CsvColumn> (*columns)(const std::vector<std::string>& names);
};

/// The table of logs. A file that is not in it is not taken for Grove's own: it is neither overwritten nor set aside with other results.
const std::vector<LogKind>& log_kinds();

/// The kind of a log with these column names; null if there is none.
const LogKind* log_kind_of(const std::vector<std::string>& names);
/// The kind of the log in a file of any name, by its column names; null for any other file.
const LogKind* log_kind_in(const std::string& path);

/// Whether a file has the name of a log of Grove, and begins with the column names of that log or is empty.
bool is_log_of_grove(const std::string& path);

/// For LogKind::columns: these columns if `names` are exactly theirs; else empty.
std::vector<CsvColumn> columns_if_named(const std::vector<CsvColumn>& columns, const std::vector<std::string>& names);

}  // namespace grove
