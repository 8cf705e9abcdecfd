// Isotropic equilibrium spheres that several generators use.
#pragma once

#include <string>
#include <vector>

#include "src/generators/model_parts.hpp"

namespace grove {

/// A sphere at rest at the origin. Particles fill it out to `cutoff` scale radii and have `mass` together; inside the cut-off the
/// density and the force are those of the untruncated model.
struct SphereParameters {
  double mass = 1;
  double scale_radius = 1;
  double cutoff = 1;  ///< in scale radii
  double G = 1;
};

/// The untruncated model in its scale radius: mass inside s over the total, and density in any unit.
struct SphereProfile {
  double (*enclosed_mass)(double s);
  double (*density)(double s);
};
SphereProfile plummer_profile();
SphereProfile hernquist_profile();

/// Plummer sphere after Aarseth, Henon & Wielen (1974, appendix).
Draw plummer_sphere(const SphereParameters& parameters);

/// Hernquist sphere, isotropic: Hernquist (1990), velocities drawn from the distribution function of his equation 17.
Draw hernquist_sphere(const SphereParameters& parameters);

/// The most trials of a rejection loop, so that it always ends. The chance of needing more is below 1e-100 for every particle.
inline constexpr int max_trials = 1000000;

/// The keys of a single sphere: mass, scale_radius, cutoff.
std::vector<Setting> sphere_settings(const std::string& model, double cutoff);

/// A generator for each kind of sphere of galaxies that has none of its own: nfw, jaffe, king, ...
std::vector<Generator> spheres_of_kinds();

/// The model of a single sphere of `n` equal masses; `name` of its one component.
Model sphere_model(const InitialConditions& conditions, const std::string& name, Draw sphere);

/// `conditions`' sphere_settings as parameters of a sphere.
SphereParameters sphere_parameters(const InitialConditions& conditions, double G);

}  // namespace grove
