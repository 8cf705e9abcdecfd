// Models of galaxies: their notes, table and places, galaxies on an orbit, and the presets' rotation.
#include "src/galaxies/galaxy_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "src/galaxies/disc_potential.hpp"
#include "src/generators/galaxy.hpp"
#include "tests/support/galaxies.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

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

TEST(GalaxyModel, NotesNameAnUnstableDiscAndABulgeThatIsLargerThanIt) {
  const auto notes = [](double toomre_q, double radius) {
    GalaxyParameters galaxy = whole_galaxy();
    galaxy.components[1].values["toomre_q"] = toomre_q;
    galaxy.components[2].values["scale_radius"] = radius;
    return model_of_galaxies({galaxy}, 20001, 1, 1).notes;
  };
  const std::vector<std::string> unstable = notes(0.8, 0.2), large = notes(1.5, 1.5);
  ASSERT_EQ(unstable.size(), 1u);
  EXPECT_TRUE(has(unstable[0], "disc: with toomre_q below 1")) << unstable[0];
  ASSERT_EQ(large.size(), 1u);
  EXPECT_TRUE(has(large[0], "bulge is larger than disc: half-mass radii of ")) << large[0];
}

TEST(GalaxyModel, ALightBlackHoleHasOneNoteThatNamesTheHeaviestParticles) {
  GalaxyParameters galaxy = whole_galaxy();
  galaxy.components.erase(galaxy.components.begin() + 1);
  galaxy.components.back().values["mass"] = 1e-4;
  const std::vector<std::string> notes = model_of_galaxies({galaxy}, 30000, 1, 1).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(has(notes[0], "black hole is ") && has(notes[0], "times as heavy as a particle of halo: below 10")) << notes[0];
}

TEST(GalaxyModel, TableAndNotesNameTheGalaxyWhereThereAreMore) {
  const auto galaxy = [](const std::string& name, double of_hole) {
    return galaxy_of({{"halo", "hernquist", {{"mass", 1.0}}}, {"globulars", "hernquist", {{"mass", 0.5}}}, hole("black hole", of_hole)},
                     name);
  };
  const Model model = model_of_galaxies({galaxy("one", 1e-3), galaxy("other", 1)}, 12000, 1, 1);
  for (const char* row :
       {"\nhalo one ", "\nglobulars one ", "\nblack hole one ", "\nhalo other ", "\nglobulars other ", "\nblack hole other "})
    EXPECT_TRUE(has(model.table, row)) << row << model.table;
  for (const char* name : {" 1 halo ", " 4 stars ", " 5 black holes "}) EXPECT_TRUE(has(model.table, name)) << name << model.table;
  ASSERT_EQ(model.notes.size(), 2u);
  EXPECT_TRUE(has(model.notes[0], "6 components share 5 particle types")) << model.notes[0];
  EXPECT_TRUE(has(model.notes[1], "black hole one is ") && has(model.notes[1], "a particle of halo one: ")) << model.notes[1];
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

TEST(GalaxyModel, IsRefusedWhereNumbersCannotHoldItsSizesOrVelocities) {
  const auto refusal_at = [](const char* key, double value) {
    GalaxyParameters galaxy =
        galaxy_of({{"large", "hernquist", {{"mass", 1.0}, {"scale_radius", 1e3}}}, {"small", "hernquist", {{"mass", 1.0}}}});
    galaxy.place[key] = value;
    return refusal([&] { model_of_galaxies({galaxy}, 1000, 1, 1); });
  };
  const std::string far = refusal_at("x", 1e50), fast = refusal_at("vy", -1e20);
  EXPECT_TRUE(has(far, "galaxy mine: x = 1e+50") && has(far, "2.1e+34 apart") && has(far, "smallest half-mass radius of 2.3")) << far;
  EXPECT_TRUE(has(fast, "galaxy mine: vy = -1e+20") && has(fast, "velocities of about 0.0")) << fast;
  // A thousandth of 2.3 is 2^-9 or so, the spacing of numbers from 2^43 to 2^44.
  EXPECT_TRUE(has(refusal_at("z", -2e13), "galaxy mine: z = -2e+13"));
  EXPECT_EQ(refusal_at("z", -1.5e13), "nothing was thrown");
  EXPECT_EQ(refusal_at("vz", 1e11), "nothing was thrown");
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
