// A log of numbers that survives a crash with whole lines: energy.csv, timings.csv.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// One column of a log.
struct CsvColumn {
  std::string name;
  std::string meaning;  ///< one line, with the unit
};

/// A comma-separated file: '#' lines that say what it is and what each column means, a line of column names, lines of numbers. Every line
/// goes to the system in one write, so that a crash of the program leaves whole lines. Owns the file. Not collective: one rank writes.
class CsvLog {
 public:
  /// Creates `path` anew; `title` is the first '#' line (further lines after each newline). Throws SystemError.
  CsvLog(const std::string& path, const std::string& title, const std::vector<CsvColumn>& columns);
  CsvLog(const CsvLog&) = delete;
  CsvLog& operator=(const CsvLog&) = delete;
  ~CsvLog();

  /// One line; whole numbers below 2^53 without a fraction, others with 17 significant digits, so that the bits can be read back.
  /// `values` has one entry a column. Throws SystemError, naming the file, e.g. when the disk is full.
  void add(const std::vector<double>& values);
  const std::string& path() const { return path_; }

 private:
  void write(const std::string& lines);

  std::string path_;
  int file_ = -1;
  std::size_t columns_;
};

}  // namespace grove
