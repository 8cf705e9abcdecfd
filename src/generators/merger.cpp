// Two galaxies on the orbit of two point masses (e.g. Binney & Tremaine 2008, section 3.1). Where the galaxies overlap,
// they attract each other less: a note says by how much at the start.
#include "src/generators/merger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "src/galaxies/sphere_mass.hpp"
#include "src/generators/disc.hpp"
#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

using Galaxies = std::vector<GalaxyParameters>;

/// The keys that have an effect on discs alone.
std::vector<Setting> settings_of_discs() {
  std::vector<Setting> settings{{"halo", std::string("hernquist"), any_number, "kind of both haloes", {"plummer", "hernquist"}}};
  for (const Setting& setting : disc_settings()) settings.push_back(setting);
  for (const char* which : {"1", "2"}) {
    const std::string disc = std::string(" of disc ") + which;
    settings.push_back(
        {std::string("inclination_") + which,
         0.0,
         {0.0, 180.0},
         "angle between the spin" + disc + " and that of the orbit, in degrees; 0: it turns with the orbit, 180: against it"});
    settings.push_back({std::string("node_") + which,
                        0.0,
                        {-360.0, 360.0},
                        "ascending node" + disc + " on the plane of the orbit, in degrees from +x, where the second galaxy starts"});
  }
  for (Setting& setting : settings) setting.meaning = "disc: " + setting.meaning;
  return settings;
}

std::vector<Setting> settings_of_spheres() {
  return {
      {"model", std::string("plummer"), any_number, "kind of both galaxies", {"plummer", "hernquist", "disc"}},
      {"mass", 1.0, positive, "mass of the first galaxy", {}, {}, Dimension::mass},
      {"scale_radius", 1.0, positive, "scale radius of the first galaxy; disc: the scale length of its disc", {}, {}, Dimension::length},
      {"taper", 10.0, {0.1, 1e4}, "of each galaxy: where its density falls exponentially, in its scale radii; disc: in those of its halo"},
      {"mass_ratio", 1.0, {1e-6, 1.0}, "mass of the second galaxy over that of the first; n is divided in the same ratio"},
      {"size_ratio", 1.0, positive, "scale radius of the second galaxy over that of the first"}};
}

/// Whether both galaxies are made of components.
bool are_galaxies(const InitialConditions& conditions) {
  return !conditions.text("galaxy_1").empty() || !conditions.text("galaxy_2").empty();
}

/// The first key among `idle`, which have no effect here, that is not what it is without being given.
std::optional<Complaint> check_idle(const InitialConditions& conditions, const std::vector<Setting>& idle, const std::string& must) {
  for (const Setting& setting : idle) {
    const auto given = conditions.parameters.find(setting.name);
    if (given != conditions.parameters.end() && given->second != setting.default_value) return Complaint{setting.name, must};
  }
  return std::nullopt;
}

std::optional<Complaint> check_galaxies(const InitialConditions& conditions) {
  for (const auto& [given, other] : {std::pair{"galaxy_1", "galaxy_2"}, std::pair{"galaxy_2", "galaxy_1"}})
    if (conditions.text(given).empty() && !conditions.text(other).empty())
      return Complaint{given, fmt::format("a galaxy, too, where {} is given", other)};
  for (const GalaxyParameters& galaxy : galaxies_of(conditions))
    for (const char* const key : place_keys)
      if (galaxy.number(key) != 0)
        return Complaint{"galaxy_1",
                         fmt::format("of galaxies without a place of their own, and {} has {} = {:g}: the orbit says where they are",
                                     galaxy.name, key, galaxy.number(key))};
  std::vector<Setting> idle = settings_of_spheres();
  for (const Setting& setting : settings_of_discs()) idle.push_back(setting);
  return check_idle(conditions, idle, "left out where galaxy_1 and galaxy_2 are given");
}

std::optional<Complaint> check(const InitialConditions& conditions) {
  const double pericentre = conditions.number("pericentre"), eccentricity = conditions.number("eccentricity");
  const double separation = conditions.number("separation");
  if (conditions.n < 2) return Complaint{"n", "at least 2 for a merger"};
  if (pericentre == 0 && eccentricity != 1) return Complaint{"pericentre", "> 0 unless eccentricity = 1, a fall from rest at infinity"};
  if (separation < pericentre) return Complaint{"separation", fmt::format(">= pericentre = {}", pericentre)};
  if (eccentricity < 1) {
    const double apocentre = pericentre * (1 + eccentricity) / (1 - eccentricity);
    // A circle's separation is its pericentre up to rounding.
    if (separation > apocentre * (1 + 1e-12))
      return Complaint{"separation",
                       fmt::format("<= {}, the apocentre of pericentre = {} and eccentricity = {}", apocentre, pericentre, eccentricity)};
  }
  if (are_galaxies(conditions)) return check_galaxies(conditions);
  if (conditions.text("model") == "disc") return std::nullopt;
  return check_idle(conditions, settings_of_discs(), "left out unless model = \"disc\"");
}

/// The galaxies of the keys of spheres and discs, "1" and "2".
Galaxies galaxies_of_keys(const InitialConditions& conditions) {
  const std::string& model = conditions.text("model");
  Galaxies galaxies;
  for (const std::string which : {"1", "2"}) {
    const bool is_first = which == "1";
    const double mass = conditions.number("mass") * (is_first ? 1 : conditions.number("mass_ratio"));
    const double length = conditions.number("scale_radius") * (is_first ? 1 : conditions.number("size_ratio"));
    if (model == "disc") {
      GalaxyParameters& galaxy = galaxies.emplace_back(disc_galaxy(conditions, which, conditions.text("halo"), mass, length));
      for (const std::string key : {"inclination", "node"}) galaxy.place[key] = conditions.number(key + "_" + which);
    } else {
      galaxies.push_back(
          {which, {{"galaxy", model, {{"mass", mass}, {"scale_radius", length}, {"taper", conditions.number("taper")}}}}, {}});
    }
  }
  return galaxies;
}

Galaxies both_galaxies(const InitialConditions& conditions) {
  return are_galaxies(conditions) ? galaxies_of(conditions) : galaxies_of_keys(conditions);
}

/// A component as spherical shells of equal mass.
struct ShellBody {
  double mass = 0;
  std::vector<double> radius;
};

std::vector<ShellBody> bodies_of(const GalaxyParameters& galaxy, double G) {
  constexpr int shells = 256;
  const RadialGrid grid = grid_of(galaxy);
  std::vector<ShellBody> bodies;
  for (const ComponentParameters& c : galaxy.components) {
    ShellBody& body = bodies.emplace_back(ShellBody{c.number("mass"), {}});
    if (is_point(c.kind)) {
      body.radius = {0};
      continue;
    }
    const Shells all = is_disc(c.kind) ? shells_of_disc(c, grid) : sphere_mass(c, grid, G).shells;
    if (!is_disc(c.kind)) body.mass = all.total();
    for (int k = 0; k < shells; ++k) body.radius.push_back(radius_with((k + 0.5) / shells, all, grid));
  }
  return bodies;
}

double mass_of(const std::vector<ShellBody>& bodies) {
  return std::accumulate(bodies.begin(), bodies.end(), 0.0, [](double sum, const ShellBody& body) { return sum + body.mass; });
}

/// Mean of 1 / distance between two shells. Where one point of the first is r from the centre of the second, it is 1 / max(r, second); the
/// rest is the mean over the first, in whose points r dr is distributed evenly.
double mean_inverse_distance(double first, double second, double separation) {
  const double smallest = 1e-6 * separation;
  first = std::max(first, smallest);
  second = std::max(second, smallest);
  const double low = std::abs(separation - first), high = separation + first;
  double sum = 0;
  if (low < second) sum += (std::min(high, second) - low) * (std::min(high, second) + low) / (2 * second);
  if (high > second) sum += high - std::max(low, second);
  return sum / (2 * separation * first);
}

/// Sum of m m' <1 / distance> over all pairs of shells of `a` and `b`, whose centres are `separation` > 0 apart, times separation over both
/// masses: 1 where no shells overlap, else less.
double overlap_factor(const std::vector<ShellBody>& a, const std::vector<ShellBody>& b, double separation) {
  double energy = 0, masses = 0;
  for (const ShellBody& one : a)
    for (const ShellBody& other : b) {
      double sum = 0;
      for (const double first : one.radius)
        for (const double second : other.radius) sum += mean_inverse_distance(first, second, separation);
      energy += one.mass * other.mass * sum / static_cast<double>(one.radius.size() * other.radius.size());
      masses += one.mass * other.mass;
    }
  return energy * separation / masses;
}

/// A smaller difference in the energy of the orbit, over its kinetic energy, gets no note.
constexpr double told_energy = 0.01;

MergerOrbit orbit_of(const InitialConditions& conditions, double first, double second, double G) {
  const double pericentre = conditions.number("pericentre"), eccentricity = conditions.number("eccentricity");
  const double separation = conditions.number("separation"), total = first + second;
  MergerOrbit orbit{{first, second}, {}, {}};
  const double twice_energy = eccentricity == 1 ? 0.0 : G * total * (eccentricity - 1) / pericentre;
  const double across = std::sqrt(G * total * pericentre * (1 + eccentricity)) / separation;
  const double speed2 = twice_energy + 2 * G * total / separation;
  const double inwards = std::sqrt(std::max(0.0, speed2 - across * across));
  const double share[2] = {-second / total, first / total};
  for (int which = 0; which < 2; ++which) {
    orbit.position[which][0] = share[which] * separation;
    orbit.velocity[which][0] = -share[which] * inwards;
    orbit.velocity[which][1] = share[which] * across;
  }
  return orbit;
}

/// On an orbit of galaxies that attract each other with the part `factor` of the energy of points.
std::optional<std::string> note_on_overlap(const InitialConditions& conditions, const MergerOrbit& orbit, double factor, double G) {
  const double total = orbit.mass[0] + orbit.mass[1], reduced = orbit.mass[0] * orbit.mass[1] / total;
  const double speed = std::hypot(orbit.velocity[1][0] - orbit.velocity[0][0], orbit.velocity[1][1] - orbit.velocity[0][1]);
  const double kinetic = 0.5 * reduced * speed * speed, of_points = G * orbit.mass[0] * orbit.mass[1] / conditions.number("separation");
  if (!((1 - factor) * of_points > told_energy * kinetic)) return std::nullopt;
  return fmt::format(
      "the galaxies overlap at the start, which the orbit, one of point masses, leaves out: they attract each other with {:.2f} "
      "of the energy of point masses, and their orbit has an energy of {:+.2f} of its kinetic energy in place of {:+.2f}. It "
      "is wider and faster than pericentre = {} and eccentricity = {} say; a larger separation mends that",
      factor, 1 - factor * of_points / kinetic, 1 - of_points / kinetic, conditions.number("pericentre"),
      conditions.number("eccentricity"));
}

Model prepare_merger(const InitialConditions& conditions, double G) {
  Galaxies galaxies = both_galaxies(conditions);
  const std::vector<ShellBody> first = bodies_of(galaxies[0], G), second = bodies_of(galaxies[1], G);
  const MergerOrbit orbit = orbit_of(conditions, mass_of(first), mass_of(second), G);
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t d = 0; d < 3; ++d) {
      galaxies[which].place[place_keys[d]] = orbit.position[which][d];
      galaxies[which].place[place_keys[3 + d]] = orbit.velocity[which][d];
    }
  }
  Model model = are_galaxies(conditions) ? model_of_galaxies(galaxies, conditions.n, conditions.seed, G)
                                         : model_of_keys(std::move(galaxies), conditions, G);
  const double factor = overlap_factor(first, second, conditions.number("separation"));
  if (const auto note = note_on_overlap(conditions, orbit, factor, G)) model.notes.push_back(*note);
  return model;
}

std::vector<Setting> settings_of_merger() {
  std::vector<Setting> all = settings_of_spheres();
  const std::vector<Setting> of_orbit{
      {"galaxy_1",
       "",
       {},
       fmt::format("the first galaxy, made of components: {}; then galaxy_2 is given, too, and no key of model, mass, size and discs",
                   preset_or_section())},
      {"galaxy_2", "", {}, "the second one"},
      {"pericentre", 1.0, not_negative, "smallest distance of the centres, were they points", {}, {}, Dimension::length},
      {"eccentricity", 1.0, {0.0, 10.0}, "of the orbit; 1 is parabolic"},
      {"separation",
       10.0,
       positive,
       "distance of the centres at the start; they approach each other. Where the galaxies overlap, the orbit is not quite that of points, "
       "and a note says how far off it is",
       {},
       {},
       Dimension::length}};
  all.insert(all.end(), of_orbit.begin(), of_orbit.end());
  for (const Setting& setting : settings_of_discs()) all.push_back(setting);
  return all;
}

}  // namespace

MergerOrbit merger_orbit(const InitialConditions& conditions, double G) {
  const Galaxies galaxies = both_galaxies(conditions);
  return orbit_of(conditions, mass_of(bodies_of(galaxies[0], G)), mass_of(bodies_of(galaxies[1], G)), G);
}

double merger_overlap(const InitialConditions& conditions, double G) {
  const Galaxies galaxies = both_galaxies(conditions);
  return overlap_factor(bodies_of(galaxies[0], G), bodies_of(galaxies[1], G), conditions.number("separation"));
}

Generator merger() {
  return {"merger",
          "two spheres, disc galaxies or galaxies of components that approach each other on a two-body orbit",
          "Toomre & Toomre 1972; Binney & Tremaine 2008, section 3.1",
          settings_of_merger(),
          check,
          prepare_merger,
          true};
}

}  // namespace grove
