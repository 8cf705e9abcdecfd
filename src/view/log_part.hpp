// Part after part of a log that grows: energy.csv, timings.csv.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/view/run_files.hpp"

namespace grove {

/// The next rows of a log.
struct LogPart {
  std::vector<std::string> names;         ///< of the columns; empty as long as the file has none
  std::vector<std::vector<double>> rows;  ///< NaN for what is no number
  std::uint64_t lines = 0;                ///< that the part has; `rows` may have fewer
  std::uint64_t bad_lines = 0;            ///< that are left out since they have too many or too few values
  std::string cursor;                     ///< where the next part begins
  bool is_from_start = true;              ///< these are the first rows of the file: what was read before belongs to another one
  bool is_last = true;                    ///< there is nothing behind them yet
};

/// Reads a log of Grove: lines with '#' in front, a line of names, lines of numbers. A last line without its end is left for later.
/// @param cursor  that of the part before; empty: from the start. Where the file does not go on from there, since it has been replaced or
///   cut, the part is the first one of what there is now.
/// @param most    the most rows; a part with more of them gives so many, evenly chosen, and its last one
/// @throws DataError for what is no log
LogPart read_log_part(const OpenFile& file, const std::string& cursor, std::uint64_t most);

/// The last whole line of numbers, with the names of the columns. Reads the ends of the file alone.
LogPart read_last_row(const OpenFile& file);

}  // namespace grove
