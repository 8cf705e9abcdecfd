// What holds for every generator: a new one joins by being in the table.
#include "src/generators/generator.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/config/config.hpp"
#include "src/galaxies/random.hpp"
#include "tests/support/generator_sample.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// A Hernquist sphere.
std::string density_table() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    std::ofstream file(directory.file("density.txt"));
    for (double r = 1e-3; r < 1e3; r *= 1.2) file << r << ' ' << 1 / (r * std::pow(1 + r, 3)) << '\n';
    return directory.file("density.txt");
  }();
  return path;
}

InitialConditions conditions_of(const std::string& generator, std::uint64_t n, std::uint64_t seed = 1) {
  InitialConditions conditions;
  conditions.generator = generator;
  conditions.n = n;
  conditions.seed = seed;
  if (generator == "galaxy") conditions.galaxies = {tests::small_galaxy()};
  if (generator == "table") conditions.parameters["density_file"] = density_table();
  return conditions;
}

void append(const ParticleSet& part, ParticleSet& all) {
  all.position.insert(all.position.end(), part.position.begin(), part.position.end());
  all.velocity.insert(all.velocity.end(), part.velocity.begin(), part.velocity.end());
  all.mass.insert(all.mass.end(), part.mass.begin(), part.mass.end());
  all.id.insert(all.id.end(), part.id.begin(), part.id.end());
  all.type.insert(all.type.end(), part.type.begin(), part.type.end());
}

void expect_same_bits(const ParticleSet& a, const ParticleSet& b) {
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.type, b.type);
}

class EveryGenerator : public testing::TestWithParam<std::string> {};

TEST_P(EveryGenerator, MakesTheSameParticlesForAnyNumberOfRanks) {
  const auto conditions = conditions_of(GetParam(), 101);
  const Model model = prepare_model(conditions, 1.0);
  const ParticleSet whole = generate(conditions, model, 0, conditions.n);
  for (const int ranks : {2, 3, 7, 150}) {
    ParticleSet joined;
    for (int r = 0; r < ranks; ++r) {
      const std::uint64_t begin = first_of_rank(conditions.n, r, ranks), end = first_of_rank(conditions.n, r + 1, ranks);
      append(generate(conditions, model, begin, end - begin), joined);
    }
    expect_same_bits(whole, joined);
  }
}

TEST_P(EveryGenerator, MakesTheSameParticlesForAnyNumberOfThreads) {
  const auto conditions = conditions_of(GetParam(), 1000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleSet serial = generate(conditions, 1.0, 0, conditions.n);
  omp_set_num_threads(3);
  const ParticleSet parallel = generate(conditions, 1.0, 0, conditions.n);
  omp_set_num_threads(threads);
  expect_same_bits(serial, parallel);
}

TEST_P(EveryGenerator, MakesOtherParticlesForAnotherSeed) {
  const ParticleSet a = generate(conditions_of(GetParam(), 100, 1), 1.0, 0, 100);
  const ParticleSet b = generate(conditions_of(GetParam(), 100, 2), 1.0, 0, 100);
  for (std::size_t i = 0; i < a.position.size(); ++i) EXPECT_NE(a.position[i], b.position[i]) << i;
}

TEST_P(EveryGenerator, MakesUsableParticles) {
  const auto conditions = conditions_of(GetParam(), 5000);
  const ParticleSet particles = generate(conditions, 1.0, 0, conditions.n);
  ASSERT_EQ(particles.size(), conditions.n);
  for (const auto* field : {&particles.position, &particles.velocity}) {
    ASSERT_EQ(field->size(), 3 * conditions.n);
    for (const double x : *field) ASSERT_TRUE(std::isfinite(x));
  }
  for (std::size_t i = 0; i < particles.size(); ++i) {
    ASSERT_GT(particles.mass[i], 0);
    ASSERT_EQ(particles.id[i], i);
    ASSERT_LT(particles.type[i], particle_type_count);
  }
}

TEST_P(EveryGenerator, MassesAddUpToTheTotalMass) {
  auto conditions = conditions_of(GetParam(), 777);
  conditions.parameters["mass"] = 3.5;
  for (GalaxyParameters& galaxy : conditions.galaxies) galaxy.components[0].values["mass"] = 3.5;
  const ParticleSet particles = generate(conditions, 1.0, 0, conditions.n);
  const double total = conditions.generator == "merger" ? 7.0 : 3.5;
  EXPECT_NEAR(std::accumulate(particles.mass.begin(), particles.mass.end(), 0.0), total, 1e-12);
}

TEST_P(EveryGenerator, SpeedsScaleWithTheRootOfG) {
  const auto conditions = conditions_of(GetParam(), 50);
  const ParticleSet one = generate(conditions, 1.0, 0, 50), four = generate(conditions, 4.0, 0, 50);
  EXPECT_EQ(one.position, four.position);
  for (std::size_t i = 0; i < one.velocity.size(); ++i)
    EXPECT_NEAR(four.velocity[i], 2 * one.velocity[i], 1e-12 * std::abs(one.velocity[i]));
}

TEST_P(EveryGenerator, TakesLargeIds) {
  auto conditions = conditions_of(GetParam(), 1000000000000);
  conditions.recentre = false;  // which would draw them all
  const ParticleSet last = generate(conditions, 1.0, conditions.n - 2, 2);
  EXPECT_EQ(last.id[1], 999999999999u);
  EXPECT_NE(last.position[0], last.position[3]);
}

TEST_P(EveryGenerator, DefaultsAreInRange) {
  for (const Setting& setting : find_named(generators(), GetParam())->settings) {
    EXPECT_FALSE(setting.meaning.empty()) << setting.name;
    // Without a name, a galaxy is made of sections.
    const std::string text = GetParam() == "galaxy" ? "[galaxies.own.stars]\nkind = \"plummer\"\nmass = 1" : "";
    // That of a table has no default.
    const Value value = setting.name == "density_file" ? Value(density_table()) : setting.default_value;
    std::vector<std::string> overrides{"initial_conditions.generator=" + GetParam(),
                                       "initial_conditions." + setting.name + "=" + to_toml(value)};
    if (GetParam() == "table") overrides.push_back("initial_conditions.density_file=" + to_toml(Value(density_table())));
    EXPECT_NO_THROW(parse_config(text, "test", overrides));
  }
  EXPECT_FALSE(check_generator(conditions_of(GetParam(), 100)).has_value());
}

INSTANTIATE_TEST_SUITE_P(Table, EveryGenerator, testing::ValuesIn(names_of(generators())), [](const auto& test) { return test.param; });

TEST(Generate, KnowsTheSofteningOfTheRun) {
  const auto of = [](const std::string& softening, const char* component) {
    return parse_config("", "test", {"initial_conditions.generator=disc", "gravity.softening=" + softening})
        .initial_conditions.softening_of(component);
  };
  EXPECT_EQ(of("0.1", "halo"), 0.1);
  EXPECT_EQ(of("{halo=0.3, disc=0.05}", "disc"), 0.05);
  EXPECT_EQ(of("{halo=0.3, disc=0.05}", "bulge"), 0.3) << "the largest";
  EXPECT_EQ(of("0", "halo"), 0);
}

TEST(Generate, NamesTheKeyOfAnUnknownGenerator) {
  try {
    generate(conditions_of("disk", 10), 1.0, 0, 10);
    ADD_FAILURE() << "there is no generator disk";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("generator = \"disk\""), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("hernquist"), std::string::npos) << error.what();
  }
}

TEST(Generate, ChecksParametersThatDoNotGoTogether) {
  auto conditions = conditions_of("merger", 100);
  conditions.parameters["separation"] = 0.5;
  EXPECT_THROW(generate(conditions, 1.0, 0, 100), ConfigError);
}

TEST(Generate, MakesNothingOnAnEmptyRank) { EXPECT_EQ(generate(conditions_of("plummer", 2), 1.0, 1, 0).size(), 0u); }

TEST(RankBegin, DividesAllIdsWithoutOverflow) {
  const std::uint64_t n = std::numeric_limits<std::uint64_t>::max() / 2;
  EXPECT_EQ(first_of_rank(n, 0, 4096), 0u);
  EXPECT_EQ(first_of_rank(n, 4096, 4096), n);
  for (int r = 0; r < 5; ++r) {
    const std::uint64_t share = first_of_rank(13, r + 1, 5) - first_of_rank(13, r, 5);
    EXPECT_TRUE(share == 2 || share == 3) << share;
  }
}

TEST(RandomStream, IsTheSameWheneverDrawn) {
  RandomStream a(5, 7), b(5, 7), other_id(5, 8), other_seed(6, 7);
  for (int i = 0; i < 20; ++i) {
    const double x = a.uniform();
    EXPECT_EQ(x, b.uniform());
    EXPECT_NE(x, other_id.uniform());
    EXPECT_NE(x, other_seed.uniform());
    EXPECT_TRUE(x > 0 && x < 1);
  }
}

}  // namespace
}  // namespace grove
