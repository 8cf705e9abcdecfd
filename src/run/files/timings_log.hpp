// timings.csv: the time of every step by phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/run/files/csv_log.hpp"
#include "src/run/files/phase_statistics.hpp"

namespace grove {

/// The columns of timings.csv with their meanings; see LogKind.
std::vector<CsvColumn> timings_columns(const std::vector<std::string>& names);

/// Writes timings.csv: step, time, mean and maximum over the ranks of every phase, imbalance, particles/s. The columns are the phases of
/// the first step logged; phases of later steps alone are in the column "other". Not collective: one rank owns it.
class TimingsLog {
 public:
  /// With `rows` > 0, continues a log of so many rows with its columns, if there is one. Throws as CsvLog does.
  explicit TimingsLog(std::string path, std::uint64_t rows = 0);
  /// One line for the step that ended at `time`; the first call creates the file. Throws SystemError.
  void add(std::uint64_t step, double time, std::uint64_t particle_count, const StepTiming& timing);
  void flush();
  const std::string& path() const { return path_; }

 private:
  void create(const StepTiming& first);

  std::string path_;
  std::vector<std::string> phases_;
  std::optional<CsvLog> log_;
};

}  // namespace grove
