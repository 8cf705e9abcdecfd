#include "src/generators/spheres.hpp"

#include <utility>

namespace grove {

std::vector<Setting> sphere_settings(const std::string& model, double cutoff) {
  return {{"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass},
          {"scale_radius", 1.0, positive, "scale radius a of the " + model + " sphere", {}, {}, Dimension::length},
          {"cutoff", cutoff, {0.1, 1e4}, "radius of the outermost particle, in scale radii"}};
}

SphereParameters sphere_parameters(const InitialConditions& conditions, double G) {
  return {conditions.number("mass"), conditions.number("scale_radius"), conditions.number("cutoff"), G};
}

Model sphere_model(const InitialConditions& conditions, const std::string& name, Draw sphere) {
  const ModelComponent component{1, name};
  std::vector<ModelPart> parts;
  parts.push_back({component, conditions.n, conditions.number("mass"), std::move(sphere)});
  return model_of_parts(std::move(parts), conditions.seed);
}

}  // namespace grove
