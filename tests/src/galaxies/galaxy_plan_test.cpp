// Galaxies of components: numbers, masses, softenings, types and names of their particles, and what contradicts what.
#include "src/galaxies/galaxy_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "src/generators/galaxy.hpp"
#include "tests/support/galaxies.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

std::uint64_t count_of(const std::vector<ComponentPlan>& plans) {
  return std::accumulate(plans.begin(), plans.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& plan) { return sum + plan.count; });
}

double mass_of_particle(const ComponentPlan& plan) { return plan.mass / static_cast<double>(plan.count); }

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

}  // namespace
}  // namespace grove::tests
