#include "src/run/files/energy_log.hpp"

#include <algorithm>
#include <cmath>

namespace grove {

std::vector<CsvColumn> energy_log(bool has_external) {
  std::vector<CsvColumn> all{
      {"time", "time of the state"},
      {"kinetic", "kinetic energy"},
      {"potential", "potential energy, sum of m phi / 2, self terms excluded"},
      {"total", has_external ? "kinetic + potential + external" : "kinetic + potential"},
      {"relative_energy_error", "(total - total at the start) / |total at the start|, no unit"},
      {"momentum_x", "x component of the total momentum"},
      {"momentum_y", "y component of the total momentum"},
      {"momentum_z", "z component of the total momentum"},
      {"angular_momentum_x", "x component of the total angular momentum about the origin"},
      {"angular_momentum_y", "y component of the total angular momentum about the origin"},
      {"angular_momentum_z", "z component of the total angular momentum about the origin"},
      {"centre_of_mass_x", "x component of the centre of mass"},
      {"centre_of_mass_y", "y component of the centre of mass"},
      {"centre_of_mass_z", "z component of the centre of mass"},
      {"virial_ratio", has_external ? "2 kinetic / |potential + sum of m x a of the external potentials|, 1 in equilibrium, no unit"
                                    : "2 kinetic / |potential|, 1 in equilibrium, no unit"}};
  if (has_external) all.push_back({"external", "energy in the external potentials, sum of m phi"});
  all.push_back(
      {"own_energy", "kinetic energy in the frame of the centre of mass + potential, without a particle of more than half of the mass"});
  all.push_back({"own_energy_error",
                 "(total - total at the start) / |own_energy at the start|, or a 100th of its parts if more, no unit; without masses, mean "
                 "|change| / mean |first value| of "
                 "v^2 / 2 + phi"});
  all.push_back({"own_virial_ratio", "2 kinetic / |potential| of own_energy, no unit"});
  return all;
}

std::vector<CsvColumn> energy_columns(const std::vector<std::string>& names) {
  const std::vector<CsvColumn> all = columns_if_named(energy_log(false), names);
  return all.empty() ? columns_if_named(energy_log(true), names) : all;
}

std::vector<double> energy_row(const EnergyState& state, bool has_external) {
  const Diagnostics& d = state.sums;
  std::vector<double> row{d.time, d.kinetic, d.potential, d.total_energy(), state.relative_error};
  for (const auto* vector : {&d.momentum, &d.angular_momentum, &d.centre_of_mass}) row.insert(row.end(), *vector, *vector + 3);
  row.push_back(d.virial_ratio());
  if (has_external) row.push_back(d.external);
  row.insert(row.end(), {d.own_energy(), state.own_error, d.own_virial_ratio()});
  return row;
}

FirstEnergies first_energies_of(const Diagnostics& sums) { return {sums.total_energy(), sums.own_energy(), sums.own_scale()}; }

double relative_energy_error(double energy, double first) { return first != 0 ? (energy - first) / std::abs(first) : 0; }

double own_energy_error(const Diagnostics& sums, const FirstEnergies& first) {
  if (sums.change_of_each) return *sums.change_of_each;
  return first.own_scale > 0 ? (sums.total_energy() - first.total) / first.own_scale
                             : relative_energy_error(sums.total_energy(), first.total);
}

std::optional<FirstEnergies> first_energies_in(const std::string& path) {
  const CsvRows rows = read_csv_log(path);
  const auto of_first = [&](const char* name) { return rows.value(rows.first, name); };
  const auto total = of_first("total"), error = of_first("relative_energy_error"), own = of_first("own_energy"),
             own_error = of_first("own_energy_error");
  if (!total) return std::nullopt;
  FirstEnergies first{*total, own.value_or(*total), std::abs(own.value_or(*total))};
  if (!error || !(std::abs(*error) < 1) || *error == 0) return first;
  // error = (total - first) / |first|, and total and first have the same sign.
  first.total = *total / (*total < 0 ? 1 - *error : 1 + *error);
  if (own_error && *own_error != 0) first.own_scale = std::abs((*total - first.total) / *own_error);
  return first;
}

std::array<double, 2> largest_errors_in(const std::string& path, double time) {
  std::array<double, 2> largest{};
  rows_up_to(path, "time", time, [&](const NumberInRow& number_in) {
    const char* const names[] = {"relative_energy_error", "own_energy_error"};
    for (std::size_t k = 0; k < 2; ++k) largest[k] = std::max(largest[k], std::abs(number_in(names[k]).value_or(0)));
  });
  return largest;
}

}  // namespace grove
