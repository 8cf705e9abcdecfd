// The logs that Grove writes: how their files are called, what their columns mean, and how a file is known to be one.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// One column of a log.
struct CsvColumn {
  std::string name;
  std::string meaning;  ///< one line, with the unit; what has none is in code units
};

/// One kind of log.
struct LogKind {
  const char* file;   ///< what the file is called in an output directory; "#" stands for a number
  const char* title;  ///< what it is, in one line
  /// The columns with their meanings, if `names` are exactly those of such a log; else nothing.
  std::vector<CsvColumn> (*columns)(const std::vector<std::string>& names);
};

/// The table of logs. One that is not in it is not known as Grove's own: the next run that would write it is refused, and it is not set
/// aside with the results of its run.
const std::vector<LogKind>& log_kinds();

/// The kind of a log with these names of columns; null when there is none.
const LogKind* log_kind_of(const std::vector<std::string>& names);
/// The kind of the log in a file of any name, by its row of names; null for what is no log, or cannot be read.
const LogKind* log_kind_in(const std::string& path);

/// Whether a file is a log that Grove wrote where it is: it is called like one, and begins with the names of its columns. So does a log of
/// Grove before its logs were plain tables, after lines that begin with '#'. An empty file of such a name is one, too.
bool is_log_of_grove(const std::string& path);

/// For LogKind::columns: these columns if `names` are exactly theirs; else nothing.
std::vector<CsvColumn> columns_if_named(const std::vector<CsvColumn>& columns, const std::vector<std::string>& names);

}  // namespace grove
