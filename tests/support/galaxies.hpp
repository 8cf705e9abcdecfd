// Galaxies that several tests make, and what is said against them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/generators/generator.hpp"

namespace grove::tests {

/// In kpc, km/s and solar masses.
inline constexpr double G_of_presets = 4.30092e-6;

inline ComponentParameters sphere(const std::string& name, double mass, SettingValues more = {}) {
  more["mass"] = mass;
  return {name, "plummer", more};
}
inline ComponentParameters hole(const std::string& name, double mass, SettingValues more = {}) {
  more["mass"] = mass;
  return {name, "point", more};
}
inline GalaxyParameters galaxy_of(std::vector<ComponentParameters> components, const std::string& name = "mine") {
  return {name, std::move(components), {}};
}

/// Halo, disc, bulge and black hole; mass 8.16.
inline GalaxyParameters whole_galaxy() {
  return galaxy_of({{"halo", "hernquist", {{"mass", 7.0}, {"scale_radius", 4.0}}},
                    {"disc", "exponential", {{"mass", 1.0}, {"scale_length", 1.0}, {"height", 0.2}}},
                    {"bulge", "hernquist", {{"mass", 0.15}, {"scale_radius", 0.2}}},
                    hole("black hole", 0.01)});
}

inline GalaxyParameters preset(const std::string& name) { return {name, find_named(galaxy_presets(), name)->components, {}}; }

/// What a ConfigError says that a function throws.
template <class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline InitialConditions conditions_with(std::vector<GalaxyParameters> galaxies, std::uint64_t n) {
  InitialConditions conditions;
  conditions.generator = "galaxy";
  conditions.n = n;
  conditions.galaxies = std::move(galaxies);
  return conditions;
}

}  // namespace grove::tests
