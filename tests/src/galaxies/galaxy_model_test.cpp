// Galaxies of components: numbers, masses, softenings, types and names of their particles, notes, and the presets' rotation.
#include "src/galaxies/galaxy_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/galaxies/disc_potential.hpp"
#include "src/generators/galaxy.hpp"
#include "src/generators/merger.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

/// In kpc, km/s and solar masses.
constexpr double G_of_presets = 4.30092e-6;

ComponentParameters sphere(const std::string& name, double mass, SettingValues more = {}) {
  more["mass"] = mass;
  return {name, "plummer", more};
}
ComponentParameters hole(const std::string& name, double mass, SettingValues more = {}) {
  more["mass"] = mass;
  return {name, "point", more};
}
GalaxyParameters galaxy_of(std::vector<ComponentParameters> components, const std::string& name = "mine") {
  return {name, std::move(components), {}};
}

/// Halo, disc, bulge and black hole; mass 8.16.
GalaxyParameters whole_galaxy() {
  return galaxy_of({{"halo", "hernquist", {{"mass", 7.0}, {"scale_radius", 4.0}}},
                    {"disc", "exponential", {{"mass", 1.0}, {"scale_length", 1.0}, {"height", 0.2}}},
                    {"bulge", "hernquist", {{"mass", 0.15}, {"scale_radius", 0.2}}},
                    hole("black hole", 0.01)});
}

GalaxyParameters preset(const std::string& name) { return {name, find_named(galaxy_presets(), name)->components, {}}; }

std::uint64_t count_of(const std::vector<ComponentPlan>& plans) {
  return std::accumulate(plans.begin(), plans.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& plan) { return sum + plan.count; });
}

double mass_of_particle(const ComponentPlan& plan) { return plan.mass / static_cast<double>(plan.count); }

template <class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GalaxyPlan, CountsAddUpToN) {
  for (const std::uint64_t n : {7, 1001})
    for (const GalaxyPreset& one : galaxy_presets()) {
      const std::vector<ComponentPlan> plans = plan_of(preset(one.name), n, G_of_presets);
      EXPECT_EQ(count_of(plans), n) << one.name;
      for (const ComponentPlan& plan : plans) EXPECT_TRUE(plan.count > 0 && plan.count < n + (plans.size() == 1)) << plan.name;
    }
}

TEST(GalaxyPlan, EveryComponentHasAParticleHoweverFewThereAre) {
  std::vector<ComponentParameters> components;
  for (const char* name : {"a", "b", "c"}) components.push_back(sphere(name, 1));
  for (const char* name : {"d", "e", "f"}) components.push_back(sphere(name, 0.2));
  for (std::uint64_t n = 6; n < 20; ++n) {
    const std::vector<ComponentPlan> plans = plan_of(galaxy_of(components), n, 1);
    EXPECT_EQ(count_of(plans), n);
    for (const ComponentPlan& plan : plans) EXPECT_TRUE(plan.count >= 1 && plan.count <= n) << n << ": " << plan.name << ' ' << plan.count;
  }
  const std::string message = refusal([&] { plan_of(galaxy_of(components), 5, 1); });
  EXPECT_TRUE(has(message, "5 particles, its part of n by mass, are too few for its 6 components")) << message;
}

TEST(GalaxyPlan, ParticlesOfHaloesAreFiveTimesAsHeavy) {
  const std::vector<ComponentPlan> plans = plan_of(whole_galaxy(), 1000001, 1);
  EXPECT_NEAR(mass_of_particle(plans[0]) / mass_of_particle(plans[1]), 5, 1e-3);
  EXPECT_NEAR(mass_of_particle(plans[2]) / mass_of_particle(plans[1]), 1, 1e-3);
  EXPECT_EQ(plans[3].count, 1u);
  // By type, too, and type goes before the name.
  const auto ratio = [](const ComponentParameters& first) {
    const std::vector<ComponentPlan> both = plan_of(galaxy_of({first, sphere("stars", 1)}), 1000000, 1);
    return mass_of_particle(both[0]) / mass_of_particle(both[1]);
  };
  EXPECT_NEAR(ratio(sphere("dark", 3, {{"type", std::uint64_t{1}}})), 5, 1e-3);
  EXPECT_NEAR(ratio(sphere("halo", 3, {{"type", std::uint64_t{3}}})), 1, 1e-3);
  EXPECT_NEAR(ratio(sphere("dark", 3)), 1, 1e-3);
}

TEST(GalaxyPlan, PartsOfTheParticlesAreThoseGiven) {
  GalaxyParameters galaxy = whole_galaxy();
  galaxy.components[1].values["particles"] = 0.6;
  const std::vector<ComponentPlan> plans = plan_of(galaxy, 100001, 1);
  EXPECT_EQ(plans[1].count, 60000u);
  EXPECT_EQ(count_of(plans), 100001u);
  // The others share the rest by mass: 7 / 5 to 0.15.
  EXPECT_NEAR(mass_of_particle(plans[0]) / mass_of_particle(plans[2]), 5, 0.01);
  const auto parts = [](double first, double second) {
    return galaxy_of({sphere("a", 1, {{"particles", first}}), sphere("b", 1, {{"particles", second}})});
  };
  // Where all are given they are weights.
  EXPECT_EQ(plan_of(parts(0.2, 0.3), 1000, 1)[0].count, 400u);
  for (const auto& [first, second] : {std::pair{0.7, 0.4}, std::pair{1.0, 0.0}}) {
    const std::string message = refusal([&] { plan_of(parts(first, second), 1000, 1); });
    EXPECT_TRUE(has(message, "galaxy mine: the parts \"particles\"")) << message;
  }
}

TEST(GalaxyPlan, SofteningIsAQuarterOfTheDistanceOfParticles) {
  const std::vector<ComponentPlan> plans = plan_of(
      galaxy_of({sphere("stars", 1, {{"scale_radius", 2.0}, {"taper", 1e4}}), hole("hole", 1), sphere("more", 1, {{"softening", 0.7}})}),
      2001, 1);
  const double half = 2 / std::sqrt(std::cbrt(4.0) - 1);
  EXPECT_NEAR(plans[0].half_mass_radius, half, 2e-3);
  // 500 of the 1000 particles share the ball of half the mass.
  EXPECT_NEAR(plans[0].softening, 0.25 * std::cbrt(4 * pi / 3 * half * half * half / 500), 1e-3);
  EXPECT_EQ(plans[1].softening, plans[0].softening) << "a point has the smallest of the others";
  EXPECT_EQ(plans[1].half_mass_radius, 0);
  EXPECT_EQ(plans[2].softening, 0.7);
}

TEST(GalaxyParts, HaveTheTypesOfTheirNamesOrKeysOrTheNextFree) {
  const std::vector<GalaxyPart> parts = parts_of({whole_galaxy()}, 1000, 1);
  ASSERT_EQ(parts.size(), 4u);
  const std::vector<std::pair<std::string, int>> wanted{{"halo", 1}, {"disc", 2}, {"bulge", 3}, {"black hole", 5}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i].name, wanted[i].first);
    EXPECT_EQ(parts[i].type, wanted[i].second);
    EXPECT_EQ(parts[i].component, i);
  }
  // The key of one goes before the name of another; what has neither gets the lowest that is free.
  const std::vector<GalaxyPart> mixed =
      parts_of({galaxy_of({sphere("a", 1), sphere("bulge", 1), sphere("b", 1, {{"type", std::uint64_t{3}}}), sphere("halo", 1)})}, 1000, 1);
  std::vector<int> types;
  for (const GalaxyPart& part : mixed) types.push_back(part.type);
  EXPECT_EQ(types, (std::vector<int>{2, 4, 3, 1}));
}

TEST(GalaxyParts, OfTwoGalaxiesAreToldApart) {
  const std::vector<GalaxyPart> parts = parts_of(
      {galaxy_of({sphere("halo", 4), sphere("stars", 1)}, "one"), galaxy_of({sphere("halo", 2), sphere("bulge", 1)}, "other")}, 3001, 1);
  ASSERT_EQ(parts.size(), 4u);
  const std::vector<std::string> names{"halo one", "stars", "halo other", "bulge"};
  const std::vector<int> types{1, 4, 2, 3};
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i].name, names[i]);
    EXPECT_EQ(parts[i].type, types[i]);
    EXPECT_EQ(parts[i].galaxy, i / 2);
    n += parts[i].plan.count;
  }
  EXPECT_EQ(n, 3001u);
  // Particles of one kind have one mass in both, to the rounding of their number.
  EXPECT_NEAR(mass_of_particle(parts[0].plan) / mass_of_particle(parts[2].plan), 1, 0.01);
  EXPECT_NEAR(mass_of_particle(parts[1].plan) / mass_of_particle(parts[3].plan), 1, 0.01);
}

TEST(GalaxyParts, MoreThanFiveShareTheUsualTypesAndNames) {
  const std::vector<GalaxyPart> parts =
      parts_of({whole_galaxy(), galaxy_of({sphere("halo", 1), sphere("globulars", 0.1), hole("hole", 1)}, "other")}, 10000, 1);
  std::vector<std::pair<int, std::string>> found;
  for (const GalaxyPart& part : parts) found.emplace_back(part.type, part.name);
  const ComponentNames usual = usual_component_names();
  const std::vector<int> types{1, 2, 3, 5, 1, 4, 5};
  ASSERT_EQ(found.size(), types.size());
  for (std::size_t i = 0; i < types.size(); ++i) EXPECT_EQ(found[i], std::pair(types[i], usual[static_cast<std::size_t>(types[i])])) << i;
}

TEST(GalaxyParts, OneTypeGivenTwiceIsRefused) {
  const auto type = [](std::uint64_t t) { return SettingValues{{"type", t}}; };
  const std::string message = refusal([&] { parts_of({galaxy_of({sphere("a", 1, type(4)), sphere("b", 1, type(4))})}, 1000, 1); });
  EXPECT_TRUE(has(message, "component b: type = 4 is that of another component already")) << message;
}

TEST(GalaxyParts, AGalaxyOfABlackHoleAloneIsOneParticle) {
  const std::vector<GalaxyPart> parts =
      parts_of({galaxy_of({hole("hole", 0.5)}, "one"), galaxy_of({sphere("stars", 1)}, "other")}, 1000, 1);
  EXPECT_EQ(parts[0].plan.count, 1u);
  EXPECT_EQ(parts[1].plan.count, 999u);
  const std::string message = refusal([&] { parts_of({galaxy_of({hole("hole", 0.5)})}, 1000, 1); });
  EXPECT_TRUE(has(message, "n = 1000: galaxies of points alone have one particle for each point: 1")) << message;
}

std::vector<std::string> complaints(const std::vector<ComponentParameters>& components) {
  std::vector<std::string> keys;
  for (const GalaxyComplaint& complaint : complaints_about(galaxy_of(components))) {
    EXPECT_FALSE(complaint.must.empty());
    keys.push_back(complaint.component + "." + complaint.key);
  }
  return keys;
}

TEST(GalaxyComplaints, NameTheComponentAndKeyOfAConflict) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(complaints(whole_galaxy().components), Keys{});
  EXPECT_EQ(complaints({}), Keys{"."});
  EXPECT_EQ(complaints({sphere("a", 1), sphere("a", 1)}), Keys{"a.name"});
  EXPECT_EQ(complaints({sphere("a", 0)}), Keys{"a.mass"});
  EXPECT_EQ(complaints({hole("a", 0)}), Keys{"a.mass"});
  EXPECT_EQ(complaints({{"a", "exponential", {}}}), Keys{"a.mass"});
  EXPECT_EQ(complaints({sphere("a", 0, {{"density", 1.0}})}), Keys{});
  EXPECT_EQ(complaints({sphere("a", 0, {{"circular_velocity", 1.0}})}), Keys{});
  EXPECT_EQ(complaints({sphere("a", 1, {{"density", 1.0}})}), Keys{"a.mass"});
  EXPECT_EQ(complaints({sphere("a", 0, {{"density", 1.0}, {"circular_velocity", 1.0}})}), Keys{"a.mass"});
  EXPECT_EQ(complaints({sphere("a", 1, {{"anisotropy", 0.2}, {"anisotropy_radius", 1.0}})}), Keys{"a.anisotropy"});
  EXPECT_EQ(complaints({sphere("a", 1e300)}), Keys{"a.mass"});
  EXPECT_EQ(complaints({sphere("a", 1, {{"scale_radius", 1e-200}, {"softening", 1e200}})}), (Keys{"a.softening", "a.scale_radius"}));
  EXPECT_EQ(complaints({{"a", "table", {{"mass", 1.0}}}}), Keys{"a.file"});
  EXPECT_EQ(complaints({hole("a", 1, {{"particles", 0.1}})}), Keys{"a.particles"});
  for (const GalaxyPreset& one : galaxy_presets()) EXPECT_EQ(complaints(one.components), Keys{}) << one.name;
}

InitialConditions conditions_with(std::vector<GalaxyParameters> galaxies, std::uint64_t n) {
  InitialConditions conditions;
  conditions.generator = "galaxy";
  conditions.n = n;
  conditions.galaxies = std::move(galaxies);
  return conditions;
}

/// whole_galaxy() away from the origin and inclined, with 20,001 particles.
InitialConditions whole_conditions() {
  InitialConditions conditions = conditions_with({whole_galaxy()}, 20001);
  conditions.galaxies[0].place = {{"x", 3.0}, {"vy", 0.5}, {"inclination", 30.0}, {"node", 50.0}};
  return conditions;
}

/// Its model, which several tests look at.
const Model& whole_model() {
  static const Model model = prepare_model(whole_conditions(), 1);
  return model;
}

TEST(GalaxyModel, HasNoNotesWhereNothingIsOdd) { EXPECT_EQ(whole_model().notes, std::vector<std::string>{}); }

TEST(GalaxyModel, TableHasARowForEachComponent) {
  const std::string& table = whole_model().table;
  for (const char* word : {"component", "type", "particles", "mass", "softening", "halo", "disc", "bulge", "black hole"})
    EXPECT_TRUE(has(table, word)) << word << '\n' << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6) << table;
}

TEST(GalaxyModel, NotesNameFewParticlesAndALightBlackHole) {
  const auto notes = [](double mass, std::uint64_t n) {
    return model_of_galaxies({galaxy_of({{"stars", "hernquist", {{"mass", 1.0}}}, hole("hole", mass)})}, n, 1, 1).notes;
  };
  const std::vector<std::string> light = notes(5e-3, 1001);
  ASSERT_EQ(light.size(), 1u);
  EXPECT_TRUE(has(light[0], "hole is 5 times as heavy as a particle of stars")) << light[0];
  EXPECT_TRUE(notes(1.1e-2, 1001).empty());
  const std::vector<std::string> few = notes(0.5, 1000);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_TRUE(has(few[0], "component stars has 999 particles")) << few[0];
}

TEST(GalaxyModel, ANoteSaysHowFastHeavyHaloParticlesHeatADisc) {
  GalaxyParameters galaxy = whole_galaxy();
  galaxy.components.resize(2);
  galaxy.components[1].values["particles"] = 0.8;
  const std::vector<std::string> notes = model_of_galaxies({galaxy}, 10000, 1, 1).notes;
  ASSERT_EQ(notes.size(), 1u);
  // 7 / 2,000 over 1 / 8,000.
  EXPECT_TRUE(has(notes[0], "particles of halo are 28 times as heavy as those of disc")) << notes[0];
  EXPECT_TRUE(has(notes[0], "doubles in about ")) << notes[0];
}

TEST(GalaxyModel, ANoteSaysThatADiscIsTooHotOrTooHeavyForItsGalaxy) {
  const std::vector<std::string> alone = model_of_galaxies({galaxy_of({{"disc", "exponential", {{"mass", 1.0}}}})}, 1000, 1, 1).notes;
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(has(alone[0], "disc is not in equilibrium: with toomre_q = 1.5 ")) << alone[0];
  GalaxyParameters galaxy = whole_galaxy();
  galaxy.components[1].values["toomre_q"] = 20.0;
  const std::vector<std::string> hot = model_of_galaxies({galaxy}, 20000, 1, 1).notes;
  ASSERT_EQ(hot.size(), 1u);
  EXPECT_TRUE(has(hot[0], "with toomre_q = 20 ")) << hot[0];
}

TEST(GalaxyModel, GalaxiesOfFewParticlesHaveOneForEachComponent) {
  const auto spheres = [](const std::string& name, int count, double mass) {
    GalaxyParameters galaxy{name, {}, {}};
    for (int i = 0; i < count; ++i) galaxy.components.push_back({fmt::format("s{}", i), "plummer", {{"mass", mass / count}}});
    return galaxy;
  };
  for (std::uint64_t n = 7; n < 20; ++n) {
    std::uint64_t all = 0;
    for (const GalaxyPart& part : parts_of({spheres("few", 2, 3), spheres("many", 5, 4)}, n, 1)) {
      EXPECT_GE(part.plan.count, 1u) << n;
      all += part.plan.count;
    }
    EXPECT_EQ(all, n);
  }
}

TEST(GalaxyModel, IsTheSameInAnyNumberOfParts) {
  const InitialConditions conditions = whole_conditions();
  const Model& model = whole_model();
  const ParticleSet whole = generate(conditions, model, 0, conditions.n);
  ASSERT_EQ(whole.size(), conditions.n);
  for (const std::uint64_t parts : {2, 7}) {
    std::vector<double> position, velocity, mass;
    for (std::uint64_t part = 0; part < parts; ++part) {
      const std::uint64_t first = conditions.n * part / parts, end = conditions.n * (part + 1) / parts;
      const ParticleSet some = generate(conditions, model, first, end - first);
      position.insert(position.end(), some.position.begin(), some.position.end());
      velocity.insert(velocity.end(), some.velocity.begin(), some.velocity.end());
      mass.insert(mass.end(), some.mass.begin(), some.mass.end());
    }
    EXPECT_EQ(position, whole.position);
    EXPECT_EQ(velocity, whole.velocity);
    EXPECT_EQ(mass, whole.mass);
  }
  EXPECT_NEAR(std::accumulate(whole.mass.begin(), whole.mass.end(), 0.0), 8.16, 1e-9);
  // The disc's spin is turned by 30 degrees about a node 50 degrees from +x, and its centre is where the galaxy is.
  double spin[3] = {}, centre[3] = {}, count = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole.type[i] != 2) continue;
    const double* x = &whole.position[3 * i];
    const double from[3] = {x[0] - 3, x[1], x[2]},
                 v[3] = {whole.velocity[3 * i], whole.velocity[3 * i + 1] - 0.5, whole.velocity[3 * i + 2]};
    for (int d = 0; d < 3; ++d) {
      spin[d] += from[(d + 1) % 3] * v[(d + 2) % 3] - from[(d + 2) % 3] * v[(d + 1) % 3];
      centre[d] += from[d];
    }
    ++count;
  }
  const double length = std::hypot(spin[0], spin[1], spin[2]), degree = pi / 180;
  EXPECT_NEAR(spin[0] / length, std::sin(30 * degree) * std::sin(50 * degree), 0.02);
  EXPECT_NEAR(spin[1] / length, -std::sin(30 * degree) * std::cos(50 * degree), 0.02);
  EXPECT_NEAR(spin[2] / length, std::cos(30 * degree), 0.02);
  for (const double x : centre) EXPECT_NEAR(x / count, 0, 1e-12);
}

TEST(ChooseSoftening, FillsInWhatWasNotGiven) {
  InitialConditions conditions =
      conditions_with({galaxy_of({sphere("halo", 4), sphere("stars", 1, {{"softening", 0.3}}), hole("hole", 1)})}, 10001);
  const std::vector<GalaxyPart> parts = parts_of(conditions.galaxies, conditions.n, 1);
  const NumberTable lengths = choose_softening(conditions, 1);
  EXPECT_EQ(lengths, (NumberTable{{"halo", parts[0].plan.softening}, {"stars", 0.3}, {"hole", parts[2].plan.softening}}));
  for (const ComponentParameters& c : conditions.galaxies[0].components) EXPECT_EQ(c.number("softening"), lengths.at(c.name));
  // Once more, nothing changes.
  EXPECT_EQ(choose_softening(conditions, 1), lengths);
}

TEST(ChooseSoftening, HasTheLargestWhereComponentsShareAName) {
  GalaxyParameters other = galaxy_of({sphere("halo", 4, {{"softening", 2.0}}), sphere("a", 1), sphere("b", 1)}, "other");
  InitialConditions conditions = conditions_with({whole_galaxy(), other}, 10000);
  EXPECT_EQ(choose_softening(conditions, 1).at("halo"), 2);
}

TEST(GalaxyMerger, PutsTwoPresetsOnTheirOrbit) {
  InitialConditions conditions = conditions_with({preset("sagittarius"), preset("lmc")}, 5000);
  // No disc is needed to see where they are.
  conditions.galaxies[1].components.resize(1);
  conditions.generator = "merger";
  conditions.parameters = {
      {"galaxy_1", std::string("lmc")}, {"galaxy_2", std::string("sagittarius")}, {"separation", 300.0}, {"pericentre", 20.0}};
  ASSERT_FALSE(check_generator(conditions).has_value());
  const ParticleSet particles = generate_all(conditions, G_of_presets);
  double mass[2] = {}, position[2][3] = {}, velocity[2][3] = {};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const int which = particles.type[i] == 1 ? 0 : 1;
    mass[which] += particles.mass[i];
    for (std::size_t d = 0; d < 3; ++d) {
      position[which][d] += particles.mass[i] * particles.position[3 * i + d];
      velocity[which][d] += particles.mass[i] * particles.velocity[3 * i + d];
    }
  }
  EXPECT_NEAR(mass[0] / 1.38e11, 1, 1e-9);
  EXPECT_NEAR(mass[1] / 6.4e8, 1, 1e-9);
  double r[3], v[3];
  for (int d = 0; d < 3; ++d) {
    r[d] = position[1][d] / mass[1] - position[0][d] / mass[0];
    v[d] = velocity[1][d] / mass[1] - velocity[0][d] / mass[0];
    EXPECT_NEAR(position[0][d] + position[1][d], 0, 1e-9 * mass[0]);
    EXPECT_NEAR(velocity[0][d] + velocity[1][d], 0, 1e-9 * mass[0]);
  }
  EXPECT_NEAR(r[0], 300, 1e-6);
  // Parabolic, with pericentre 20.
  const double mu = G_of_presets * (mass[0] + mass[1]), spin = r[0] * v[1] - r[1] * v[0];
  EXPECT_NEAR((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * 300 / (2 * mu), 1, 1e-6);
  EXPECT_NEAR(spin * spin / (2 * mu), 20, 1e-4);
  EXPECT_LT(v[0], 0);
}

TEST(GalaxyMerger, ASecondGalaxyOfTheSameNameGetsAnother) {
  InitialConditions conditions = conditions_with({galaxy_of({sphere("halo", 1)})}, 100);
  conditions.generator = "merger";
  conditions.parameters = {{"galaxy_1", std::string("mine")}, {"galaxy_2", std::string("mine")}};
  const std::vector<GalaxyPart> parts = parts_of(galaxies_of(conditions), 100, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "halo mine");
  EXPECT_EQ(parts[1].name, "halo mine 2");
  EXPECT_NE(parts[0].type, parts[1].type);
}

TEST(GalaxyMerger, KeysOfOneKindOfGalaxyAreRefusedWithTheOther) {
  InitialConditions conditions = conditions_with({galaxy_of({sphere("halo", 1)})}, 100);
  conditions.generator = "merger";
  conditions.parameters = {{"galaxy_1", std::string("mine")}};
  ASSERT_TRUE(check_generator(conditions).has_value());
  EXPECT_EQ(check_generator(conditions)->setting, "galaxy_2");
  conditions.parameters["galaxy_2"] = std::string("mine");
  EXPECT_FALSE(check_generator(conditions).has_value());
  conditions.parameters["mass_ratio"] = 0.5;
  ASSERT_TRUE(check_generator(conditions).has_value());
  EXPECT_EQ(check_generator(conditions)->setting, "mass_ratio");
}

TEST(PairSoftening, OfALargeHaloSlowsItsDisc) {
  GalaxyParameters galaxy = whole_galaxy();
  galaxy.components.resize(2);
  galaxy.components[1].values["softening"] = 0.02;
  const auto circular_velocity = [&](double softening) {
    galaxy.components[0].values["softening"] = softening;
    return galaxy_components(galaxy, 10000, 1)[1].disc->circular_velocity(1);
  };
  const double small = circular_velocity(0.01), large = circular_velocity(1);
  // The field of the halo on the disc, and not that of the disc on itself.
  const GalaxyParameters halo{"halo", {galaxy.components[0]}, {}};
  const RadialGrid grid = grid_of(halo);
  const Shells shells = sphere_mass(halo.components[0], grid, 1).shells;
  const auto pull = [&](double softening) { return SphericalPotential(grid, force_of(shells, grid, softening)).gradient(0); };
  EXPECT_NEAR(small * small - large * large, pull(0.02) - pull(1), 0.05 * (pull(0.02) - pull(1)));
  EXPECT_GT(small, 1.02 * large);
}

/// Circular velocity in the plane of a preset without softening.
std::vector<double> rotation_curve(const GalaxyParameters& galaxy, const std::vector<double>& radii) {
  const RadialGrid grid = grid_of(galaxy);
  std::vector<double> speeds;
  for (const double R : radii) {
    PlanePotential plane({R / std::sinh(0.5), 1.0, 1}, {0}, {1});
    for (const ComponentParameters& c : galaxy.components) {
      if (is_point(c.kind))
        add_point(c.number("mass"), 0, G_of_presets, plane);
      else if (is_disc(c.kind))
        add_disc(c, 0, G_of_presets, plane);
      else
        add_sphere(sphere_mass(c, grid, G_of_presets).shells, grid, 0, G_of_presets, plane);
    }
    speeds.push_back(std::sqrt(plane.circular_velocity2[0]));
  }
  return speeds;
}

TEST(Preset, MilkyWayRotatesAsMeasuredAtTheSun) {
  const double speed = rotation_curve(preset("milky_way"), {8})[0];
  EXPECT_GT(speed, 225);
  EXPECT_LT(speed, 240);
}

TEST(Preset, M31RotatesAsMeasured) {
  const std::vector<double> speeds = rotation_curve(preset("m31"), {0.6, 2, 5, 8, 11, 15, 25});
  EXPECT_NEAR(*std::max_element(speeds.begin(), speeds.end()), 250, 15);
}

TEST(Preset, LmcHasItsMassInside8700Parsecs) {
  const GalaxyParameters lmc = preset("lmc");
  const RadialGrid grid = grid_of(lmc);
  const Shells halo = sphere_mass(lmc.components[0], grid, G_of_presets).shells, disc = shells_of_disc(lmc.components[1], grid);
  double inside = halo.core + disc.core;
  for (std::size_t k = 0; grid.radius(k) < 8.7; ++k) inside += halo.mass[k] + disc.mass[k];
  EXPECT_NEAR(inside / 1.7e10, 1, 0.41) << "(1.7 +- 0.7) 10^10 solar masses: van der Marel & Kallivayalil 2014";
}

}  // namespace
}  // namespace grove::tests
