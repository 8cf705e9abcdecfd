#include "src/generators/spheres.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/base/named_rows.hpp"
#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

/// A galaxy of one component: the generator has the name of its kind.
Model prepare_one(const InitialConditions& conditions, double G) {
  static const std::set<std::string> haloes{"nfw", "einasto", "isothermal"};
  ComponentParameters sphere{haloes.contains(conditions.generator) ? "halo" : "stars", conditions.generator, conditions.parameters};
  sphere.values["mass"] = conditions.number("mass");
  // The run's softening is not known here: practically none.
  sphere.values["softening"] = 1e-6 * sphere.number("scale_radius");
  sphere.values["type"] = std::uint64_t{1};
  Model model = model_of_galaxies({{conditions.generator, {sphere}, {}}}, conditions.n, conditions.seed, G);
  model.table.clear();
  return model;
}

std::optional<Complaint> check_one(const InitialConditions& conditions) {
  const bool has_radius = conditions.number("anisotropy_radius") > 0;
  if (has_radius && conditions.number("anisotropy") != 0) return Complaint{"anisotropy", "left out where anisotropy_radius is given"};
  return std::nullopt;
}

}  // namespace

std::vector<Generator> spheres_of_kinds() {
  static const std::set<std::string> of_galaxies{"particles", "softening", "type", "density", "circular_velocity"};
  std::vector<Generator> made;
  for (const ComponentKind& kind : component_kinds()) {
    // A table has a file, which in initial conditions means particles; Plummer's and Hernquist's spheres have generators of their own.
    if (is_disc(kind.name) || is_point(kind.name) || kind.name == "table" || kind.name == "uniform" || kind.name == "plummer" ||
        kind.name == "hernquist")
      continue;
    Generator generator{kind.name, "sphere in equilibrium: " + kind.meaning, kind.source, {}, check_one, prepare_one};
    for (Setting setting : kind.settings) {
      if (of_galaxies.contains(setting.name)) continue;
      if (setting.name == "mass") setting = {"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass};
      generator.settings.push_back(std::move(setting));
    }
    made.push_back(std::move(generator));
  }
  return made;
}

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
