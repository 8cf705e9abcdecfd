#include "src/generators/spheres.hpp"

#include <utility>

namespace grove {

std::vector<Setting> sphere_settings(const std::string& model, double cutoff) {
  return {{"mass", 1.0, positive, "total mass of the particles"},
          {"scale_radius", 1.0, positive, "scale radius a of the " + model + " sphere"},
          {"cutoff", cutoff, {0.1, 1e4}, "radius of the outermost particle, in scale radii"}};
}

SphereParameters sphere_parameters(const InitialConditions& conditions, double G) {
  return {conditions.number("mass"), conditions.number("scale_radius"), conditions.number("cutoff"), G};
}

Model sphere_model(const InitialConditions& conditions, Sphere sphere) {
  const double particle_mass = conditions.number("mass") / static_cast<double>(conditions.n);
  return [sphere = std::move(sphere), particle_mass, seed = conditions.seed](std::uint64_t id) {
    RandomStream random(seed, id);
    ModelParticle particle;
    particle.mass = particle_mass;
    sphere(random, particle);
    return particle;
  };
}

}  // namespace grove
