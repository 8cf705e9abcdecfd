#include "src/generators/model_parts.hpp"

#include <cmath>
#include <utility>

namespace grove {

namespace {

/// Ascending node at `node` from +x, counted towards +y, as of orbits.
struct Turn {
  double cos_i, sin_i, cos_node, sin_node;
  void operator()(double (&v)[3]) const {
    const double y = cos_i * v[1] - sin_i * v[2], z = sin_i * v[1] + cos_i * v[2];
    const double x = cos_node * v[0] - sin_node * y;
    v[1] = sin_node * v[0] + cos_node * y;
    v[0] = x;
    v[2] = z;
  }
};

}  // namespace

Model model_of_parts(std::vector<ModelPart> parts, std::uint64_t seed) {
  std::vector<ModelComponent> components;
  for (const ModelPart& part : parts) components.push_back(part.component);
  auto draw = [parts = std::move(parts), seed](std::uint64_t id) {
    RandomStream random(seed, id);
    std::size_t k = 0;
    for (std::uint64_t end = parts[0].count; id >= end && k + 1 < parts.size(); end += parts[k].count) ++k;
    const ModelPart& part = parts[k];
    ModelParticle particle;
    particle.mass = part.mass / static_cast<double>(part.count);
    particle.type = part.component.type;
    particle.component = static_cast<std::uint32_t>(k);
    part.draw(random, particle);
    for (int d = 0; d < 3; ++d) {
      particle.position[d] += part.component.position[d];
      particle.velocity[d] += part.component.velocity[d];
    }
    return particle;
  };
  Model model;
  model.particle = std::move(draw);
  model.components = std::move(components);
  return model;
}

Draw turned(Draw draw, double inclination, double node) {
  const Turn turn{std::cos(inclination), std::sin(inclination), std::cos(node), std::sin(node)};
  return [draw = std::move(draw), turn](RandomStream& random, ModelParticle& particle) {
    draw(random, particle);
    turn(particle.position);
    turn(particle.velocity);
  };
}

}  // namespace grove
