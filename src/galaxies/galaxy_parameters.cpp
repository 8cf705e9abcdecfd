#include "src/galaxies/galaxy_parameters.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <stdexcept>

#include "kernels/base/named_rows.hpp"

namespace grove {
namespace {

using Settings = std::vector<Setting>;

/// Keys of every component. The first three are three ways to say the mass.
Settings common_settings() {
  return {{"mass", 0.0, not_negative, "of all its particles", {}, "0: density or circular_velocity says it", Dimension::mass},
          {"particles",
           0.0,
           {0.0, 1.0},
           "its part of the particles of the galaxy",
           {},
           "0: by mass, and 5 times as many for its mass as in a halo"},
          {"softening", 0.0, not_negative, "softening length of its particles", {}, "0: by their number and its size", Dimension::length},
          {"type",
           std::uint64_t{0},
           {0.0, 5.0},
           "particle type: 1 halo, 2 disc, 3 bulge, 4 stars, 5 black holes",
           {},
           "0: by its name, else the next free one"}};
}

void append(Settings& to, const Settings& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Keys of every sphere. `taper` in scale radii: 0 for kinds that end by themselves.
Settings sphere_settings(double taper, const char* radius = "scale radius") {
  Settings settings = common_settings();
  append(settings,
         {{"density", 0.0, not_negative, "the density that the formula of its kind is in units of", {}, {}, Dimension::density},
          {"circular_velocity", 0.0, not_negative, "the largest circular velocity of the component alone", {}, {}, Dimension::velocity},
          {"scale_radius", 1.0, positive, radius, {}, {}, Dimension::length}});
  if (taper > 0)
    settings.push_back(
        {"taper", taper, {0.1, 1e4}, "radius beyond which the density falls exponentially, in scale radii: a factor sech(r / taper)"});
  append(settings, {{"anisotropy_radius",
                     0.0,
                     not_negative,
                     "radius beyond which orbits are radial: beta = r^2 / (r^2 + anisotropy_radius^2)",
                     {},
                     "0: isotropic",
                     Dimension::length},
                    {"anisotropy", 0.0, {-0.4, 0.5}, "beta = 1 - (tangential / radial dispersion)^2, the same at all radii"}});
  return settings;
}

Settings sphere_settings(double taper, const Settings& own) {
  Settings settings = sphere_settings(taper);
  append(settings, own);
  return settings;
}

Settings disc_settings() {
  Settings settings = common_settings();
  append(settings, {{"scale_length", 1.0, positive, "scale length: surface density ~ exp(-R / scale_length)", {}, {}, Dimension::length},
                    {"height", 0.1, {1e-3, 1.0}, "scale height, in scale lengths"},
                    {"vertical",
                     std::string("sech2"),
                     any_number,
                     "vertical density: sech2 (z / height) or exponential, exp(-|z| / height)",
                     {"sech2", "exponential"}},
                    {"toomre_q", 1.5, {0.5, 20.0}, "Toomre's Q at q_radius; below 1 rings are unstable"},
                    {"q_radius", 2.0, {0.1, 8.0}, "where, in scale lengths"},
                    {"counter_rotating", 0.0, {0.0, 1.0}, "part of the particles that turns against the others"}});
  return settings;
}

std::vector<ComponentKind> make_kinds() {
  constexpr Range slope{0.0, 2.5};
  return {{"plummer", "density (1 + s^2)^(-5/2), s = r / scale_radius", "Plummer 1911", sphere_settings(40.0)},
          {"hernquist", "density 1 / (s (1 + s)^3)", "Hernquist 1990", sphere_settings(100.0)},
          {"nfw", "density 1 / (s (1 + s)^2)", "Navarro, Frenk & White 1996", sphere_settings(15.0)},
          {"jaffe", "density 1 / (s^2 (1 + s)^2)", "Jaffe 1983", sphere_settings(100.0)},
          {"dehnen", "density 1 / (s^gamma (1 + s)^(4 - gamma))", "Dehnen 1993",
           sphere_settings(100.0, Settings{{"gamma", 1.0, slope, "slope of the density in the centre"}})},
          {"two_power", "density 1 / (s^gamma (1 + s^alpha)^((beta - gamma) / alpha))", "Zhao 1996",
           sphere_settings(20.0, Settings{{"alpha", 1.0, {0.2, 5.0}, "how sharply the slope changes"},
                                          {"beta", 3.0, {2.0, 10.0}, "slope of the density far out"},
                                          {"gamma", 1.0, slope, "slope of the density in the centre"}})},
          {"einasto", "density exp(-2 / alpha (s^alpha - 1)), of slope -2 at scale_radius", "Einasto 1965",
           sphere_settings(40.0, Settings{{"alpha", 0.17, {0.05, 2.0}, "how fast the slope changes"}})},
          {"sersic", "a sphere whose surface density is exp(-b (R / scale_radius)^(1 / index)), half of it inside scale_radius",
           "Sersic 1963", sphere_settings(40.0, Settings{{"index", 4.0, {0.5, 8.0}, "Sersic's n: 1 exponential, 4 de Vaucouleurs"}})},
          {"king", "lowered isothermal sphere of core radius scale_radius, which ends at its tidal radius", "King 1966",
           sphere_settings(0.0, Settings{{"w0", 5.0, {0.5, 12.0}, "depth of the central potential in squared dispersions"}})},
          {"isothermal", "density 1 / (1 + s^2)", "Begeman, Broeils & Sanders 1991", sphere_settings(15.0)},
          {"uniform", "the same density everywhere inside the taper", "", sphere_settings(1.0)},
          {"table", "density of a file: radius over scale_radius and density in each line, a smooth curve through them in logarithms", "",
           sphere_settings(100.0, Settings{{"file", std::string(), any_number,
                                            "text file with two columns and at least 4 rows, relative to the current directory"}})},
          {"exponential", "disc of exponential surface density", "Freeman 1970; Kuijken & Dubinski 1995", disc_settings()},
          {"point", "one particle in the centre: a black hole", "", common_settings()}};
}

ComponentParameters component(std::string name, std::string kind, SettingValues values) {
  return {std::move(name), std::move(kind), std::move(values)};
}

std::vector<GalaxyPreset> make_presets() {
  return {
      {"milky_way",
       "the Milky Way: dark halo, bulge, thin and thick disc, black hole",
       "halo, discs and masses of disc and bulge: McMillan 2017 (table 3, best fit); the bulge as a Hernquist sphere with half of its mass "
       "inside 1.2 kpc; black hole: GRAVITY Collaboration 2019; Q 1.5: Binney & Tremaine 2008, section 6.2. Chosen for Grove: tapers, the "
       "halo's at 235 kpc, near its virial radius; the thick disc's Q",
       {component("halo", "nfw", {{"density", 8.54e6}, {"scale_radius", 19.6}, {"taper", 12.0}}),
        component("bulge", "hernquist", {{"mass", 9.23e9}, {"scale_radius", 0.5}, {"taper", 20.0}}),
        component(
            "disc", "exponential",
            {{"mass", 3.52e10}, {"scale_length", 2.50}, {"height", 0.12}, {"vertical", std::string("exponential")}, {"toomre_q", 1.5}}),
        component("thick disc", "exponential",
                  {{"mass", 1.05e10},
                   {"scale_length", 3.02},
                   {"height", 0.298},
                   {"vertical", std::string("exponential")},
                   {"toomre_q", 9.0},
                   {"type", std::uint64_t{4}}}),
        component("black hole", "point", {{"mass", 4.15e6}})}},
      {"m31",
       "the Andromeda galaxy: dark halo, bulge, disc, stellar halo, black hole",
       "halo, bulge, disc and stellar halo: Miki & Umemura 2018, after Geehan et al. 2006 and Fardal et al. 2007; black hole: Bender et "
       "al. 2005. Chosen for Grove: tapers, the halo's at 190 kpc, near its virial radius; Q",
       {component("halo", "nfw", {{"mass", 8.11e11}, {"scale_radius", 7.63}, {"taper", 25.0}}),
        component("bulge", "hernquist", {{"mass", 3.24e10}, {"scale_radius", 0.61}, {"taper", 100.0}}),
        component("disc", "exponential", {{"mass", 3.66e10}, {"scale_length", 5.40}, {"height", 0.111}, {"toomre_q", 1.8}}),
        component("stellar halo", "sersic",
                  {{"mass", 8e9}, {"scale_radius", 9.0}, {"index", 2.2}, {"taper", 20.0}, {"type", std::uint64_t{4}}}),
        component("black hole", "point", {{"mass", 1.4e8}})}},
      {"lmc",
       "the Large Magellanic Cloud: dark halo and disc",
       "mass 1.38e11: Erkal et al. 2019; halo so that 1.7e10 lie inside 8.7 kpc: van der Marel & Kallivayalil 2014; disc: van der Marel et "
       "al. 2002. Chosen for Grove: taper and Q",
       {component("halo", "hernquist", {{"mass", 1.38e11}, {"scale_radius", 18.3}, {"taper", 20.0}}),
        component("disc", "exponential", {{"mass", 2.7e9}, {"scale_length", 1.42}, {"height", 0.25}, {"toomre_q", 2.0}})}},
      {"sagittarius",
       "the Sagittarius dwarf before it fell in: one sphere",
       "Law & Majewski 2010; the taper is the default one",
       {component("stars", "plummer", {{"mass", 6.4e8}, {"scale_radius", 0.85}, {"type", std::uint64_t{4}}})}}};
}

const std::vector<Setting>& settings_of_kind(const std::string& kind) { return settings_of(component_kinds(), kind); }

}  // namespace

const std::vector<ComponentKind>& component_kinds() {
  static const std::vector<ComponentKind> table = make_kinds();
  return table;
}

bool is_disc(const std::string& kind) { return kind == "exponential"; }
bool is_point(const std::string& kind) { return kind == "point"; }

double ComponentParameters::number(const std::string& key) const {
  return number_among(values, settings_of_kind(kind), "component " + kind, key);
}

std::uint64_t ComponentParameters::whole(const std::string& key) const {
  const auto given = values.find(key);
  if (given != values.end()) return std::get<std::uint64_t>(given->second);
  const Setting* const setting = find_named(settings_of_kind(kind), key);
  if (!setting) throw std::logic_error(fmt::format("component {} has no key {}", kind, key));
  return std::get<std::uint64_t>(setting->default_value);
}

const std::string& ComponentParameters::text(const std::string& key) const {
  return text_among(values, settings_of_kind(kind), "component " + kind, key);
}

double GalaxyParameters::number(const std::string& key) const { return number_among(place, place_settings(), "galaxy", key); }

const std::vector<Setting>& place_settings() {
  static const std::vector<Setting> table = {
      {"x", 0.0, any_number, "where its centre is", {}, {}, Dimension::length},
      {"y", 0.0, any_number, "the same in y", {}, {}, Dimension::length},
      {"z", 0.0, any_number, "the same in z", {}, {}, Dimension::length},
      {"vx", 0.0, any_number, "its velocity", {}, {}, Dimension::velocity},
      {"vy", 0.0, any_number, "the same in y", {}, {}, Dimension::velocity},
      {"vz", 0.0, any_number, "the same in z", {}, {}, Dimension::velocity},
      {"inclination", 0.0, {0.0, 180.0}, "angle between the spin of its discs and +z, in degrees"},
      {"node", 0.0, {-360.0, 360.0}, "ascending node of its discs on the xy plane, in degrees from +x"}};
  return table;
}

const std::vector<GalaxyPreset>& galaxy_presets() {
  static const std::vector<GalaxyPreset> table = make_presets();
  return table;
}

std::vector<GalaxyComplaint> complaints_about(const GalaxyParameters& galaxy) {
  std::vector<GalaxyComplaint> complaints;
  std::set<std::string> names;
  for (const ComponentParameters& c : galaxy.components) {
    const auto complain = [&](const char* key, const char* must) { complaints.push_back({c.name, key, must}); };
    if (!names.insert(c.name).second) complain("name", "another one: two components of a galaxy have it");
    const bool is_sphere = !is_disc(c.kind) && !is_point(c.kind);
    const int masses =
        (c.number("mass") > 0 ? 1 : 0) + (is_sphere ? (c.number("density") > 0 ? 1 : 0) + (c.number("circular_velocity") > 0 ? 1 : 0) : 0);
    if (masses == 0) complain("mass", is_sphere ? "above 0, or density or circular_velocity given in its place" : "above 0");
    if (masses > 1) complain("mass", "left out where density or circular_velocity is given; only one of the three says the mass");
    if (is_sphere && c.number("anisotropy_radius") > 0 && c.number("anisotropy") != 0)
      complain("anisotropy", "left out where anisotropy_radius is given");
    for (const Setting& setting : settings_of_kind(c.kind)) {
      // Beyond, products of them would not be numbers.
      constexpr double least = 1e-60, most = 1e60;
      const auto given = c.values.find(setting.name);
      const double* const value =
          given != c.values.end() && setting.dimension != Dimension::none ? std::get_if<double>(&given->second) : nullptr;
      if (value && *value > 0 && (*value < least || *value > most)) complain(setting.name.c_str(), "between 1e-60 and 1e60 in code units");
    }
    if (c.kind == "table" && c.text("file").empty()) complain("file", "given: the file with the density");
    if (is_point(c.kind) && c.number("particles") > 0) complain("particles", "left out: a point is one particle");
  }
  if (galaxy.components.empty()) complaints.push_back({"", "", "given at least one component"});
  return complaints;
}

}  // namespace grove
