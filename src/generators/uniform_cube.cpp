// Independent uniform positions in a cube round the origin, at rest: the usual load for measuring speed without clustering.
#include "src/galaxies/random.hpp"
#include "src/generators/generator.hpp"

namespace grove {
namespace {

Model prepare_cube(const InitialConditions& conditions, double) {
  const double side = conditions.number("side");
  const double particle_mass = conditions.number("mass") / static_cast<double>(conditions.n);
  return {[=, seed = conditions.seed](std::uint64_t id) {
    RandomStream random(seed, id);
    ModelParticle particle;
    particle.mass = particle_mass;
    for (double& coordinate : particle.position) coordinate = side * (random.uniform() - 0.5);
    return particle;
  }};
}

}  // namespace

Generator uniform_cube() {
  return {"uniform_cube",
          "homogeneous cube round the origin, at rest",
          "",
          {{"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass},
           {"side", 1.0, positive, "edge length of the cube", {}, {}, Dimension::length}},
          nullptr,
          prepare_cube};
}

}  // namespace grove
