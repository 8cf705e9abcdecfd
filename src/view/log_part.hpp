// Reads a growing log part by part: energy.csv, timings.csv, time_bins.csv.
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
  std::uint64_t bad_lines = 0;            ///< omitted: they have too many or too few values
  std::string cursor;                     ///< where the next part begins
  bool is_from_start = true;              ///< these are the first rows of the file: what was read before belongs to another one
  bool is_last = true;                    ///< there is nothing behind them yet
};

/// Reads a log of Grove: a line of names, lines of numbers. A last line without its end is left for later.
/// @param cursor  that of the part before; empty: from the start. If the file has been replaced or cut since, the part is again the first
/// @param most    the most rows; of more, so many are chosen evenly, and the last one
/// @throws DataError for what is no log
LogPart read_log_part(const OpenFile& file, const std::string& cursor, std::uint64_t most);

/// The last whole line of numbers, with the names of the columns. Reads only both ends of the file.
LogPart read_last_row(const OpenFile& file);

}  // namespace grove
