// A generator for each kind of sphere: a galaxy of one component.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

/// The key of a table's file, since initial_conditions.file has particles.
constexpr const char* density_file = "density_file";

/// Default tapers with which spheres are the whole models, within some 0.001 of mass and density.
const std::map<std::string, double>& tapers_of_whole_models() {
  static const std::map<std::string, double> tapers{{"plummer", 100.0}, {"hernquist", 2000.0}};
  return tapers;
}

Model prepare_one(const InitialConditions& conditions, double G) {
  static const std::set<std::string> haloes{"hernquist", "nfw", "einasto", "isothermal"};
  const std::string& kind = conditions.generator;
  ComponentParameters sphere{haloes.contains(kind) ? "halo" : "stars", kind, conditions.parameters};
  if (kind == "table") {
    sphere.values.erase(density_file);
    sphere.values["file"] = conditions.text(density_file);
  }
  sphere.values["mass"] = conditions.number("mass");
  sphere.values["type"] = std::uint64_t{1};
  if (tapers_of_whole_models().contains(kind)) sphere.values["taper"] = conditions.number("taper");
  return model_of_keys({{kind, {std::move(sphere)}, {}}}, conditions, G);
}

std::optional<Complaint> check_one(const InitialConditions& conditions) {
  if (conditions.number("anisotropy_radius") > 0 && conditions.number("anisotropy") != 0)
    return Complaint{"anisotropy", "left out where anisotropy_radius is given"};
  if (conditions.generator == "table" && conditions.text(density_file).empty())
    return Complaint{density_file, "given: the file with the density"};
  return std::nullopt;
}

}  // namespace

std::vector<Generator> spheres_of_kinds() {
  static const std::set<std::string> of_galaxies{"particles", "softening", "type", "density", "circular_velocity"};
  std::vector<Generator> made;
  for (const ComponentKind& kind : component_kinds()) {
    if (is_disc(kind.name) || is_point(kind.name) || kind.name == "uniform") continue;
    const auto whole = tapers_of_whole_models().find(kind.name);
    Generator generator{kind.name, "sphere in equilibrium: " + kind.meaning, kind.source, {}, check_one, prepare_one, true};
    for (Setting setting : kind.settings) {
      if (of_galaxies.contains(setting.name)) continue;
      if (setting.name == "mass") setting = {"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass};
      if (setting.name == "file") setting.name = density_file;
      if (setting.name == "taper" && whole != tapers_of_whole_models().end()) setting.default_value = whole->second;
      generator.settings.push_back(std::move(setting));
    }
    made.push_back(std::move(generator));
  }
  return made;
}

}  // namespace grove
