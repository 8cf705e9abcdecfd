// A generator for each kind of sphere: a galaxy of one component.
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

/// The key of a table's file, since initial_conditions.file has particles.
constexpr const char* density_file = "density_file";

/// Spheres that have `cutoff`, too. With their default taper, 1 % of the mass of a whole Hernquist sphere is left out: no particle is so
/// far away that the cube of the keys leaves it out, which would take tree reuse from the run (docs/concepts/tree_reuse.md).
const std::set<std::string>& spheres_with_cutoff() {
  static const std::set<std::string> names{"plummer", "hernquist"};
  return names;
}
constexpr double default_taper = 100;

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
  if (spheres_with_cutoff().contains(kind)) {
    const double cutoff = conditions.number("cutoff");
    sphere.values["taper"] = cutoff > 0 ? cutoff : conditions.number("taper");
  }
  return model_of_keys({{kind, {std::move(sphere)}, {}}}, conditions, G);
}

std::optional<Complaint> check_one(const InitialConditions& conditions) {
  if (conditions.number("anisotropy_radius") > 0 && conditions.number("anisotropy") != 0)
    return Complaint{"anisotropy", "left out where anisotropy_radius is given"};
  if (conditions.generator == "table" && conditions.text(density_file).empty())
    return Complaint{density_file, "given: the file with the density"};
  if (!spheres_with_cutoff().contains(conditions.generator)) return std::nullopt;
  const double cutoff = conditions.number("cutoff");
  if (cutoff > 0 && cutoff < 0.1) return Complaint{"cutoff", "0.1 or more, or left out"};
  if (cutoff > 0 && conditions.number("taper") != default_taper)
    return Complaint{"cutoff", "left out where taper is given: it is the older name of taper"};
  return std::nullopt;
}

}  // namespace

std::vector<Generator> spheres_of_kinds() {
  static const std::set<std::string> of_galaxies{"particles", "softening", "type", "density", "circular_velocity"};
  std::vector<Generator> made;
  for (const ComponentKind& kind : component_kinds()) {
    if (is_disc(kind.name) || is_point(kind.name) || kind.name == "uniform") continue;
    Generator generator{kind.name, "sphere in equilibrium: " + kind.meaning, kind.source, {}, check_one, prepare_one, true};
    for (Setting setting : kind.settings) {
      if (of_galaxies.contains(setting.name)) continue;
      if (setting.name == "mass") setting = {"mass", 1.0, positive, "total mass of the particles", {}, {}, Dimension::mass};
      if (setting.name == "file") setting.name = density_file;
      const bool has_cutoff = setting.name == "taper" && spheres_with_cutoff().contains(kind.name);
      if (has_cutoff) setting.default_value = default_taper;
      generator.settings.push_back(std::move(setting));
      if (has_cutoff) generator.settings.push_back({"cutoff", 0.0, {0.0, 1e4}, "older name of taper", {}, "0: taper says it"});
    }
    made.push_back(std::move(generator));
  }
  return made;
}

}  // namespace grove
