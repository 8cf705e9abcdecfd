// The frame of all ranks' particles, and the exchange that brings them to their domains. Every rank makes the same system and takes its
// share.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "decomposition/domain/particle_exchange.hpp"
#include "kernels/particles/rungs.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

class Domain : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();
  Particles<BackEnd> particles{space};
  ParticleExchange<BackEnd> exchange{space, comm, TransportWay::automatic};

  /// Takes the particles of `system` for which owner(i) is this rank; ids are indices.
  void take(const std::vector<Double4>& system, const std::function<std::size_t(std::size_t)>& owner) {
    tests::take_share(space, comm, system, particles, owner);
  }
  void take_evenly(const std::vector<Double4>& system) { tests::take_by_turns(space, comm, system, particles); }
  void set_work(const std::function<std::uint32_t(std::uint64_t)>& work_of_id) {
    std::vector<std::uint32_t> work;
    for (const std::uint64_t id : tests::download(space, particles.id)) work.push_back(work_of_id(id));
    copy_from_host<BackEnd, std::uint32_t>(space, work, particles.work.view());
  }
  Frame exchange_particles() {
    const Frame frame = find_frame(space, comm, particles);
    exchange.run(frame, particles);
    return frame;
  }

  /// All particles of `system` are there once, each with its own fields, and keys rise from rank to rank.
  void expect_a_partition_of(const std::vector<Double4>& system, const Frame& frame) {
    const auto position = tests::download(space, particles.position), acceleration = tests::download(space, particles.acceleration);
    const auto velocity = tests::download(space, particles.velocity);
    const auto id = tests::download(space, particles.id);
    const auto type = tests::download(space, particles.type);
    std::vector<std::uint64_t> key;
    std::vector<std::uint64_t> owners(system.size(), 0);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      ASSERT_LT(id[i], system.size());
      ++owners[id[i]];
      const tests::TestParticle r = tests::record_of(id[i], system[id[i]]);
      ASSERT_EQ(position[i].x, r.position.x);
      ASSERT_EQ(position[i].w, r.position.w);
      ASSERT_EQ(acceleration[i].z, r.acceleration.z);
      ASSERT_EQ(velocity[i].y, r.velocity.y);
      ASSERT_EQ(type[i], r.type);
      key.push_back(morton_key(r.position, frame.cube));
    }
    comm.sum(std::span<std::uint64_t>(owners));
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1U), static_cast<std::ptrdiff_t>(system.size()));

    struct Range {
      std::uint64_t low, high, count;
    };
    Range mine{0, 0, key.size()};
    if (!key.empty()) mine = {*std::min_element(key.begin(), key.end()), *std::max_element(key.begin(), key.end()), key.size()};
    std::uint64_t above = 0;
    bool any = false;
    for (const Range& r : comm.all_gather(mine)) {
      if (r.count == 0) continue;
      if (any) {
        EXPECT_GT(r.low, above);
      }
      above = r.high;
      any = true;
    }
  }

  /// Largest over mean of a sum over each rank's particles.
  double imbalance(double local) const { return comm.max(local) * comm.size() / comm.sum(local); }
  double local_work() {
    double sum = 0;
    for (const std::uint32_t w : tests::download(space, particles.work)) sum += w;
    return sum;
  }
};

using FrameTest = Domain;

TEST_F(FrameTest, KeepsTheCubeOnSeveralRanksAsLongAsItServes) {
  if (comm.size() == 1) GTEST_SKIP() << "there are no domain borders";
  const auto scaled = [](double factor) {
    auto system = tests::plummer_sphere(2000, 1);
    for (Double4& p : system) p = {factor * p.x, factor * p.y, factor * p.z, p.w};
    return system;
  };
  take_evenly(scaled(0.5));
  const Frame smaller = find_frame(space, comm, particles);
  take_evenly(scaled(1));
  const Frame first = find_frame(space, comm, particles, smaller);
  for (const double factor : {0.9, 0.99, 1.01, 1.05}) {
    take_evenly(scaled(factor));
    const Frame later = find_frame(space, comm, particles, first);
    EXPECT_EQ(later.cube.edge, first.cube.edge) << factor;
    EXPECT_EQ(later.cube.corner.x, first.cube.corner.x) << factor;
    EXPECT_EQ(later.scale.length, first.scale.length) << factor;
  }
  for (const double factor : {0.5, 1.2}) {
    take_evenly(scaled(factor));
    EXPECT_NE(find_frame(space, comm, particles, first).cube.edge, first.cube.edge) << factor;
  }
}

TEST_F(FrameTest, IsTheSameOnAllRanksAndHoldsAllParticles) {
  const auto system = tests::plummer_sphere(2000, 1);
  take(system, [this](std::size_t i) { return (i * i) % static_cast<std::size_t>(comm.size()); });
  const Frame frame = find_frame(space, comm, particles);
  for (const KeyCube& cube : comm.all_gather(frame.cube)) {
    EXPECT_EQ(cube.corner.x, frame.cube.corner.x);
    EXPECT_EQ(cube.edge, frame.cube.edge);
  }
  for (const TreeScale& scale : comm.all_gather(frame.scale)) {
    EXPECT_EQ(scale.length, frame.scale.length);
    EXPECT_EQ(scale.mass, frame.scale.mass);
  }
  double low = 1e300, high = -1e300;
  for (const Double4& p : system) {
    const Double3 d = position_of(p) - frame.cube.corner;
    low = std::min({low, d.x, d.y, d.z});
    high = std::max({high, d.x, d.y, d.z});
  }
  EXPECT_GE(low, 0);
  EXPECT_LT(high, frame.cube.edge);
  EXPECT_GT(high - low, 0.999 * frame.cube.edge) << "the cube is no larger than it must be";
}

TEST_F(FrameTest, KnowsWhetherAllParticlesHaveOneMass) {
  auto system = tests::plummer_sphere(500, 2);
  const auto common_mass = [&] {
    take(system, [this](std::size_t i) { return i < 450 ? 0 : static_cast<std::size_t>(comm.size() - 1); });
    return find_frame(space, comm, particles).common_mass;
  };
  EXPECT_EQ(common_mass(), system[0].w);
  system[470].w *= 1 + 1e-15;
  EXPECT_EQ(common_mass(), 0);
  for (Double4& p : system) p.w = 0;
  EXPECT_EQ(common_mass(), 0);
}

TEST_F(FrameTest, DoesNotDependOnHowParticlesAreDistributed) {
  const auto system = tests::plummer_sphere(500, 2);
  take_evenly(system);
  const Frame even = find_frame(space, comm, particles);
  take(system, [](std::size_t) { return 0; });
  const Frame one_rank = find_frame(space, comm, particles);
  EXPECT_EQ(even.cube.edge, one_rank.cube.edge);
  EXPECT_EQ(even.cube.corner.z, one_rank.cube.corner.z);
  EXPECT_EQ(even.scale.mass, one_rank.scale.mass);
}

TEST_F(FrameTest, ScalesArePowersOfTwoNearTheSystemsLengthAndMass) {
  for (const double length : {1e-25, 1.0, 3e21})
    for (const double mass : {1e-30, 1.0, 2e43}) {
      take_evenly(tests::in_units(tests::plummer_sphere(200, 3), length, mass));
      const Frame frame = find_frame(space, comm, particles);
      int exponent = 0;
      EXPECT_EQ(std::frexp(frame.scale.length, &exponent), 0.5);
      EXPECT_EQ(std::frexp(frame.scale.mass, &exponent), 0.5);
      EXPECT_NEAR(std::log2(frame.scale.length / frame.cube.edge), 0, 0.501);
      EXPECT_NEAR(std::log2(frame.scale.mass / mass), 0, 0.501);
    }
}

TEST_F(FrameTest, AFewOutliersDoNotTakeTheKeysFromTheRest) {
  for (const double distance : {1e4, 1e6, 1e9, 1e12, 1e15}) {
    auto system = tests::plummer_sphere(20000, 4);
    system[777] = {distance, -distance, 0, system[777].w};
    take_evenly(system);
    const Frame frame = find_frame(space, comm, particles);
    const double middle[3] = {-frame.cube.corner.x, -frame.cube.corner.y, -frame.cube.corner.z};
    std::vector<std::uint64_t> keys;
    for (const Double4& p : system) keys.push_back(morton_key(p, frame.cube));
    std::sort(keys.begin(), keys.end());
    const auto distinct = std::unique(keys.begin(), keys.end()) - keys.begin();
    EXPECT_GT(distinct, 10000) << "an outlier at " << distance << " leaves " << distinct << " keys to 20,000 particles; cube edge "
                               << frame.cube.edge;
    for (const double m : middle) EXPECT_TRUE(m > 0 && m < frame.cube.edge);
  }
}

TEST_F(FrameTest, ManyOutliersDoNotTakeTheKeysFromTheRestEither) {
  auto system = tests::plummer_sphere(20000, 4);
  for (std::size_t i = 0; i < 100; ++i) system[199 * i] = {1e9 + static_cast<double>(i), 1e12, -1e10, 1e-4};
  take_evenly(system);
  const Frame frame = find_frame(space, comm, particles);
  EXPECT_LT(frame.cube.edge, 3000);
}

// The keys of a tree that is reused are those of the middle of its steps.
TEST_F(FrameTest, HasTheOutliersThatThereWillBeAfterTheLead) {
  const auto system = tests::plummer_sphere(20000, 4);
  take_evenly(system);
  std::vector<Double3> velocity(particles.size());
  if (comm.rank() == 0) velocity[7] = {1e9, 0, 0};
  copy_from_host<BackEnd, Double3>(space, velocity, particles.velocity.view());
  EXPECT_FALSE(find_frame(space, comm, particles).has_outliers);
  const Frame frame = find_frame(space, comm, particles, {}, 0.5);
  EXPECT_TRUE(frame.has_outliers);
  EXPECT_EQ(frame.lead, 0.5);
  EXPECT_GT(frame.extent, 4e8);
  EXPECT_LT(frame.cube.edge, 3000);
}

TEST_F(FrameTest, HoldsACompanionFarAway) {
  auto system = tests::plummer_sphere(3000, 4);
  for (std::size_t i = 0; i < system.size(); i += 20) system[i].y += 1e6;
  take_evenly(system);
  EXPECT_GT(find_frame(space, comm, particles).cube.edge, 1e6);
}

// Medians are zero distance from themselves where most particles share a place.
TEST_F(FrameTest, HoldsTheFewThatAreNotAtOnePoint) {
  std::vector<Double4> system(2000, Double4{1, 2, 3, 1});
  system[500] = {5, 2, 3, 1};
  take_evenly(system);
  EXPECT_GE(find_frame(space, comm, particles).cube.edge, 4);
}

TEST_F(FrameTest, ExistsForNoParticlesOneParticleAndOnePoint) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{30}}) {
    const Double4 point{1e9, -3, 0, 0};
    take_evenly(std::vector<Double4>(n, point));
    const Frame frame = find_frame(space, comm, particles);
    EXPECT_GT(frame.cube.edge, 0);
    EXPECT_GT(frame.scale.length, 0);
    EXPECT_EQ(frame.scale.mass, 1);
    if (n == 0) continue;
    EXPECT_GT(point.x, frame.cube.corner.x);
    EXPECT_LT(point.x, frame.cube.corner.x + frame.cube.edge);
  }
}

TEST_F(Domain, ExchangeBringsEveryParticleToOneDomain) {
  for (const auto& [name, system] : tests::hard_systems()) {
    SCOPED_TRACE(name);
    take_evenly(system);
    expect_a_partition_of(system, exchange_particles());
  }
}

TEST_F(Domain, ExchangeStartsFromAnyDistribution) {
  const auto system = tests::plummer_sphere(1500, 5);
  const auto size = static_cast<std::size_t>(comm.size());
  const std::vector<std::function<std::size_t(std::size_t)>> owners{[](std::size_t) { return 0; }, [=](std::size_t) { return size - 1; },
                                                                    [=](std::size_t i) { return std::min(size - 1, i / 700); }};
  for (const auto& owner : owners) {
    take(system, owner);
    expect_a_partition_of(system, exchange_particles());
    expect_a_partition_of(system, exchange_particles());
    EXPECT_LT(imbalance(static_cast<double>(particles.size())), 1.1);
  }
}

TEST_F(Domain, ExchangeBalancesWorkAndNotNumbers) {
  if (comm.size() == 1) GTEST_SKIP() << "one rank has all the work";
  const auto system = tests::plummer_sphere(8000, 6);
  const auto work = [&](std::uint64_t id) { return system[id].x > 0.3 ? 4000U : 1000U; };
  take_evenly(system);
  set_work(work);
  expect_a_partition_of(system, exchange_particles());
  // Every particle counts for its work and half the mean work: the balance of work alone is less than perfect.
  EXPECT_LT(imbalance(local_work()), 1.3);
  EXPECT_GT(imbalance(static_cast<double>(particles.size())), 1.05);
  const auto id = tests::download(space, particles.id);
  const auto travelled = tests::download(space, particles.work);
  for (std::size_t i = 0; i < id.size(); ++i) ASSERT_EQ(travelled[i], work(id[i]));
}

TEST_F(Domain, ExchangeBalancesTheWorkOverABaseStep) {
  if (comm.size() == 1) GTEST_SKIP() << "one rank has all the work";
  const auto system = tests::plummer_sphere(8000, 6);
  Particles<BackEnd> stepped(space, fields_with({rung_row()}));
  tests::take_by_turns(space, comm, system, stepped);
  const auto rung_of = [&](std::uint64_t id) { return static_cast<std::uint8_t>(system[id].x > 0.3 ? 2 : 0); };
  std::vector<std::uint8_t> rungs;
  for (const std::uint64_t id : tests::download(space, stepped.id)) rungs.push_back(rung_of(id));
  copy_from_host<BackEnd, std::uint8_t>(space, rungs, View<std::uint8_t>{rungs_of(stepped), stepped.size()});
  copy_from_host<BackEnd, std::uint32_t>(space, std::vector<std::uint32_t>(stepped.size(), 1000), stepped.work.view());
  exchange.run(find_frame(space, comm, stepped), stepped);
  double work = 0;
  for (const std::uint64_t id : tests::download(space, stepped.id)) work += 1000 << rung_of(id);
  EXPECT_LT(imbalance(work), 1.3);
  EXPECT_GT(imbalance(static_cast<double>(stepped.size())), 1.05);
}

TEST_F(Domain, NoRankGetsMoreThanThreeTimesTheMeanNumber) {
  auto system = tests::plummer_sphere(8000, 7);
  // All the work is that of a few particles at the beginning of the curve.
  for (std::size_t i = 0; i < 20; ++i) system[i] = {-30 + 0.1 * static_cast<double>(i), -30, -30, 1e-4};
  take_evenly(system);
  set_work([](std::uint64_t id) { return id < 20 ? 4000000U : 0U; });
  expect_a_partition_of(system, exchange_particles());
  EXPECT_LT(imbalance(static_cast<double>(particles.size())), 3.2);
}

TEST_F(Domain, ExchangeWorksWithFewerParticlesThanRanksAndWithNone) {
  for (std::size_t n = 0; n < 4; ++n) {
    const auto system = tests::plummer_sphere(n, 8);
    take(system, [this](std::size_t) { return static_cast<std::size_t>(comm.size() - 1); });
    expect_a_partition_of(system, exchange_particles());
  }
}

TEST_F(Domain, ExchangeOfParticlesAtOnePointPutsThemOnOneRank) {
  const std::vector<Double4> system(1000, Double4{1, 2, 3, 4});
  take_evenly(system);
  expect_a_partition_of(system, exchange_particles());
  EXPECT_TRUE(particles.size() == 0 || particles.size() == 1000);
}

TEST_F(Domain, ManyLeaveInRounds) {
  // More than a rank sends in one round.
  std::vector<Double4> system;
  for (int i = 0; i < 1500000; ++i) system.push_back({0.1 * (i % 113), 0.1 * (i / 113 % 127), 0.1 * (i / 14351), 1});
  take(system, [](std::size_t) { return 0; });
  expect_a_partition_of(system, exchange_particles());
  EXPECT_LT(imbalance(static_cast<double>(particles.size())), 1.1);
}

TEST_F(Domain, ParticlesThatStayAreNotMovedAndDomainsStayWhereTheyAre) {
  const auto system = tests::plummer_sphere(3000, 9);
  take_evenly(system);
  const Frame frame = exchange_particles();
  const auto before = tests::download(space, particles.id);
  particles.has_acceleration = true;
  exchange.run(frame, particles);
  EXPECT_EQ(tests::download(space, particles.id), before);
}

TEST_F(Domain, DomainsAreCutAnewWhenWorkHasBecomeUneven) {
  if (comm.size() == 1) GTEST_SKIP() << "one rank has all the work";
  const auto system = tests::plummer_sphere(8000, 6);
  take_evenly(system);
  exchange_particles();
  const auto exchange_again = [&](std::uint32_t more_work) {
    set_work([&](std::uint64_t id) { return system[id].x > 0.3 ? 1000 + more_work : 1000U; });
    const std::size_t held = particles.size();
    const Frame now = find_frame(space, comm, particles);
    particles.has_acceleration = true;
    exchange.run(now, particles);
    expect_a_partition_of(system, now);
    return comm.max(particles.size() != held ? 1 : 0) == 1;
  };
  EXPECT_TRUE(exchange_again(9000));
  const double even = imbalance(local_work());
  EXPECT_LT(even, 1.35);
  EXPECT_FALSE(exchange_again(9000)) << "nothing has changed";
  EXPECT_FALSE(exchange_again(9040)) << "a cut would cost more than it gains";
  EXPECT_TRUE(exchange_again(200));
}

TEST_F(Domain, ANewCubeLeavesNoRankWithoutParticles) {
  auto system = tests::plummer_sphere(6000, 6);
  take_evenly(system);
  const Frame first = exchange_particles();
  // The outermost particle leaves the cube, which then lies elsewhere, and all keys change.
  const auto far = std::max_element(system.begin(), system.end(), [](const Double4& a, const Double4& b) { return a.x < b.x; });
  far->x *= 3;
  std::vector<Double4> moved;
  for (const std::uint64_t id : tests::download(space, particles.id)) moved.push_back(system[id]);
  copy_from_host<BackEnd, Double4>(space, moved, particles.position.view());
  const Frame later = find_frame(space, comm, particles, first);
  EXPECT_NE(later.cube.edge, first.cube.edge);
  particles.has_acceleration = true;
  exchange.run(later, particles);
  EXPECT_LT(imbalance(static_cast<double>(particles.size())), 1.1);
}

TEST_F(Domain, RanksBecomeEmptyAndFillAgain) {
  const auto system = tests::plummer_sphere(2000, 3);
  const auto size = static_cast<std::uint64_t>(comm.size());
  take_evenly(system);
  exchange_particles();
  for (std::uint64_t round = 0; round < 2 * size; ++round) {
    // All work is that of a single particle in turn: most ranks lose nearly all of theirs.
    set_work([&](std::uint64_t id) { return id == round ? 4000000000U : 0U; });
    expect_a_partition_of(system, exchange_particles());
  }
}

TEST_F(Domain, ExchangeGivesTheSameDomainsTwice) {
  const auto system = tests::plummer_sphere(3000, 9);
  std::vector<std::uint64_t> first;
  for (int round = 0; round < 2; ++round) {
    take_evenly(system);
    exchange_particles();
    const auto id = tests::download(space, particles.id);
    if (round == 1) {
      EXPECT_EQ(id, first);
    }
    first = id;
  }
}

}  // namespace
}  // namespace grove
