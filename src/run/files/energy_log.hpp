// energy.csv: conserved quantities after every step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/run/files/csv_log.hpp"
#include "src/simulation/diagnostics.hpp"

namespace grove {

/// Energies of one state, for the log and the summary of a run.
struct EnergyState {
  Diagnostics sums;
  double relative_error = 0;  ///< (E - E(first)) / |E(first)|; 0 when the first energy is 0
};

/// Compares the energy of each state with that of the first; the same on every rank.
class EnergyReference {
 public:
  EnergyState state(const Diagnostics& sums);
  /// The first total energy; 0 before there is one.
  double first() const { return first_.value_or(0); }
  /// For a run that continues.
  void restore(double first) { first_ = first; }

 private:
  std::optional<double> first_;
};

/// The columns of energy.csv with their meanings; see LogKind.
std::vector<CsvColumn> energy_columns(const std::vector<std::string>& names);

/// The first total energy, to which the errors in an energy.csv refer, also if the file was begun later; nothing when it has no row.
/// Throws as read_csv_log().
std::optional<double> first_energy_in(const std::string& path);

/// Writes energy.csv. Not collective: one rank owns it.
class EnergyLog {
 public:
  /// Creates `path`. With `rows` > 0, continues a log of so many rows, or creates one where there is none. `has_external`: whether the run
  /// has external potentials, whose energy has a column then. Throws SystemError, and DataError as CsvLog does.
  explicit EnergyLog(const std::string& path, std::uint64_t rows = 0, bool has_external = false);
  void add(const EnergyState& state);
  void flush() { log_.flush(); }
  const std::string& path() const { return log_.path(); }

 private:
  bool has_external_;
  CsvLog log_;
};

}  // namespace grove
