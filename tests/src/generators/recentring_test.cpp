// Components of generated models: their names, their centres, and discs on an orbit. On any number of ranks.
#include "src/generators/recentring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/config/config.hpp"
#include "src/generators/merger.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove {
namespace {

using tests::conditions_of;
using tests::generate_all;

using Vector = std::array<double, 3>;

/// Mean over the particles of one type, by mass, of `vectors`.
Vector mean_of(const ParticleSet& p, const std::vector<double>& vectors, int type) {
  std::array<long double, 3> sum{};
  long double mass = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.type[i] != type) continue;
    mass += p.mass[i];
    for (std::size_t d = 0; d < 3; ++d) sum[d] += static_cast<long double>(p.mass[i]) * vectors[3 * i + d];
  }
  Vector mean;
  for (std::size_t d = 0; d < 3; ++d) mean[d] = static_cast<double>(sum[d] / mass);
  return mean;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

void expect_near(const Vector& found, const double (&wanted)[3], double tolerance) {
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found[d], wanted[d], tolerance) << d;
}

/// Up to the rounding of the largest position and velocity that were drawn.
void expect_centred(const InitialConditions& conditions) {
  InitialConditions as_drawn = conditions;
  as_drawn.recentre = false;
  const Model model = prepare_model(conditions, 1.0);
  const ParticleSet particles = generate(conditions, model, 0, conditions.n), drawn = generate(as_drawn, model, 0, conditions.n);
  const double rounding = 0x1p-52;
  for (const ModelComponent& component : model.components) {
    SCOPED_TRACE(component.name);
    expect_near(mean_of(particles, particles.position, component.type), component.position, rounding * largest(drawn.position));
    expect_near(mean_of(particles, particles.velocity, component.type), component.velocity, rounding * largest(drawn.velocity));
  }
}

class Components : public testing::TestWithParam<std::string> {};

TEST_P(Components, AreWhereTheModelSaysAndAtRestThere) {
  for (const std::uint64_t n : {2, 3, 500, 20000}) {
    SCOPED_TRACE(n);
    expect_centred(conditions_of(GetParam(), n));
  }
}

TEST_P(Components, HaveANameForEachTypeOfTheParticles) {
  const auto conditions = conditions_of(GetParam(), 200);
  const auto components = find_named(generators(), GetParam())->prepare(conditions, 1.0).components;
  for (const std::uint8_t type : generate_all(conditions).type)
    EXPECT_TRUE(std::any_of(components.begin(), components.end(), [&](const auto& c) { return c.type == type && !c.name.empty(); }));
}

// Were they shifted, halo and disc would be shifted apart.
TEST_P(Components, MoveByTheSamePartOfTheirDistanceFromTheCentreWhichStays) {
  auto conditions = conditions_of(GetParam(), 3000);
  const ParticleSet centred = generate_all(conditions);
  conditions.recentre = false;
  const ParticleSet drawn = generate_all(conditions);
  EXPECT_EQ(drawn.id, centred.id);
  EXPECT_EQ(drawn.type, centred.type);
  for (const ModelComponent& component : find_named(generators(), GetParam())->prepare(conditions, 1.0).components) {
    Vector part{};
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (drawn.type[i] != component.type) continue;
      const double *x = &drawn.position[3 * i], *c = component.position;
      const double r = std::hypot(x[0] - c[0], x[1] - c[1], x[2] - c[2]);
      for (std::size_t d = 0; d < 3; ++d) {
        const double moved = (x[d] - centred.position[3 * i + d]) / r;
        EXPECT_LT(std::abs(moved), 0.15);
        EXPECT_TRUE(part[d] == 0 || std::abs(moved - part[d]) < 1e-10) << moved << " and " << part[d];
        part[d] = moved;
      }
    }
  }
}

TEST_P(Components, AreTheSameOnAnyNumberOfRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::uint64_t n : {2, 1001, 9000}) {
    const auto conditions = conditions_of(GetParam(), n);
    const ParticleSet share = generate(conditions, prepare_model(conditions, 1.0), comm), all = generate_all(conditions);
    const auto join = [&](const std::vector<double>& values) { return comm.all_gather_vectors(std::span<const double>(values)); };
    EXPECT_EQ(join(share.position), all.position);
    EXPECT_EQ(join(share.velocity), all.velocity);
    EXPECT_EQ(comm.all_gather_vectors(std::span<const std::uint64_t>(share.id)), all.id);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Components, testing::ValuesIn(tests::generators_of_each_form()),
                         [](const auto& test) { return test.param; });

TEST(BlockSums, AreTheSameBitsForAnyDivision) {
  const auto conditions = conditions_of("hernquist", 10007);
  const Model model = find_named(generators(), "hernquist")->prepare(conditions, 1.0);
  const std::vector<double> whole = block_sums(model, conditions.n, 0, 1);
  for (const int parts : {2, 3, 7, 5000}) {
    std::vector<double> sums(whole.size(), 0.0);
    for (int part = 0; part < parts; ++part) {
      const std::vector<double> some = block_sums(model, conditions.n, part, parts);
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += some[k];
    }
    ASSERT_EQ(sums, whole) << parts;
  }
}

/// What any number of ranks makes alike, and discs take a while.
class OnOneRank : public testing::Test {
 protected:
  void SetUp() override {
    if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "what any number of ranks makes alike is looked at on one";
  }
};
class DiscMerger : public OnOneRank {};

TEST(Generate, AParticleThatCannotBeDrawnIsToldOnAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  auto conditions = conditions_of("plummer", 5000);
  Model model = prepare_model(conditions, 1.0);
  model.particle = [draw = model.particle](std::uint64_t id) {
    if (id == 4321) throw ConfigError("component stars: no velocity is found");
    return draw(id);
  };
  for (const bool recentre : {true, false}) {
    conditions.recentre = recentre;
    try {
      generate(conditions, model, comm);
      ADD_FAILURE() << "particle 4321 was drawn";
    } catch (const AgreedError& error) {
      EXPECT_NE(std::string(error.what()).find("component stars: no velocity is found"), std::string::npos) << error.what();
    }
  }
}

// A sample of 8,000 in a halo of 60 kpc is kiloparsecs off, and drifts.
TEST_F(OnOneRank, ADiscOfEightThousandStaysWhereItIs) {
  Config config = parse_config(
      "", "test",
      {"initial_conditions.generator=disc", "initial_conditions.n=8000", "initial_conditions.mass=100", "initial_conditions.scale_length=3",
       "units.length_in_cm=3.0857e21", "units.mass_in_g=1.98841e43", "units.velocity_in_cm_per_s=1e5", "gravity.G=\"cgs\""});
  const Model model = prepare_model(config.initial_conditions, config.gravity.G);
  const auto centre_of_all = [&](const std::vector<double> ParticleSet::*field) {
    const ParticleSet p = generate(config.initial_conditions, model, 0, config.initial_conditions.n);
    double sum[3] = {}, mass = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      mass += p.mass[i];
      for (std::size_t d = 0; d < 3; ++d) sum[d] += p.mass[i] * (p.*field)[3 * i + d];
    }
    return std::hypot(sum[0], sum[1], sum[2]) / mass;
  };
  EXPECT_LT(centre_of_all(&ParticleSet::position), 1e-12);
  EXPECT_LT(centre_of_all(&ParticleSet::velocity), 1e-12);
  config.initial_conditions.recentre = false;
  EXPECT_GT(centre_of_all(&ParticleSet::position), 0.5) << "kpc: otherwise this sample shows nothing";
  EXPECT_GT(centre_of_all(&ParticleSet::velocity), 0.5) << "km/s";
}

TEST_F(OnOneRank, ComponentNamesSayWhatThereIs) {
  EXPECT_EQ(component_names(prepare_model(conditions_of("plummer", 10), 1.0))[1], "stars");
  EXPECT_EQ(component_names(prepare_model(conditions_of("hernquist", 10), 1.0))[1], "halo");
  const ComponentNames disc = component_names(prepare_model(conditions_of("disc", 10), 1.0));
  EXPECT_EQ(disc[1], "halo");
  EXPECT_EQ(disc[2], "disc");
  const ComponentNames spheres = component_names(prepare_model(conditions_of("merger", 10), 1.0));
  EXPECT_EQ(spheres[1], "galaxy 1");
  EXPECT_EQ(spheres[2], "galaxy 2");
  const ComponentNames discs = component_names(prepare_model(conditions_of("merger", 10, {{"model", "disc"}}), 1.0));
  EXPECT_EQ(discs[1], "halo 1");
  EXPECT_EQ(discs[2], "disc 1");
  EXPECT_EQ(discs[3], "halo 2");
  EXPECT_EQ(discs[4], "disc 2");
}

InitialConditions two_discs(std::uint64_t n) {
  return conditions_of("merger", n,
                       {{"model", "disc"},
                        {"mass_ratio", 0.5},
                        {"size_ratio", 0.7},
                        {"inclination_1", 30.0},
                        {"node_1", 40.0},
                        {"inclination_2", 120.0},
                        {"node_2", -75.0},
                        {"separation", 20.0},
                        {"pericentre", 2.0}});
}

TEST_F(DiscMerger, PutsEachDiscAndHaloOnTheOrbit) {
  const auto conditions = two_discs(20000);
  expect_centred(conditions);
  const MergerOrbit orbit = merger_orbit(conditions, 1.0);
  const ParticleSet p = generate_all(conditions);
  double mass[particle_type_count] = {};
  for (std::size_t i = 0; i < p.size(); ++i) mass[p.type[i]] += p.mass[i];
  for (int which = 0; which < 2; ++which) {
    const int halo = 1 + 2 * which, disc = 2 + 2 * which;
    EXPECT_NEAR(mass[disc], 0.1 * orbit.mass[which], 1e-12);
    EXPECT_NEAR(mass[halo], 0.9 * orbit.mass[which], 1e-12);
    for (const int type : {halo, disc}) {
      expect_near(mean_of(p, p.position, type), orbit.position[which], 1e-13);
      expect_near(mean_of(p, p.velocity, type), orbit.velocity[which], 1e-13);
    }
  }
}

/// Angular momentum of the particles of one type about their own centre, over its length.
Vector spin_of(const ParticleSet& p, int type) {
  const Vector x0 = mean_of(p, p.position, type), v0 = mean_of(p, p.velocity, type);
  Vector spin{};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.type[i] != type) continue;
    const double *x = &p.position[3 * i], *v = &p.velocity[3 * i];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
      spin[d] += (x[a] - x0[a]) * (v[b] - v0[b]) - (x[b] - x0[b]) * (v[a] - v0[a]);
    }
  }
  const double length = std::hypot(spin[0], spin[1], spin[2]);
  for (double& component : spin) component /= length;
  return spin;
}

// Spin (sin i sin node, -sin i cos node, cos i), as an orbit of these elements has it (Murray & Dermott 1999, section 2.8).
TEST_F(DiscMerger, TurnsTheDiscsByInclinationAndNode) {
  const ParticleSet p = generate_all(two_discs(40000));
  const double degree = tests::pi / 180;
  const double angles[2][2] = {{30, 40}, {120, -75}};
  for (int which = 0; which < 2; ++which) {
    const double i = degree * angles[which][0], node = degree * angles[which][1];
    const double wanted[3] = {std::sin(i) * std::sin(node), -std::sin(i) * std::cos(node), std::cos(i)};
    expect_near(spin_of(p, 2 + 2 * which), wanted, 0.01);
  }
}

TEST_F(DiscMerger, IsADiscGalaxyTwice) {
  auto conditions = conditions_of("merger", 40000, {{"model", "disc"}});
  conditions.recentre = false;
  auto alone = conditions_of("disc", 20000, {{"taper", 10.0}});
  alone.recentre = false;
  const ParticleSet two = generate_all(conditions), one = generate_all(alone);
  const MergerOrbit orbit = merger_orbit(conditions, 1.0);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(two.mass[i], one.mass[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(two.position[3 * i + d], one.position[3 * i + d] + orbit.position[0][d], 1e-14);
      EXPECT_NEAR(two.velocity[3 * i + d], one.velocity[3 * i + d] + orbit.velocity[0][d], 1e-14);
    }
  }
}

TEST_F(DiscMerger, RefusesKeysOfDiscsForSpheres) {
  EXPECT_EQ(check_generator(conditions_of("merger", 100, {{"inclination_1", 10.0}}))->setting, "inclination_1");
  EXPECT_FALSE(check_generator(conditions_of("merger", 100, {{"inclination_1", 10.0}, {"model", "disc"}})).has_value());
}

}  // namespace
}  // namespace grove
