#include "src/generators/model_parts.hpp"

#include <utility>

namespace grove {

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

}  // namespace grove
