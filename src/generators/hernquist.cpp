// Hernquist sphere: rho ~ 1 / (r (r + a)^3), isotropic equilibrium. Hernquist 1990, ApJ 356, 359.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "src/generators/spheres.hpp"

namespace grove {
namespace {

// Distribution function (Hernquist 1990, eq. 17) without its constant, for q^2 = binding energy a / (G M), 0 < q < 1.
double distribution(double q2) {
  const double q = std::sqrt(q2);
  // The terms of the closed form cancel up to q^5; below 0.1 its series is better (relative error 4e-10 at 0.1).
  if (q < 0.1) {
    const double series = 1.0 + q2 * (10.0 / 7 + q2 * (40.0 / 21 + q2 * (80.0 / 33 + q2 * (1280.0 / 429))));
    return 25.6 * q2 * q2 * q * series;
  }
  const double p2 = 1.0 - q2, p = std::sqrt(p2);
  return (3.0 * std::asin(q) + q * p * (1.0 - 2.0 * q2) * (8.0 * q2 * (q2 - 1.0) - 3.0)) / (p2 * p2 * p);
}

// Upper bounds of the speed distribution x^2 f(psi (1 - x^2)), x = v / escape speed, as a function of radius s = r/a.
class SpeedEnvelope {
 public:
  explicit SpeedEnvelope(double cutoff) {
    const auto count = static_cast<std::size_t>(std::ceil((std::log(cutoff) - log_first) / spacing)) + 2;
    log_bound_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      log_bound_[i] = std::log(maximum(1.0 / (1.0 + std::exp(log_first + spacing * static_cast<double>(i)))));
  }

  // Within 0.1 % above the maximum: the logarithm bends by less than spacing^2 / 8 between two entries.
  double bound(double s) const {
    const double place = std::max(0.0, (std::log(s) - log_first) / spacing);
    const std::size_t i = std::min(static_cast<std::size_t>(place), log_bound_.size() - 2);
    const double weight = place - static_cast<double>(i);
    return 1.001 * std::exp((1.0 - weight) * log_bound_[i] + weight * log_bound_[i + 1]);
  }

  // A radius below this holds 1e-14 of the mass; the profile of speeds hardly changes there.
  static constexpr double first_radius = 1e-7;

 private:
  // The maximum over x by golden-section search in log x: the distribution has one peak.
  static double maximum(double psi) {
    const auto value = [psi](double log_x) {
      const double x2 = std::exp(2.0 * log_x);
      return x2 * distribution(psi * (1.0 - x2));
    };
    constexpr double golden = 0.6180339887498949;
    double low = std::log(1e-6), high = -1e-9;
    for (int i = 0; i < 32; ++i) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      if (value(left) < value(right)) {
        low = left;
      } else {
        high = right;
      }
    }
    return value(0.5 * (low + high));
  }

  static constexpr double spacing = 0.05;
  static inline const double log_first = std::log(first_radius);
  std::vector<double> log_bound_;
};

double speed_fraction(double s, const SpeedEnvelope& envelope, RandomStream& random) {
  const double radius = std::max(s, SpeedEnvelope::first_radius);
  const double psi = 1.0 / (1.0 + radius), bound = envelope.bound(radius);
  double x = 0;
  for (int trial = 0; trial < max_trials; ++trial) {
    x = random.uniform();
    if (bound * random.uniform() < x * x * distribution(psi * (1.0 - x * x))) break;
  }
  return x;
}

Model prepare(const InitialConditions& conditions, double G) {
  return sphere_model(conditions, "halo", hernquist_sphere(sphere_parameters(conditions, G)));
}

}  // namespace

SphereProfile hernquist_profile() {
  return {[](double s) { return s * s / ((1.0 + s) * (1.0 + s)); }, [](double s) { return 1.0 / (s * (1.0 + s) * (1.0 + s) * (1.0 + s)); }};
}

Draw hernquist_sphere(const SphereParameters& parameters) {
  const double a = parameters.scale_radius, c = parameters.cutoff;
  const double inside = c * c / ((1.0 + c) * (1.0 + c));
  const double escape_at_centre = std::sqrt(2.0 * parameters.G * parameters.mass / inside / a);
  const auto envelope = std::make_shared<const SpeedEnvelope>(c);
  return [=](RandomStream& random, ModelParticle& particle) {
    // Enclosed mass fraction (s / (1 + s))^2, inverted.
    const double root = std::sqrt(inside * random.uniform());
    const double s = root / (1.0 - root);
    random.isotropic(a * s, particle.position);
    const double escape = escape_at_centre / std::sqrt(1.0 + s);
    random.isotropic(escape * speed_fraction(s, *envelope, random), particle.velocity);
  };
}

Generator hernquist() {
  return {"hernquist", "Hernquist sphere in equilibrium", "Hernquist 1990", sphere_settings("Hernquist", 100.0), nullptr, prepare};
}

}  // namespace grove
