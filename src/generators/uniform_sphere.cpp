// Homogeneous sphere at rest or with Gaussian velocities: the cold collapse of van Albada 1982, MNRAS 201, 939.
#include <cmath>

#include "src/galaxies/random.hpp"
#include "src/generators/generator.hpp"

namespace grove {
namespace {

Model prepare_uniform_sphere(const InitialConditions& conditions, double G) {
  const double mass = conditions.number("mass"), radius = conditions.number("radius");
  const double particle_mass = mass / static_cast<double>(conditions.n);
  // 2 K = 3 M sigma^2 and |W| = 3/5 G M^2 / R.
  const double sigma = std::sqrt(conditions.number("virial_ratio") * G * mass / (5.0 * radius));
  return {[=, seed = conditions.seed](std::uint64_t id) {
    RandomStream random(seed, id);
    ModelParticle particle;
    particle.mass = particle_mass;
    random.isotropic(radius * std::cbrt(random.uniform()), particle.position);
    if (sigma > 0) {
      for (double& component : particle.velocity) component = sigma * random.normal();
    }
    return particle;
  }};
}

}  // namespace

Generator uniform_sphere() {
  return {"uniform_sphere",
          "homogeneous sphere, at rest unless virial_ratio > 0 (cold collapse)",
          "van Albada 1982",
          {{"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass},
           {"radius", 1.0, positive, "radius of the sphere", {}, {}, Dimension::length},
           {"virial_ratio", 0.0, {0.0, 2.0}, "twice the kinetic over the absolute potential energy; 0: at rest, 1: virial equilibrium"}},
          nullptr,
          prepare_uniform_sphere};
}

}  // namespace grove
