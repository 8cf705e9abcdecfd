#include "src/generators/disc_equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grove {

namespace {

constexpr double pi = std::numbers::pi;

/// Integral of f over the logarithm of its argument by the midpoint rule.
template <class Function>
double integral_over_logarithm(double low, double high, int steps, const Function& f) {
  const double width = std::log(high / low) / steps;
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum += f(low * std::exp(width * (i + 0.5)));
  return sum * width;
}

}  // namespace

DiscEquilibrium::DiscEquilibrium(const DiscParameters& parameters)
    : p_(parameters), halo_total_mass_(p_.halo.mass / p_.halo_profile.enclosed_mass(p_.halo.cutoff)) {
  const double radius = q_radius * p_.scale_length;
  // Toomre 1964: Q = sigma kappa / (3.36 G Sigma).
  const double sigma = p_.toomre_q * 3.36 * p_.halo.G * surface_density(radius) / std::sqrt(epicyclic_frequency2(radius));
  dispersion2_ = sigma * sigma / dispersion_profile(radius);
}

double DiscEquilibrium::surface_density(double radius) const {
  return p_.mass / (2 * pi * p_.scale_length * p_.scale_length) * std::exp(-radius / p_.scale_length);
}

double DiscEquilibrium::halo_mass(double radius) const {
  return halo_total_mass_ * p_.halo_profile.enclosed_mass(std::min(radius / p_.halo.scale_radius, p_.halo.cutoff));
}

double DiscEquilibrium::circular_velocity2(double radius) const {
  const double halo = p_.halo.G * halo_mass(radius) / radius;
  const double y = radius / (2 * p_.scale_length);
  // Beyond this the disc acts like a point mass, and single Bessel functions would overflow or vanish.
  if (y > 100) return halo + p_.halo.G * p_.mass / radius;
  const double bessel = std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y);
  return halo + 2 * p_.halo.G * p_.mass / p_.scale_length * y * y * bessel;
}

double DiscEquilibrium::epicyclic_frequency2(double radius) const {
  // kappa^2 = Omega^2 (2 + dln v_c^2 / dln R)
  constexpr double step = 1e-3;
  const double below = circular_velocity2(radius * std::exp(-step)), above = circular_velocity2(radius * std::exp(step));
  return circular_velocity2(radius) / (radius * radius) * (2 + std::log(above / below) / (2 * step));
}

double DiscEquilibrium::dispersion_profile(double radius) const {
  const double softening = p_.scale_length / 4;
  return std::exp(-std::sqrt(radius * radius + 2 * softening * softening) / p_.scale_length);
}

double DiscEquilibrium::sigma_radial2(double radius) const { return dispersion2_ * dispersion_profile(radius); }

double DiscEquilibrium::sigma_vertical2(double radius) const {
  // The virial theorem of a sheet, sigma^2 = <z dPhi/dz>: the first term is the disc's own part, the mean that of the halo.
  constexpr int steps = 100;
  constexpr double highest = 10, width = highest / steps;
  double mean = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = width * (i + 0.5), z = t * p_.height, r = std::hypot(radius, z), sech = 1 / std::cosh(t);
    mean += width * sech * sech * z * z * p_.halo.G * halo_mass(r) / (r * r * r);
  }
  return pi * p_.halo.G * surface_density(radius) * p_.height + mean;
}

DiscMotion DiscEquilibrium::motion(double radius) const {
  const double circular2 = circular_velocity2(radius), radial2 = sigma_radial2(radius);
  const double azimuthal_ratio = epicyclic_frequency2(radius) * radius * radius / (4 * circular2);
  // Both the surface density and the squared dispersion fall as exp(-R / scale_length): Binney & Tremaine 2008, eq. 4.228, without the
  // tilt of the velocity ellipsoid.
  const double rotation2 = circular2 + radial2 * (1 - azimuthal_ratio - 2 * radius / p_.scale_length);
  return {std::sqrt(std::max(0.0, rotation2)), std::sqrt(radial2), std::sqrt(radial2 * azimuthal_ratio),
          std::sqrt(sigma_vertical2(radius))};
}

double DiscEquilibrium::halo_speed_factor(double radius) const {
  // Jeans: density times dispersion is the integral of density times G M / r^2; here dlog r = dr / r. Like the speeds themselves, the
  // factor is that of a halo without a cut-off.
  const auto pull = [&](double r, double mass) { return p_.halo_profile.density(r / p_.halo.scale_radius) * mass / r; };
  const auto disc_mass = [&](double r) {
    const double x = r / p_.scale_length;
    return -p_.mass * (std::expm1(-x) + x * std::exp(-x));
  };
  const double far = 1e3 * std::max(radius, p_.halo.scale_radius);
  constexpr int steps = 500;
  const double by_halo = integral_over_logarithm(
      radius, far, steps, [&](double r) { return pull(r, halo_total_mass_ * p_.halo_profile.enclosed_mass(r / p_.halo.scale_radius)); });
  const double by_disc = integral_over_logarithm(radius, far, steps, [&](double r) { return pull(r, disc_mass(r)); });
  return std::sqrt(1 + by_disc / by_halo);
}

}  // namespace grove
