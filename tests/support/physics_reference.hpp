// Forces as a textbook has them, one pair at a time in FP64, apart from all code under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove::tests {

/// Acceleration over distance, and potential, of a unit mass, both positive.
struct Attraction {
  double force, potential;
};

/// Plummer 1911: phi = -(r^2 + e^2)^(-1/2). Wendland C2 (Wendland 1995), H = 3 e, u = r / H:
/// phi = -(3 - 7 u^2 + 21 u^4 - 28 u^5 + 15 u^6 - 3 u^7) / H inside H. Unsoftened particles at the same place leave each other alone.
inline Attraction attraction(const GravityParameters& gravity, double r) {
  const double e = gravity.softening;
  if (e == 0) return r == 0 ? Attraction{0, 0} : Attraction{std::pow(r, -3), 1 / r};
  if (gravity.softening_kernel == "plummer") return {std::pow(r * r + e * e, -1.5), std::pow(r * r + e * e, -0.5)};
  if (gravity.softening_kernel != "wendland_c2")
    throw std::logic_error("tests/support/physics_reference.hpp lacks the softening kernel " + gravity.softening_kernel);
  const double h = 3 * e, u = r / h;
  if (u >= 1) return {std::pow(r, -3), 1 / r};
  const double slope = 14 - 84 * std::pow(u, 2) + 140 * std::pow(u, 3) - 90 * std::pow(u, 4) + 21 * std::pow(u, 5);
  const double potential = 3 - 7 * std::pow(u, 2) + 21 * std::pow(u, 4) - 28 * std::pow(u, 5) + 15 * std::pow(u, 6) - 3 * std::pow(u, 7);
  return {slope / std::pow(h, 3), potential / h};
}

/// Forces on all particles, and for each the sum of the magnitudes of the forces: the scale of errors, also where forces cancel.
struct Reference {
  std::vector<double> acceleration, potential, strength;
};

inline Reference reference_forces(const ParticleSet& all, const GravityParameters& gravity) {
  Reference result{std::vector<double>(3 * all.size()), std::vector<double>(all.size()), std::vector<double>(all.size())};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j) continue;
      double d[3];
      for (std::size_t k = 0; k < 3; ++k) d[k] = all.position[3 * j + k] - all.position[3 * i + k];
      const double r = std::hypot(d[0], d[1], d[2]);
      const Attraction pair = attraction(gravity, r);
      const double gm = gravity.G * all.mass[j];
      for (std::size_t k = 0; k < 3; ++k) result.acceleration[3 * i + k] += gm * pair.force * d[k];
      result.potential[i] -= gm * pair.potential;
      result.strength[i] += gm * pair.force * r;
    }
  return result;
}

/// Errors of forces: of accelerations relative to the reference's strength, of potentials to the potential. Infinite when a force is not
/// finite, or when it is not zero where nothing acts.
struct ReferenceErrors {
  double largest_acceleration = 0, rms_acceleration = 0, largest_potential = 0;
};

inline ReferenceErrors errors_against(const Reference& reference, const ParticleSet& all) {
  const auto ratio = [](double error, double scale) {
    return error == 0 ? 0 : std::isfinite(error) && scale > 0 ? error / scale : HUGE_VAL;
  };
  ReferenceErrors errors;
  double squares = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    double error = 0;
    for (std::size_t k = 0; k < 3; ++k) error = std::hypot(error, all.acceleration[3 * i + k] - reference.acceleration[3 * i + k]);
    const double relative = ratio(error, reference.strength[i]);
    const double potential = ratio(std::abs(all.potential[i] - reference.potential[i]), std::abs(reference.potential[i]));
    errors.largest_acceleration = std::max(errors.largest_acceleration, relative);
    errors.largest_potential = std::max(errors.largest_potential, potential);
    squares += relative * relative;
  }
  errors.rms_acceleration = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(all.size(), 1)));
  return errors;
}

}  // namespace grove::tests
