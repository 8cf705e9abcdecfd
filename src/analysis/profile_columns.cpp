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

constexpr FieldUnit none{}, length{1, 0, 0}, mass{0, 1, 0}, velocity{0, 0, 1}, density{-3, 1, 0}, surface{-2, 1, 0};

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
    ProfileColumn{"radius_inner", length, "inner radius of the shell", inner_radius, false},
    ProfileColumn{"radius_outer", length, "outer radius", outer_radius, false},
    ProfileColumn{"radius", length, "middle of the shell", middle_radius},
    ProfileColumn{"particles", none, "number of particles in the shell", number},
    ProfileColumn{"mass", mass, "their mass", mass_in_shell, false},
    ProfileColumn{"density", density, "mass over the volume of the shell", density_of_shell},
    ProfileColumn{"enclosed_mass", mass, "mass up to the outer radius", mass_inside},
    ProfileColumn{"circular_velocity", velocity, "sqrt(G enclosed_mass / radius_outer); of all, with external potentials",
                  circular_velocity},
    ProfileColumn{"mean_v_radial", velocity, "mean velocity away from the centre", mean<v_radial>},
    ProfileColumn{"mean_v_phi", velocity, "mean velocity about the z axis", mean<v_phi>, false},
    ProfileColumn{"sigma_radial", velocity, "dispersion of the radial velocity", sigma<v_radial>},
    ProfileColumn{"sigma_theta", velocity, "dispersion along the polar angle", sigma<v_theta>, false},
    ProfileColumn{"sigma_phi", velocity, "dispersion along the azimuth", sigma<v_phi>, false},
    ProfileColumn{"sigma_tangential", velocity, "sqrt((sigma_theta^2 + sigma_phi^2) / 2)", tangential_sigma},
    ProfileColumn{"anisotropy", none, "1 - (sigma_theta^2 + sigma_phi^2) / (2 sigma_radial^2)", anisotropy},
};

constexpr std::array of_discs{
    ProfileColumn{"radius_inner", length, "inner radius of the ring", inner_radius, false},
    ProfileColumn{"radius_outer", length, "outer radius", outer_radius, false},
    ProfileColumn{"radius", length, "middle of the ring", middle_radius},
    ProfileColumn{"particles", none, "number of particles in the ring, at any height", number},
    ProfileColumn{"mass", mass, "their mass", mass_in_shell, false},
    ProfileColumn{"surface_density", surface, "mass over the area of the ring", density_of_ring},
    ProfileColumn{"enclosed_mass", mass, "mass up to the outer radius, at any height", mass_inside, false},
    ProfileColumn{"mean_v_phi", velocity, "mean velocity about the axis: the rotation curve", mean<disc_v_phi>},
    ProfileColumn{"mean_v_radial", velocity, "mean velocity away from the axis", mean<disc_v_radial>, false},
    ProfileColumn{"sigma_radial", velocity, "dispersion away from the axis", sigma<disc_v_radial>},
    ProfileColumn{"sigma_phi", velocity, "dispersion about the axis", sigma<disc_v_phi>},
    ProfileColumn{"sigma_z", velocity, "dispersion along the axis", sigma<disc_v_z>},
    ProfileColumn{"mean_z", length, "mean height above the plane", mean<disc_z>, false},
    ProfileColumn{"scale_height", length, "rms deviation from the mean height", sigma<disc_z>},
    ProfileColumn{"median_height", length, "median distance from the plane", median_height, false},
    ProfileColumn{"a2", none, "strength of a bar, |sum m exp(2 i phi)| / sum m", a2},
    ProfileColumn{"a2_phase", none, "where the bar points, degrees from 0 to 180 in the plane", a2_phase},
    ProfileColumn{"a2_inside", none, "a2 of all particles up to the outer radius", a2_inside, false},
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
