// A log of numbers that survives a crash with whole lines: energy.csv, timings.csv.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/run/files/log_kinds.hpp"

namespace grove {

/// The first line of a comma-separated file of Grove: the names of its columns.
std::string csv_header(const std::vector<CsvColumn>& columns);

/// A comma-separated file: a line of column names, lines of numbers. Every line goes to the system in one write, so that a crash leaves
/// whole lines; one for which the disk lacks room is removed. Owns the file. Not collective: one rank writes.
class CsvLog {
 public:
  /// Creates or replaces `path`. Throws SystemError, also for a file of that name that is no log of Grove.
  CsvLog(const std::string& path, const std::vector<CsvColumn>& columns);
  /// Continues a log after its first `rows` lines of numbers, and cuts off the others. Throws DataError when it has fewer whole lines or is
  /// no log, SystemError when it cannot be opened.
  CsvLog(const std::string& path, std::uint64_t rows);
  CsvLog(const CsvLog&) = delete;
  CsvLog& operator=(const CsvLog&) = delete;
  ~CsvLog();

  /// Throws SystemError for a file of that name that is no log of Grove.
  static void require_no_other(const std::string& path);

  /// Adds a line; each number with as few digits as give the same bits when read, which is also faster than 17 digits.
  /// `values` has one entry for each column. Throws SystemError that names the file, e.g. when the disk is full; the file is then
  /// unchanged, and the next line may fit.
  void add(const std::vector<double>& values);
  /// Waits until all lines are on the disk. Throws SystemError, also when the file has been removed, or another program has changed its
  /// length.
  void flush();
  const std::string& path() const { return path_; }
  /// The names of the columns.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void write(const std::string& lines);
  void take_back_torn_line();

  std::string path_;
  int file_ = -1;
  std::int64_t bytes_ = 0;     ///< of the header and the whole lines
  std::int64_t torn_at_ = -1;  ///< where a partial line begins that could not be removed; else negative
  std::vector<std::string> names_;
};

/// The contents of a log.
struct CsvRows {
  std::vector<std::string> names;
  std::vector<double> first, last;  ///< lines of numbers; empty without one
  std::uint64_t count = 0;          ///< whole lines of numbers
  std::uint64_t bytes = 0;          ///< from the first line to the end of the last of these rows

  /// The number of `row`, first or last, in this column; nothing if there is none.
  std::optional<double> value(const std::vector<double>& row, const std::string& name) const;
};
/// Reads a log, in a file of any name. Throws DataError for any other file and for a first or last row that is not a number for each
/// column, and SystemError for a file that cannot be read.
CsvRows read_csv_log(const std::string& path);
/// The number of a row in the column of a name; nothing if there is none.
using NumberInRow = std::function<std::optional<double>(const std::string& column)>;
/// The whole rows before the first one with a larger number than `value` in the column of this name. `see` is called with each of them.
/// Throws as read_csv_log().
CsvRows rows_up_to(const std::string& path, const std::string& column, double value,
                   const std::function<void(const NumberInRow&)>& see = {});
/// The first `rows` whole rows of a log that is to be continued after them. Throws as CsvLog does, which continues it.
CsvRows rows_to_continue(const std::string& path, std::uint64_t rows);

}  // namespace grove
