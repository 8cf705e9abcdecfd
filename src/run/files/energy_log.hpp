// energy.csv: conserved quantities after every step.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "src/run/files/csv_log.hpp"
#include "src/simulation/diagnostics.hpp"

namespace grove {

/// Energies of one state, for the log and the summary of a run.
struct EnergyState {
  Diagnostics sums;
  double relative_error = 0;  ///< of the total energy, against that of the first state
  double own_error = 0;       ///< the same change against the first energy of the system itself: see own_energy_error()
};

/// Energies of a state to which later ones are compared.
struct FirstEnergies {
  double total = 0, own = 0;
  double own_scale = 0;  ///< Diagnostics::own_scale()
};
FirstEnergies first_energies_of(const Diagnostics& sums);

/// (energy - first) / |first|; 0 when `first` is 0.
double relative_energy_error(double energy, double first);
/// How accurate the motion in the system is: (total - first total) / first own scale, which neither motion of the whole nor external
/// potentials make small. Where no particle has mass, Diagnostics::change_of_each.
double own_energy_error(const Diagnostics& sums, const FirstEnergies& first);

/// The columns of energy.csv with their meanings. `has_external`: whether the run has external potentials, whose energy has a column then.
std::vector<CsvColumn> energy_log(bool has_external);
/// The same for LogKind.
std::vector<CsvColumn> energy_columns(const std::vector<std::string>& names);
/// The row of a state.
std::vector<double> energy_row(const EnergyState& state, bool has_external);

/// The first energies, to which the errors in an energy.csv refer, also if the file was begun later; nothing when it has no row.
/// Throws as read_csv_log().
std::optional<FirstEnergies> first_energies_in(const std::string& path);

/// The largest |relative_energy_error| and |own_energy_error| in the rows of an energy.csv up to a time. Throws as read_csv_log().
std::array<double, 2> largest_errors_in(const std::string& path, double time);

}  // namespace grove
