#include "src/generators/disc.hpp"

#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

Model prepare_disc(const InitialConditions& conditions, double G) {
  return model_of_keys(
      {disc_galaxy(conditions, "disc", conditions.text("model"), conditions.number("mass"), conditions.number("scale_length"))}, conditions,
      G);
}

std::vector<Setting> settings_of_disc() {
  std::vector<Setting> all{{"mass", 1.0, positive, "mass of disc and halo together", {}, {}, Dimension::mass},
                           {"scale_length", 1.0, positive, "exponential scale length of the disc", {}, {}, Dimension::length},
                           {"model", std::string("hernquist"), any_number, "kind of halo", {"plummer", "hernquist"}},
                           {"taper", 20.0, {0.1, 1e4}, "of the halo: where its density falls exponentially, in its scale radii"}};
  const std::vector<Setting> of_shape = disc_settings();
  all.insert(all.end(), of_shape.begin(), of_shape.end());
  return all;
}

}  // namespace

std::vector<Setting> disc_settings() {
  return {{"disc_mass", 0.1, {1e-6, 0.9}, "part of the mass that is in the disc"},
          {"disc_particles", 0.5, {1e-6, 0.999999}, "part of the particles that is in the disc"},
          {"height", 0.1, {1e-3, 0.5}, "scale height of the disc, sech^2(z / height), in scale lengths"},
          {"toomre_q", 1.5, {0.5, 20.0}, "Toomre's Q of the disc at two scale lengths; below 1 rings are unstable"},
          {"halo_radius", 3.0, {1e-2, 1e3}, "scale radius of the halo, in scale lengths"}};
}

GalaxyParameters disc_galaxy(const InitialConditions& conditions, const std::string& name, const std::string& halo, double mass,
                             double length) {
  const double share = conditions.number("disc_mass");
  return {
      name,
      {{"halo",
        halo,
        {{"mass", (1 - share) * mass}, {"scale_radius", conditions.number("halo_radius") * length}, {"taper", conditions.number("taper")}}},
       {"disc",
        "exponential",
        {{"mass", share * mass},
         {"scale_length", length},
         {"particles", conditions.number("disc_particles")},
         {"height", conditions.number("height")},
         {"toomre_q", conditions.number("toomre_q")}}}},
      {}};
}

Generator disc() {
  return {"disc",
          "exponential disc in a spherical halo: a galaxy of two components in equilibrium",
          "Kuijken & Dubinski 1995",
          settings_of_disc(),
          nullptr,
          prepare_disc,
          true};
}

}  // namespace grove
