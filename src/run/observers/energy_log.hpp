// energy.csv: conserved quantities after every step.
#pragma once

#include <string>

#include "src/run/observers/csv_log.hpp"
#include "src/simulation/diagnostics.hpp"

namespace grove {

struct Config;

/// Energies of one state, for the log and the summary of a run.
struct EnergyState {
  Diagnostics sums;
  double relative_error = 0;  ///< (E - E(first)) / |E(first)|; 0 when the first energy is 0
  double virial_ratio = 0;    ///< 2 K / |W|; 0 without potential energy
};

/// Compares each state with the first one. Keep one per run; the same on every rank.
class EnergyReference {
 public:
  EnergyState state(const Diagnostics& sums);

 private:
  bool known_ = false;
  double first_ = 0;
};

/// The unit of the times of a run, in words: "N-body units", "units of 977.8 Myr".
std::string time_unit_text(const Config& config);

/// Writes energy.csv. Not collective: one rank owns it.
class EnergyLog {
 public:
  /// Creates `path`. `time_unit` is that of time_unit_text(). Throws SystemError.
  EnergyLog(const std::string& path, const std::string& time_unit);
  void add(const EnergyState& state);
  const std::string& path() const { return log_.path(); }

 private:
  CsvLog log_;
};

}  // namespace grove
