// Two spheres or disc galaxies on the orbit of two point masses (e.g. Binney & Tremaine 2008, section 3.1). Where the galaxies overlap,
// they attract each other less: a note says by how much at the start.
#include "src/generators/merger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "src/generators/disc_galaxy.hpp"
#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

/// The keys that have an effect on discs alone.
std::vector<Setting> settings_of_discs() {
  std::vector<Setting> settings{{"halo", std::string("hernquist"), any_number, "kind of both haloes", {"plummer", "hernquist"}}};
  add_disc_settings(settings);
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
      {"cutoff", 10.0, {0.1, 1e4}, "radius of the outermost particle of each galaxy, in its scale radii; disc: in those of its halo"},
      {"mass_ratio", 1.0, {1e-6, 1.0}, "mass of the second galaxy over that of the first; n is divided in the same ratio"},
      {"size_ratio", 1.0, positive, "scale radius of the second galaxy over that of the first"}};
}

/// Whether both galaxies are made of components.
bool are_galaxies(const InitialConditions& conditions) {
  return !conditions.text("galaxy_1").empty() || !conditions.text("galaxy_2").empty();
}

bool are_discs(const InitialConditions& conditions) { return conditions.text("model") == "disc"; }

std::optional<Complaint> check_model(const InitialConditions& conditions) {
  const std::uint64_t first = first_galaxy_count(conditions), least = std::min(first, conditions.n - first);
  if (are_discs(conditions)) {
    if (least < 2) return Complaint{"n", "enough for a disc and a halo in each galaxy"};
    return std::nullopt;
  }
  for (const Setting& setting : settings_of_discs()) {
    const auto given = conditions.parameters.find(setting.name);
    if (given != conditions.parameters.end() && given->second != setting.default_value)
      return Complaint{setting.name, "left out unless model = \"disc\""};
  }
  return std::nullopt;
}

/// The keys that two galaxies of components leave without effect: all that make galaxies here.
std::optional<Complaint> check_galaxies(const InitialConditions& conditions) {
  for (const auto& [given, other] : {std::pair{"galaxy_1", "galaxy_2"}, std::pair{"galaxy_2", "galaxy_1"}})
    if (conditions.text(given).empty() && !conditions.text(other).empty())
      return Complaint{given, fmt::format("a galaxy, too, where {} is given", other)};
  std::vector<Setting> idle = settings_of_spheres();
  const std::vector<Setting> of_discs = settings_of_discs();
  idle.insert(idle.end(), of_discs.begin(), of_discs.end());
  for (const Setting& setting : idle) {
    const auto given = conditions.parameters.find(setting.name);
    if (given != conditions.parameters.end() && given->second != setting.default_value)
      return Complaint{setting.name, "left out where galaxy_1 and galaxy_2 are given"};
  }
  return std::nullopt;
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
  return are_galaxies(conditions) ? check_galaxies(conditions) : check_model(conditions);
}

/// One of the two galaxies at its place: which, how large, how many particles, and where.
struct Place {
  int which = 0;
  double mass = 0, length = 0;
  std::uint64_t count = 0;
  double position[3] = {}, velocity[3] = {};

  ModelComponent component(int type, const std::string& name) const {
    ModelComponent component{static_cast<std::uint8_t>(type), fmt::format("{} {}", name, which + 1)};
    std::copy_n(position, 3, component.position);
    std::copy_n(velocity, 3, component.velocity);
    return component;
  }
};

void add_sphere(const InitialConditions& conditions, double G, const Place& place, std::vector<ModelPart>& parts) {
  const SphereParameters p{place.mass, place.length, conditions.number("cutoff"), G};
  parts.push_back({place.component(place.which + 1, "galaxy"), place.count, place.mass,
                   conditions.text("model") == "hernquist" ? hernquist_sphere(p) : plummer_sphere(p)});
}

/// Types 1 and 2 are the usual ones of halo and disc; the second galaxy has the next two.
void add_disc(const InitialConditions& conditions, double G, const Place& place, std::vector<ModelPart>& parts) {
  DiscGalaxy galaxy = disc_galaxy(conditions, {place.mass, place.length}, conditions.text("halo"), place.count, G);
  const std::string which = std::to_string(place.which + 1);
  constexpr double degree = std::numbers::pi / 180;
  const double inclination = degree * conditions.number("inclination_" + which), node = degree * conditions.number("node_" + which);
  galaxy.disc.draw = turned(std::move(galaxy.disc.draw), inclination, node);
  galaxy.disc.component = place.component(2 + 2 * place.which, "disc");
  galaxy.halo.component = place.component(1 + 2 * place.which, "halo");
  parts.push_back(std::move(galaxy.disc));
  parts.push_back(std::move(galaxy.halo));
}

constexpr int shells = 256, halvings = 60;

/// A body as spherical shells of equal mass.
struct ShellBody {
  double mass = 0;
  std::vector<double> radius;
};

/// Mean of 1 / distance between two shells. Where one point of the first is r from the centre of the second, it is 1 / max(r, second); the
/// rest is the mean over the first, in whose points r dr is distributed evenly.
double mean_inverse_distance(double first, double second, double separation) {
  const double low = std::abs(separation - first), high = separation + first;
  double sum = 0;
  if (low < second) sum += (std::pow(std::min(high, second), 2) - low * low) / (2 * second);
  if (high > second) sum += high - std::max(low, second);
  return sum / (2 * separation * first);
}

/// The shells of a body whose mass inside a radius is proportional to `mass_inside`, which grows, out to `edge`.
ShellBody shell_body(double mass, double edge, const std::function<double(double)>& mass_inside) {
  ShellBody body{mass, {}};
  for (int k = 0; k < shells; ++k) {
    const double wanted = (k + 0.5) / shells * mass_inside(edge);
    double low = 0, high = edge;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (mass_inside(middle) < wanted ? low : high) = middle;
    }
    body.radius.push_back(high);
  }
  return body;
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

std::vector<ShellBody> bodies_of(const InitialConditions& conditions, double mass, double length) {
  const auto sphere = [&](const std::string& model, double part, double scale) {
    const SphereProfile profile = model == "hernquist" ? hernquist_profile() : plummer_profile();
    return shell_body(part, conditions.number("cutoff") * scale, [=](double radius) { return profile.enclosed_mass(radius / scale); });
  };
  if (!are_discs(conditions)) return {sphere(conditions.text("model"), mass, length)};
  constexpr double edge = 20;  // in scale lengths: all but 4e-8 of an exponential disc
  const double share = conditions.number("disc_mass");
  const auto disc = [=](double radius) { return 1 - (1 + radius / length) * std::exp(-radius / length); };
  return {shell_body(share * mass, edge * length, disc),
          sphere(conditions.text("halo"), (1 - share) * mass, conditions.number("halo_radius") * length)};
}

/// A smaller difference in the energy of the orbit, over its kinetic energy, gets no note.
constexpr double told_energy = 0.01;

std::vector<std::string> notes(const InitialConditions& conditions) {
  const MergerOrbit orbit = merger_orbit(conditions, 1);
  const double total = orbit.mass[0] + orbit.mass[1], reduced = orbit.mass[0] * orbit.mass[1] / total;
  const double speed = std::hypot(orbit.velocity[1][0] - orbit.velocity[0][0], orbit.velocity[1][1] - orbit.velocity[0][1]);
  const double kinetic = 0.5 * reduced * speed * speed, of_points = orbit.mass[0] * orbit.mass[1] / conditions.number("separation");
  const double factor = merger_overlap(conditions);
  if (!((1 - factor) * of_points > told_energy * kinetic)) return {};
  return {fmt::format(
      "the galaxies overlap at the start, which the orbit, one of point masses, leaves out: they attract each other with {:.2f} "
      "of the energy of point masses, and their orbit has an energy of {:+.2f} of its kinetic energy in place of {:+.2f}. It "
      "is wider and faster than pericentre = {} and eccentricity = {} say; a larger separation mends that",
      factor, 1 - factor * of_points / kinetic, 1 - of_points / kinetic, conditions.number("pericentre"),
      conditions.number("eccentricity"))};
}

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

/// Two galaxies of components; of their own places only the angles of their discs count.
Model model_of_orbiting_galaxies(const InitialConditions& conditions, double G) {
  std::vector<GalaxyParameters> galaxies = galaxies_of(conditions);
  double mass[2] = {0, 0};
  for (const GalaxyPart& part : parts_of(galaxies, conditions.n, G)) mass[part.galaxy] += part.plan.mass;
  const MergerOrbit orbit = orbit_of(conditions, mass[0], mass[1], G);
  for (std::size_t which = 0; which < 2; ++which) {
    const char* const place[] = {"x", "y", "z", "vx", "vy", "vz"};
    for (std::size_t d = 0; d < 3; ++d) {
      galaxies[which].place[place[d]] = orbit.position[which][d];
      galaxies[which].place[place[3 + d]] = orbit.velocity[which][d];
    }
  }
  return model_of_galaxies(galaxies, conditions.n, conditions.seed, G);
}

Model prepare(const InitialConditions& conditions, double G) {
  if (are_galaxies(conditions)) return model_of_orbiting_galaxies(conditions, G);
  const MergerOrbit orbit = merger_orbit(conditions, G);
  const double scale = conditions.number("scale_radius");
  const std::uint64_t first_count = first_galaxy_count(conditions);
  std::vector<ModelPart> parts;
  for (const int which : {0, 1}) {
    Place place{which, orbit.mass[which], which == 0 ? scale : scale * conditions.number("size_ratio"),
                which == 0 ? first_count : conditions.n - first_count};
    std::copy_n(orbit.position[which], 3, place.position);
    std::copy_n(orbit.velocity[which], 3, place.velocity);
    (are_discs(conditions) ? add_disc : add_sphere)(conditions, G, place, parts);
  }
  Model model = model_of_parts(std::move(parts), conditions.seed);
  model.notes = notes(conditions);
  return model;
}

std::vector<Setting> settings() {
  std::vector<Setting> all = settings_of_spheres();
  const std::vector<Setting> of_orbit{
      {"galaxy_1",
       "",
       {},
       "the first galaxy, made of components: a preset (milky_way, m31, lmc, sagittarius) or a section [galaxies.NAME]; then "
       "galaxy_2 is given, too, and no key of model, mass, size and discs"},
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
  const std::vector<Setting> of_discs = settings_of_discs();
  all.insert(all.end(), of_discs.begin(), of_discs.end());
  return all;
}

}  // namespace

MergerOrbit merger_orbit(const InitialConditions& conditions, double G) {
  const double first = conditions.number("mass");
  return orbit_of(conditions, first, first * conditions.number("mass_ratio"), G);
}

double merger_overlap(const InitialConditions& conditions) {
  const double mass = conditions.number("mass"), length = conditions.number("scale_radius");
  return overlap_factor(bodies_of(conditions, mass, length),
                        bodies_of(conditions, mass * conditions.number("mass_ratio"), length * conditions.number("size_ratio")),
                        conditions.number("separation"));
}

std::uint64_t first_galaxy_count(const InitialConditions& conditions) {
  return first_part_count(conditions.n, 1.0 / (1.0 + conditions.number("mass_ratio")));
}

Generator merger() {
  return {"merger",
          "two spheres or disc galaxies that approach each other on a two-body orbit",
          "Toomre & Toomre 1972; Binney & Tremaine 2008, section 3.1",
          settings(),
          check,
          prepare};
}

}  // namespace grove
