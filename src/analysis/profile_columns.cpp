#include "src/analysis/profile_columns.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "src/analysis/bar.hpp"

namespace grove {

namespace {

constexpr FieldUnit no_unit{}, length_unit{1, 0, 0}, mass_unit{0, 1, 0}, velocity_unit{0, 0, 1}, density_unit{-3, 1, 0},
    surface_unit{-2, 1, 0};

/// About the mean of the shell. One particle has none.
template <std::size_t quantity>
double sigma(const ShellView& s) {
  return s.moments.particles < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(s.moments.variance[quantity]);
}
template <std::size_t quantity>
double mean(const ShellView& s) {
  return s.moments.mean[quantity];
}

double inner_radius(const ShellView& s) { return s.inner; }
double outer_radius(const ShellView& s) { return s.outer; }
double middle_radius(const ShellView& s) { return s.middle; }
double number(const ShellView& s) { return static_cast<double>(s.moments.particles); }
double mass_in_shell(const ShellView& s) { return s.moments.mass; }
double mass_inside(const ShellView& s) { return s.moments.mass_inside; }

double density_of_shell(const ShellView& s) {
  // Not the difference of two cubes, which loses digits for thin shells.
  const double volume = 4 * std::numbers::pi / 3 * (s.outer - s.inner) * (s.outer * s.outer + s.outer * s.inner + s.inner * s.inner);
  return s.moments.mass / volume;
}
double density_of_ring(const ShellView& s) { return s.moments.mass / (std::numbers::pi * (s.outer - s.inner) * (s.outer + s.inner)); }
double circular_velocity(const ShellView& s) { return std::sqrt(s.G * s.moments.mass_inside / s.outer + s.external_v2); }
double median_height(const ShellView& s) { return s.median_height; }
double a2(const ShellView& s) { return a2_of(s.moments.mean); }
double a2_phase(const ShellView& s) { return a2_phase_of(s.moments.mean); }
double a2_inside(const ShellView& s) { return a2_of(s.moments.mean_inside); }

double tangential_sigma(const ShellView& s) { return std::sqrt((std::pow(sigma<v_theta>(s), 2) + std::pow(sigma<v_phi>(s), 2)) / 2); }
double anisotropy(const ShellView& s) {
  const double radial = sigma<v_radial>(s);
  return radial > 0 ? 1 - std::pow(tangential_sigma(s) / radial, 2) : std::numeric_limits<double>::quiet_NaN();
}

constexpr std::array of_spheres{
    ProfileColumn{"radius_inner", length_unit, "inner radius of the shell", inner_radius, false},
    ProfileColumn{"radius_outer", length_unit, "outer radius", outer_radius, false},
    ProfileColumn{"radius", length_unit, "middle of the shell", middle_radius},
    ProfileColumn{"particles", no_unit, "number of particles in the shell", number},
    ProfileColumn{"mass", mass_unit, "their mass", mass_in_shell, false},
    ProfileColumn{"density", density_unit, "mass over the volume of the shell", density_of_shell},
    ProfileColumn{"enclosed_mass", mass_unit, "mass up to the outer radius", mass_inside},
    ProfileColumn{"circular_velocity", velocity_unit, "sqrt(G enclosed_mass / radius_outer); of all, with external potentials",
                  circular_velocity},
    ProfileColumn{"mean_v_radial", velocity_unit, "mean velocity away from the centre", mean<v_radial>},
    ProfileColumn{"mean_v_phi", velocity_unit, "mean velocity about the z axis", mean<v_phi>, false},
    ProfileColumn{"sigma_radial", velocity_unit, "dispersion of the radial velocity", sigma<v_radial>},
    ProfileColumn{"sigma_theta", velocity_unit, "dispersion along the polar angle", sigma<v_theta>, false},
    ProfileColumn{"sigma_phi", velocity_unit, "dispersion along the azimuth", sigma<v_phi>, false},
    ProfileColumn{"sigma_tangential", velocity_unit, "sqrt((sigma_theta^2 + sigma_phi^2) / 2)", tangential_sigma},
    ProfileColumn{"anisotropy", no_unit, "1 - (sigma_theta^2 + sigma_phi^2) / (2 sigma_radial^2)", anisotropy},
};

constexpr std::array of_discs{
    ProfileColumn{"radius_inner", length_unit, "inner radius of the ring", inner_radius, false},
    ProfileColumn{"radius_outer", length_unit, "outer radius", outer_radius, false},
    ProfileColumn{"radius", length_unit, "middle of the ring", middle_radius},
    ProfileColumn{"particles", no_unit, "number of particles in the ring, at any height", number},
    ProfileColumn{"mass", mass_unit, "their mass", mass_in_shell, false},
    ProfileColumn{"surface_density", surface_unit, "mass over the area of the ring", density_of_ring},
    ProfileColumn{"enclosed_mass", mass_unit, "mass up to the outer radius, at any height", mass_inside, false},
    ProfileColumn{"mean_v_phi", velocity_unit, "mean velocity about the axis: the rotation curve", mean<disc_v_phi>},
    ProfileColumn{"mean_v_radial", velocity_unit, "mean velocity away from the axis", mean<disc_v_radial>, false},
    ProfileColumn{"sigma_radial", velocity_unit, "dispersion away from the axis", sigma<disc_v_radial>},
    ProfileColumn{"sigma_phi", velocity_unit, "dispersion about the axis", sigma<disc_v_phi>},
    ProfileColumn{"sigma_z", velocity_unit, "dispersion along the axis", sigma<disc_v_z>},
    ProfileColumn{"mean_z", length_unit, "mean height above the plane", mean<disc_z>, false},
    ProfileColumn{"scale_height", length_unit, "rms deviation from the mean height", sigma<disc_z>},
    ProfileColumn{"median_height", length_unit, "median distance from the plane", median_height, false},
    ProfileColumn{"a2", no_unit, "strength of a bar, |sum m exp(2 i phi)| / sum m", a2},
    ProfileColumn{"a2_phase", no_unit, "where the bar points, degrees from 0 to 180 in the plane", a2_phase},
    ProfileColumn{"a2_inside", no_unit, "a2 of all particles up to the outer radius", a2_inside, false},
};

}  // namespace

std::span<const ProfileColumn> profile_columns(bool is_disc) {
  if (is_disc) return of_discs;
  return of_spheres;
}

std::string unit_text(const FieldUnit& unit) {
  std::string text;
  for (const auto& [name, power] : {std::pair{"mass", unit.mass}, {"length", unit.length}, {"velocity", unit.velocity}}) {
    if (power == 0) continue;
    text += (text.empty() ? "" : " ") + (power == 1 ? std::string(name) : fmt::format("{}^{:g}", name, power));
  }
  return text;
}

}  // namespace grove
