// A log of numbers that survives a crash with whole lines: energy.csv, timings.csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/run/observers/log_kinds.hpp"

namespace grove {

/// What a comma-separated file of Grove begins with: a line of the names of its columns.
std::string csv_header(const std::vector<CsvColumn>& columns);

/// A comma-separated file: a line of column names, lines of numbers, so that every program for tables reads it. Every line goes to the
/// system in one write, so that a crash of the program leaves whole lines; one for which the disk has no room is taken back. Owns the file.
/// Not collective: one rank writes.
class CsvLog {
 public:
  /// Creates `path` anew. Throws SystemError, also when a file of that name is there that is no log of Grove; see log_kinds().
  CsvLog(const std::string& path, const std::vector<CsvColumn>& columns);
  /// Goes on with a log after its first `rows` lines of numbers; what follows them is cut off. Lines that begin with '#', of an earlier
  /// version, stay. Throws DataError when it has fewer whole lines or is no log, SystemError when it cannot be opened.
  CsvLog(const std::string& path, std::uint64_t rows);
  CsvLog(const CsvLog&) = delete;
  CsvLog& operator=(const CsvLog&) = delete;
  ~CsvLog();

  /// is_log_of_grove().
  static bool is_one(const std::string& path) { return is_log_of_grove(path); }
  /// Throws SystemError when a file of that name is there that is no log of Grove.
  static void require_no_other(const std::string& path);

  /// One line; whole numbers below 2^53 without a fraction, others with 17 significant digits, so that the bits can be read back.
  /// `values` has one entry a column. Throws SystemError, naming the file, e.g. when the disk is full; the file then is as
  /// it was, and the next line may have room again.
  void add(const std::vector<double>& values);
  /// Waits until all lines are on the disk. Throws SystemError, also when the file has been removed.
  void flush();
  const std::string& path() const { return path_; }
  /// The names of the columns.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void write(const std::string& lines);
  void take_back_torn_line();

  std::string path_;
  int file_ = -1;
  std::int64_t torn_at_ = -1;  ///< where a part of a line begins that could not be taken back; else negative
  std::vector<std::string> names_;
};

/// Whether a log at `path` is to go on after `rows` rows, and there is one.
bool goes_on(const std::string& path, std::uint64_t rows);

/// A log as a program reads it.
struct CsvRows {
  std::vector<std::string> names;
  std::vector<double> first, last;  ///< lines of numbers; empty without one
  std::uint64_t count = 0;          ///< whole lines of numbers

  /// The number of `row`, first or last, in the column of this name; nothing where there is none.
  std::optional<double> value(const std::vector<double>& row, const std::string& name) const;
};
/// Reads a log, in a file of any name; throws DataError for what is none and for a first or last row that is not a number a column, and
/// SystemError for what cannot be read.
CsvRows read_csv_log(const std::string& path);
/// The whole rows before the first one with a larger number than `value` in the column of this name. Throws as read_csv_log().
CsvRows rows_up_to(const std::string& path, const std::string& column, double value);
/// Throws the DataError of a log that has fewer rows than the run has written.
[[noreturn]] void fail_for_missing_rows(const std::string& path, std::uint64_t rows, std::uint64_t expected);

}  // namespace grove
