#include "src/plot/galaxy_picture.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "io/files/partial_file.hpp"
#include "src/plot/axis_units.hpp"
#include "src/plot/python.hpp"

namespace grove {

extern const std::string_view galaxy_script;

namespace {

using Json = nlohmann::ordered_json;

double density_at(const GalaxyComponent& model, double r) { return model.disc ? model.disc->surface_density(r) : model.sphere->density(r); }
double dispersion_at(const GalaxyComponent& model, double r) {
  return model.disc ? model.disc->radial_dispersion(r) : model.sphere->radial_dispersion(std::log(r));
}

/// The lines of a component: from the inmost to the outmost shell and a little beyond.
Json wanted_json(const CheckedComponent& component, double mean_height) {
  constexpr int points = 100;
  const double first = 0.5 * component.shells.front().radius, last = 1.5 * component.shells.back().radius;
  const GalaxyComponent& model = component.model;
  Json lines;
  for (int i = 0; i < points; ++i) {
    const double r = first * std::pow(last / first, static_cast<double>(i) / (points - 1));
    lines["radius"].push_back(r);
    lines["density"].push_back(density_at(model, r));
    lines["radial"].push_back(dispersion_at(model, r));
    if (!model.disc) continue;
    lines["height"].push_back(mean_height);
    lines["q"].push_back(model.disc->toomre_q(r));
  }
  return lines;
}

/// A shell as a point on its radius: where it has what is wanted, the point is on the line, however thick the shell.
Json drawn_json(const CheckedComponent& component) {
  constexpr double sigmas = 4;
  const GalaxyComponent& model = component.model;
  Json points;
  for (const CheckedShell& shell : component.shells) {
    const double r = shell.radius;
    const auto add = [&](const char* name, double line, const Compared& number) {
      points[name].push_back(line * number.drawn / number.wanted);
      points[name + std::string("_noise")].push_back(sigmas * line * number.noise / number.wanted);
    };
    points["radius"].push_back(r);
    add("density", density_at(model, r), shell.density);
    add("radial", dispersion_at(model, r), shell.radial);
    if (!model.disc) continue;
    add("height", shell.across.wanted, shell.across);
    add("q", model.disc->toomre_q(r), {shell.wanted_q, shell.drawn_q});
  }
  return points;
}

Json rotation_json(const CheckedGalaxy& galaxy) {
  Json curves = {{"radius", galaxy.rotation.radius}, {"total", Json::array()}, {"components", Json::array()}};
  for (const double R : galaxy.rotation.radius) curves["total"].push_back(galaxy.rotation.total_at(R));
  for (const std::vector<double>& squared : galaxy.rotation.squared) {
    Json velocity;
    for (const double v2 : squared) velocity.push_back(std::sqrt(std::max(v2, 0.0)));
    curves["components"].push_back(std::move(velocity));
  }
  return curves;
}

}  // namespace

void draw_galaxy(const CheckedGalaxy& galaxy, const UnitSystem& units, const std::string& out) {
  Json drawing = {{"title", galaxy.parameters.name}, {"units", axis_units(units)}, {"rotation", rotation_json(galaxy)}};
  std::uint64_t count = 0;
  double longest = 0, largest = 0;  // half-mass radii of discs, and of all
  for (const CheckedComponent& component : galaxy.components) {
    const bool is_disc = component.model.disc != nullptr;
    Json one = {{"name", component.model.plan.name}, {"is_disc", is_disc}};
    count += component.model.plan.count;
    if (!component.shells.empty()) {
      one["wanted"] = wanted_json(component, component.shells.front().across.wanted);
      one["drawn"] = drawn_json(component);
    }
    largest = std::max(largest, component.model.plan.half_mass_radius);
    if (is_disc) longest = std::max(longest, component.model.plan.half_mass_radius);
    drawing["components"].push_back(std::move(one));
  }
  drawing["particles"] = count;
  drawing["rotation"]["shown_to"] = 6 * (longest > 0 ? longest : largest);
  write_whole_file(out, draw_png(galaxy_script, {drawing.dump()}, "the galaxy"));
}

}  // namespace grove
