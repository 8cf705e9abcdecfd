// A thin exponential disc that turns in a spherical halo; see disc_equilibrium.hpp. Disc particles have type 2, halo particles type 1.
#include <utility>

#include "src/generators/disc_galaxy.hpp"

namespace grove {
namespace {

std::optional<Complaint> check(const InitialConditions& conditions) {
  if (conditions.n < 2) return Complaint{"n", "at least 2 for a disc in a halo"};
  return std::nullopt;
}

Model prepare(const InitialConditions& conditions, double G) {
  DiscGalaxy galaxy =
      disc_galaxy(conditions, {conditions.number("mass"), conditions.number("scale_length")}, conditions.text("model"), conditions.n, G);
  galaxy.disc.component = ModelComponent{2, "disc"};
  galaxy.halo.component = ModelComponent{1, "halo"};
  return model_of_parts({std::move(galaxy.disc), std::move(galaxy.halo)}, conditions.seed);
}

std::vector<Setting> settings() {
  std::vector<Setting> all{{"mass", 1.0, positive, "mass of disc and halo together", {}, {}, Dimension::mass},
                           {"scale_length", 1.0, positive, "exponential scale length of the disc", {}, {}, Dimension::length},
                           {"model", std::string("hernquist"), any_number, "kind of halo", {"plummer", "hernquist"}},
                           {"cutoff", 20.0, {0.1, 1e4}, "radius of the outermost particle of the halo, in its scale radii"}};
  add_disc_settings(all);
  return all;
}

}  // namespace

Generator disc() {
  return {"disc", "thin exponential disc in a spherical halo, near equilibrium", "Hernquist 1993", settings(), check, prepare};
}

}  // namespace grove
