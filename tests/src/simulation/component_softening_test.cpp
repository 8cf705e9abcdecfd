// Components with softening lengths of their own: each method against direct summation that is written out here.
#include "src/run/start/initial_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

using Lengths = std::vector<double>;  ///< [types]

/// A disc in a halo: half of the particles each, the disc flat and inside.
ParticleSet disc_in_halo(std::uint64_t n) {
  ParticleSet all = plummer(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_disc = all.id[i] % 2 == 0;
    all.type[i] = is_disc ? 2 : 1;
    if (!is_disc) continue;
    all.position[3 * i] *= 0.5;
    all.position[3 * i + 1] *= 0.5;
    all.position[3 * i + 2] *= 0.05;
    all.mass[i] *= 0.2;
  }
  return all;
}

/// Force and potential of a unit mass at distance r: Plummer's, or Wendland's C2 kernel with H = 3 eps.
struct Pair {
  double force_over_r, potential;
  Pair(const std::string& kernel, double eps, double r) {
    const double h = 3 * eps, u = r / h;
    if (kernel == "plummer") {
      const double per_d = 1 / std::sqrt(r * r + eps * eps);
      force_over_r = per_d * per_d * per_d;
      potential = per_d;
    } else if (u >= 1) {
      force_over_r = 1 / (r * r * r);
      potential = 1 / r;
    } else {
      force_over_r = (14 - 84 * u * u + 140 * std::pow(u, 3) - 90 * std::pow(u, 4) + 21 * std::pow(u, 5)) / (h * h * h);
      potential = (3 - 7 * u * u + 21 * std::pow(u, 4) - 28 * std::pow(u, 5) + 15 * std::pow(u, 6) - 3 * std::pow(u, 7)) / h;
    }
  }
};

struct Sample {
  double acceleration[3] = {}, potential = 0;
};

/// By id, for those of the particles `wanted` whose id is a multiple of `stride`.
std::map<std::uint64_t, Sample> written_out(const ParticleSet& all, const Lengths& length, const std::vector<SofteningBetween>& between,
                                            const std::string& kernel, const ParticleSet& wanted, std::uint64_t stride) {
  const std::set<std::uint64_t> ids(wanted.id.begin(), wanted.id.end());
  const auto length_of = [&](int a, int b) {
    for (const SofteningBetween& pair : between)
      if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.length;
    return std::max(length[static_cast<std::size_t>(a)], length[static_cast<std::size_t>(b)]);
  };
  std::map<std::uint64_t, Sample> sums;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.id[i] % stride != 0 || !ids.contains(all.id[i])) continue;
    Sample& sum = sums[all.id[i]];
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j == i) continue;
      double d[3], r2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = all.position[3 * j + k] - all.position[3 * i + k];
        r2 += d[k] * d[k];
      }
      const Pair pair(kernel, length_of(all.type[i], all.type[j]), std::sqrt(r2));
      for (std::size_t k = 0; k < 3; ++k) sum.acceleration[k] += all.mass[j] * pair.force_over_r * d[k];
      sum.potential -= all.mass[j] * pair.potential;
    }
  }
  return sums;
}

struct Errors {
  double median, p99, worst;
  double potential_p99;
};

class ComponentSoftening : public testing::TestWithParam<GravityParameters> {
 protected:
  /// Errors of forces with these lengths against the sums written out. The opening criteria know the accelerations.
  Errors errors(Lengths length, const std::vector<SofteningBetween>& between = {}) const {
    GravityParameters gravity = GetParam();
    gravity.softening = *std::max_element(length.begin(), length.end());
    gravity.softening_of_type = length;
    gravity.softening_between_types = between;
    const auto sim = simulation(gravity, comm_);
    sim->start(share_of(all_, comm_), 0);
    sim->compute_forces();
    const ParticleSet mine = sim->particles();
    std::vector<double> acceleration, potential;
    const auto exact = written_out(all_, length, between, gravity.softening_kernel, mine, stride);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const auto found = exact.find(mine.id[i]);
      if (found == exact.end()) continue;
      double difference2 = 0, norm2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        difference2 += std::pow(mine.acceleration[3 * i + k] - found->second.acceleration[k], 2);
        norm2 += std::pow(found->second.acceleration[k], 2);
      }
      acceleration.push_back(std::sqrt(difference2 / norm2));
      potential.push_back(std::abs(mine.potential[i] / found->second.potential - 1));
    }
    acceleration = comm_.all_gather_vectors<double>(acceleration);
    potential = comm_.all_gather_vectors<double>(potential);
    EXPECT_EQ(acceleration.size(), all_.size() / stride);
    std::sort(acceleration.begin(), acceleration.end());
    std::sort(potential.begin(), potential.end());
    return {acceleration[acceleration.size() / 2], acceleration[acceleration.size() * 99 / 100], acceleration.back(),
            potential[potential.size() * 99 / 100]};
  }

  bool is_direct() const { return GetParam().method == "direct"; }

  static constexpr std::uint64_t stride = 6;
  const Communicator comm_{MPI_COMM_WORLD};
  const ParticleSet all_ = disc_in_halo(is_direct() ? 1500 : 6000);
};

TEST_P(ComponentSoftening, HasTheErrorsOfOneSoftening) {
  const double halo = 0.1, disc = 0.02;
  const Errors two = errors({halo, halo, disc, disc, disc, disc});
  if (is_direct()) {
    EXPECT_LT(two.worst, 1e-12);
    return;
  }
  const Errors wide = errors(Lengths(particle_type_count, halo)), narrow = errors(Lengths(particle_type_count, disc));
  EXPECT_LT(two.median, 1.1 * std::max(wide.median, narrow.median));
  // At most 1.16, with tree and Wendland's kernel, in this sample of 1,000 particles; below 1 in larger systems.
  EXPECT_LT(two.p99, 1.2 * std::max(wide.p99, narrow.p99));
  // No criterion looks at the potential.
  EXPECT_LT(two.potential_p99, 1.25 * std::max(wide.potential_p99, narrow.potential_p99));
}

// Shorter than both, and longer where the two components have one length.
TEST_P(ComponentSoftening, OfAPairOfComponentsMayBeOneOfItsOwn) {
  const double halo = 0.1, disc = 0.05;
  const Lengths lengths{halo, halo, disc, disc, disc, disc}, alike(particle_type_count, disc);
  double of_one = 0;
  if (!is_direct())
    for (const double length : {0.01, 0.3}) of_one = std::max(of_one, errors(Lengths(particle_type_count, length)).p99);
  for (const auto& [of_type, between] : {std::pair(lengths, 0.01), std::pair(alike, 0.3)}) {
    const Errors found = errors(of_type, {{2, 1, between}});
    if (is_direct())
      EXPECT_LT(found.worst, 1e-12) << between;
    else
      EXPECT_LT(found.p99, 1.2 * of_one) << between;
  }
}

TEST_P(ComponentSoftening, OfThePairCountsTheLarger) {
  // With lengths this far apart every wrong choice shows.
  const Errors found = errors({0.5, 0.5, 0.001, 0.5, 0.5, 0.5});
  EXPECT_LT(found.p99, is_direct() ? 1e-12 : 0.02);
}

TEST_P(ComponentSoftening, OfEqualLengthsIsOneSoftening) {
  GravityParameters one = GetParam(), equal = GetParam();
  one.softening = equal.softening = 0.05;
  equal.softening_of_type = Lengths(particle_type_count, 0.05);
  const auto forces = [&](const GravityParameters& gravity) {
    const auto sim = simulation(gravity, comm_);
    sim->start(share_of(all_, comm_), 0);
    return sim->particles();
  };
  const ParticleSet a = forces(one), b = forces(equal);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.acceleration, b.acceleration);
  EXPECT_EQ(a.potential, b.potential);
}

INSTANTIATE_TEST_SUITE_P(Methods, ComponentSoftening,
                         testing::Values(GravityParameters{.method = "fmm"}, GravityParameters{.method = "fmm", .order = 5},
                                         GravityParameters{.method = "fmm", .softening_kernel = "wendland_c2"},
                                         GravityParameters{.method = "tree"}, GravityParameters{.method = "tree", .opening = "barnes"},
                                         GravityParameters{.method = "tree", .softening_kernel = "wendland_c2"},
                                         GravityParameters{.method = "direct"},
                                         GravityParameters{.method = "direct", .softening_kernel = "wendland_c2"}),
                         [](const auto& test) {
                           const GravityParameters& g = test.param;
                           return g.method + std::to_string(g.order) + "_" + g.opening + "_" + g.softening_kernel;
                         });

TEST(ComponentsOfATree, MayBeFewAndOnOneRankAlone) {
  // Ranks without a component, without any particle, groups of one: every share of a handful of particles.
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::uint64_t n : {1, 2, 5, 17, 40, 300})
    for (const std::string method : {"fmm", "tree", "direct"}) {
      SCOPED_TRACE(testing::Message() << n << " particles, " << method);
      ParticleSet all = plummer(n, 11);
      for (std::size_t i = 0; i < n; ++i) all.type[i] = static_cast<std::uint8_t>(i % 7 == 3 ? 2 : i % 5 == 1 ? 4 : 1);
      const Lengths length{0.1, 0.1, 0.02, 0.1, 0.5, 0.1};
      GravityParameters gravity{.method = method, .tolerance = 1e-4, .softening = 0.5, .softening_of_type = length};
      const auto sim = simulation(gravity, comm);
      sim->start(share_of(all, comm), 0);
      sim->compute_forces();
      const ParticleSet mine = sim->particles();
      const auto exact = written_out(all, length, {}, "plummer", all, 1);
      ASSERT_EQ(comm.sum(std::uint64_t{mine.size()}), n);
      double largest = 0;
      for (const auto& [id, sample] : exact)
        largest = std::max(largest, std::hypot(sample.acceleration[0], sample.acceleration[1], sample.acceleration[2]));
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const Sample& sample = exact.at(mine.id[i]);
        const double norm = std::hypot(sample.acceleration[0], sample.acceleration[1], sample.acceleration[2]);
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_NEAR(mine.acceleration[3 * i + k], sample.acceleration[k], 1e-2 * norm + 1e-6 * largest) << "id " << mine.id[i];
      }
    }
}

TEST(ComponentsOfATree, OfFewParticlesMeetFew) {
  // Some black holes all over a galaxy: one box around them would hold all of it, and each would meet every star one by one.
  const Communicator comm(MPI_COMM_WORLD);
  ParticleSet all = plummer(20000, 5);
  for (std::size_t i = 0; i < all.size(); ++i) all.type[i] = 1;
  struct Work {
    std::uint64_t particle_particle, imported;
  };
  const auto work = [&](const std::string& method, const Lengths& length) {
    GravityParameters gravity{.method = method, .softening = 0.05, .softening_of_type = length};
    const auto sim = simulation(gravity, comm);
    sim->start(share_of(all, comm), 0);
    sim->compute_forces();
    const WorkCounts counts = sim->work_counts();
    return Work{comm.sum(counts.particle_particle), comm.sum(counts.imported_particles)};
  };
  for (const std::string method : {"fmm", "tree"}) {
    SCOPED_TRACE(method);
    const Work one = work(method, {});
    for (std::size_t i = 0; i < all.size(); i += 1000) all.type[i] = 5;
    const Work two = work(method, {0.05, 0.05, 0.05, 0.05, 0.05, 0.001});
    for (std::size_t i = 0; i < all.size(); i += 1000) all.type[i] = 1;
    EXPECT_LT(two.particle_particle, 1.3 * static_cast<double>(one.particle_particle));
    EXPECT_LE(two.imported, 1.3 * static_cast<double>(one.imported));
  }
}

// On GPUs, trees of other ranks are walked together with the own one, or after it where messages are slow; on CPUs always together.
TEST(ComponentsOfATree, HaveTheSameForcesHoweverMessagesTravel) {
  const Communicator comm(MPI_COMM_WORLD);
  ParticleSet all = disc_in_halo(6000);
  for (const std::size_t i : {10, 2000, 5000}) all.type[i] = 5;
  const auto forces = [&](const std::string& method, TransportWay way) {
    const GravityParameters gravity{.method = method, .softening = 0.1, .softening_of_type = {0.1, 0.1, 0.02, 0.1, 0.1, 0.001}};
    const auto sim = make_simulation(test_device(), gravity, comm, {.transport = way});
    sim->start(share_of(all, comm), 0);
    sim->compute_forces();
    return collected(*sim, comm);
  };
  for (const std::string method : {"fmm", "tree"}) {
    const ParticleSet usual = forces(method, TransportWay::automatic);
    for (const TransportWay way : {TransportWay::shared, TransportWay::staged}) {
      SCOPED_TRACE(method + (way == TransportWay::staged ? ", staged" : ", shared"));
      const ParticleSet other = forces(method, way);
      ASSERT_EQ(other.id, usual.id);
      for (std::size_t i = 0; i < usual.size(); ++i) {
        const double *const a = &usual.acceleration[3 * i], *const b = &other.acceleration[3 * i];
        ASSERT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 1e-4 * std::hypot(a[0], a[1], a[2])) << "id " << usual.id[i];
        ASSERT_NEAR(other.potential[i] / usual.potential[i], 1, 1e-5) << "id " << usual.id[i];
      }
    }
  }
}

TEST(SofteningOfTypes, FollowsFromTheNamesOfComponents) {
  const GravityParameters gravity{.softening_of_component = {{"halo", 1.0}, {"disc", 0.4}}};
  const std::vector<std::uint64_t> count{0, 10, 20, 0, 0, 0};
  EXPECT_EQ(softening_of_types(gravity, usual_component_names(), count), (Lengths{0.4, 1.0, 0.4, 0.4, 0.4, 0.4}));
  EXPECT_EQ(softening_of_types({}, usual_component_names(), count), Lengths{});
}

TEST(SofteningOfTypes, NamesWhatIsMissingAndWhatIsUnknown) {
  const auto message = [](const std::map<std::string, double>& lengths) {
    try {
      softening_of_types({.softening_of_component = lengths}, usual_component_names(), {0, 10, 20, 0, 0, 0});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message({{"halo", 1.0}}).find("no length for disc: the particles have the components halo, disc"), std::string::npos);
  EXPECT_NE(message({{"halo", 1.0}, {"disc", 1.0}, {"disk", 1.0}}).find("no component called \"disk\"; the particles have halo, disc"),
            std::string::npos);
}

TEST(SofteningBetweenComponents, FollowsFromTheirNames) {
  const std::vector<std::uint64_t> count{0, 10, 20, 0, 0, 1};
  const auto types = [&](const std::map<std::string, double>& between) {
    return softening_between_types({.softening = 0.5, .softening_between = between}, usual_component_names(), count);
  };
  const auto found = types({{"disc , halo", 0.1}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].a, 2);
  EXPECT_EQ(found[0].b, 1);
  EXPECT_EQ(found[0].length, 0.1);
  EXPECT_EQ(softening_of_types({.softening = 0.5, .softening_between = {{"disc, halo", 0.1}}}, usual_component_names(), count),
            Lengths(count.size(), 0.5));
  // Types without particles are no classes of their own.
  const SofteningClasses classes = softening_classes({.softening_of_type = Lengths(count.size(), 0.5), .softening_between_types = found});
  EXPECT_EQ(classes.count(), 3);
  EXPECT_EQ(classes.of_pair(classes.of_type.of[1], classes.of_type.of[2]), 0.1);
  EXPECT_EQ(classes.of_pair(classes.of_type.of[5], classes.of_type.of[2]), 0.5);
  const auto message = [&](const std::map<std::string, double>& between) {
    try {
      types(between);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message({{"disc", 0.1}}).find("give two different components"), std::string::npos);
  EXPECT_NE(message({{"disc, disc", 0.1}}).find("give two different components"), std::string::npos);
  EXPECT_NE(message({{"disk, halo", 0.1}}).find("no component called \"disk\""), std::string::npos);
  EXPECT_NE(message({{"disc, halo", 0.1}, {"halo, disc", 0.1}}).find("stands twice"), std::string::npos);
}

// A length of its own with all others has an effect.
TEST(SofteningBetweenComponents, OfASingleParticleCounts) {
  GravityParameters gravity{.softening_of_type = {0.001, 1.0, 0.1, 0.001, 0.001, 0.001}};
  const auto notes = [&] { return notes_on_single_particles(gravity, usual_component_names(), {0, 10, 20, 0, 0, 1}); };
  EXPECT_EQ(notes().size(), 1U);
  gravity.softening_between_types = {{1, 5, 0.01}, {5, 2, 0.01}};
  EXPECT_EQ(notes(), std::vector<std::string>{});
}

// A pair has the larger of its two lengths.
TEST(SofteningOfTypes, OfASingleParticleHasNoEffectWhereItIsTheShortest) {
  const auto notes = [](const Lengths& of_type, const std::vector<std::uint64_t>& count) {
    return notes_on_single_particles({.softening_of_type = of_type}, usual_component_names(), count);
  };
  const Lengths lengths{0.001, 1.0, 0.1, 0.001, 0.001, 0.001};
  EXPECT_EQ(notes(lengths, {0, 10, 20, 0, 0, 2}), std::vector<std::string>{});
  EXPECT_EQ(notes(lengths, {0, 0, 0, 0, 0, 1}), std::vector<std::string>{}) << "a particle alone";
  EXPECT_EQ(notes({1, 1, 0.1, 1, 1, 2}, {0, 10, 20, 0, 0, 1}), std::vector<std::string>{}) << "the longest one";
  const std::vector<std::string> one = notes(lengths, {0, 10, 20, 0, 0, 1});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NE(one[0].find("= 0.001 has no effect"), std::string::npos) << one[0];
  EXPECT_NE(one[0].find("has 0.1 or more"), std::string::npos) << one[0];
}

TEST(SofteningOfTypes, MustBeAllAboveZeroOrNone) {
  EXPECT_THROW(GravityLaw({.softening = 0.1, .softening_of_type = {0.1, 0.0, 0.1}}), ConfigError);
  EXPECT_EQ(GravityLaw({.softening = 0.0, .softening_of_type = {0.0, 0.0}}).classes().count(), 1);
}

}  // namespace
}  // namespace grove::tests
