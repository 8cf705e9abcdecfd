// energy.csv: conserved quantities after every step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/run/observers/csv_log.hpp"
#include "src/simulation/diagnostics.hpp"

namespace grove {

/// Energies of one state, for the log and the summary of a run.
struct EnergyState {
  Diagnostics sums;
  double relative_error = 0;  ///< (E - E(first)) / |E(first)|; 0 when the first energy is 0
  double virial_ratio = 0;    ///< see Diagnostics
};

/// Compares each state with the first one. Keep one per run; the same on every rank.
class EnergyReference {
 public:
  EnergyState state(const Diagnostics& sums);
  /// The first total energy; 0 before there is one.
  double first() const { return first_; }
  /// Of a run that goes on.
  void restore(double first) {
    first_ = first;
    known_ = true;
  }

 private:
  bool known_ = false;
  double first_ = 0;
};

/// The columns of energy.csv with their meanings; see LogKind.
std::vector<CsvColumn> energy_columns(const std::vector<std::string>& names);

/// The total energy with which an energy.csv compares: that of its first row, unless it was begun later; nothing when the file has no row.
/// Throws as read_csv_log().
std::optional<double> first_energy_in(const std::string& path);

/// Writes energy.csv. Not collective: one rank owns it.
class EnergyLog {
 public:
  /// Creates `path`. With `rows` > 0, goes on with a log of so many rows, or creates one where there is none. `has_external`: whether the
  /// run has external potentials, whose energy has a column then. Throws SystemError, and DataError as CsvLog does.
  explicit EnergyLog(const std::string& path, std::uint64_t rows = 0, bool has_external = false);
  void add(const EnergyState& state);
  void flush() { log_.flush(); }
  const std::string& path() const { return log_.path(); }

 private:
  bool has_external_;
  CsvLog log_;
};

}  // namespace grove
