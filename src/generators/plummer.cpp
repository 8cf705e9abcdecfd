// Plummer sphere: rho ~ (1 + r^2/a^2)^(-5/2), isotropic equilibrium. Aarseth, Henon & Wielen 1974, A&A 37, 183.
#include <cmath>

#include "src/generators/spheres.hpp"

namespace grove {
namespace {

// Speed over the escape speed, density q^2 (1 - q^2)^(7/2), by rejection from a box of height 0.1 (its maximum is 0.0922).
double speed_fraction(RandomStream& random) {
  double q = 0;
  for (int trial = 0; trial < max_trials; ++trial) {
    q = random.uniform();
    const double x = 1.0 - q * q;
    if (0.0925 * random.uniform() < q * q * x * x * x * std::sqrt(x)) break;
  }
  return q;
}

Model prepare(const InitialConditions& conditions, double G) {
  return sphere_model(conditions, "stars", plummer_sphere(sphere_parameters(conditions, G)));
}

}  // namespace

SphereProfile plummer_profile() {
  return {[](double s) { return s * s * s / std::pow(1.0 + s * s, 1.5); }, [](double s) { return std::pow(1.0 + s * s, -2.5); }};
}

Draw plummer_sphere(const SphereParameters& parameters) {
  const double a = parameters.scale_radius;
  const double inside = std::pow(1.0 + 1.0 / (parameters.cutoff * parameters.cutoff), -1.5);
  const double escape_at_centre = std::sqrt(2.0 * parameters.G * parameters.mass / inside / a);
  return [=](RandomStream& random, ModelParticle& particle) {
    // Enclosed mass fraction (1 + 1/s^2)^(-3/2), inverted for s = r/a.
    const double root = std::cbrt(inside * random.uniform());
    const double s = root / std::sqrt((1.0 - root) * (1.0 + root));
    random.isotropic(a * s, particle.position);
    const double escape = escape_at_centre / std::sqrt(std::sqrt(1.0 + s * s));
    random.isotropic(escape * speed_fraction(random), particle.velocity);
  };
}

Generator plummer() {
  return {"plummer", "Plummer sphere in equilibrium", "Aarseth, Henon & Wielen 1974", sphere_settings("Plummer", 40.0), nullptr, prepare};
}

}  // namespace grove
