// The group walk, against direct summation.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/gravity/gravity_names.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "tests/support/built_tree.hpp"
#include "tests/support/force_comparison.hpp"

namespace grove {
namespace {

using tests::BuiltTree;
using tests::plummer_sphere;

class Walk : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  GravityParameters gravity{.method = "tree", .opening = "barnes"};
  GroupWork work;                    ///< of all groups of the last walk
  std::vector<GroupWork> work_done;  ///< by each group

  /// Accelerations and potentials by id.
  std::vector<Double4> walk(const BuiltTree& targets, const std::vector<const BuiltTree*>& others = {}, const ActiveTargets& active = {}) {
    const std::size_t n = targets.particles.size();
    Buffer<BackEnd, GroupWork> group_work(space);
    group_work.resize_discard(targets.group_start.size());
    space.fill_bytes(group_work.data(), 0, group_work.size() * sizeof(GroupWork));
    const WalkTargets to{targets.particles.position.view(),
                         targets.group_least_acceleration.view(),
                         targets.group_start.view(),
                         targets.particles.acceleration.view(),
                         group_work.view(),
                         active};
    walk_tree(space, GravityLaw(gravity).at(targets.frame.scale), targets.view(), to, WalkMode::own_tree);
    for (const BuiltTree* other : others)
      walk_tree(space, GravityLaw(gravity).at(targets.frame.scale), other->view(), to, WalkMode::other_tree);
    work = {};
    work_done = tests::download<GroupWork>(space, group_work.view().part(0, to.group_count()));
    for (const GroupWork& w : work_done)
      work = {work.particle_particle + w.particle_particle, work.cell_particle + w.cell_particle, work.opening_tests + w.opening_tests,
              work.cell_cell + w.cell_cell};
    EXPECT_EQ(work.cell_cell, 0u) << "no local expansions in the group walk";
    const auto acceleration = tests::download(space, targets.particles.acceleration);
    const auto id = tests::download(space, targets.particles.id);
    std::vector<Double4> by_id(n);
    for (std::size_t i = 0; i < n; ++i) by_id[id[i]] = acceleration[i];
    return by_id;
  }
  std::vector<Double4> walk(const std::vector<Double4>& particles) {
    BuiltTree built(space, particles);
    if (GravityLaw(gravity).needs_acceleration()) built.set_last_acceleration(space, gravity.G, direct(particles));
    return walk(built);
  }
  std::vector<Double4> direct(const std::vector<Double4>& particles) { return tests::reference_forces(space, gravity, particles); }
  tests::ForceErrors errors(const std::vector<Double4>& particles) { return {walk(particles), direct(particles)}; }
};

TEST_F(Walk, WithATinyThetaIsDirectSummation) {
  gravity.theta = 1e-3;
  const tests::ForceErrors e = errors(plummer_sphere(2000, 1));
  EXPECT_LT(e.acceleration(1), 1e-5);
  EXPECT_LT(e.acceleration(0.5), 1e-6);
  EXPECT_LT(e.potential(1), 5e-6);
}

// Added up one by one, so many terms would lose digits: the median error would be 2e-6.
TEST_F(Walk, LosesNoDigitsOverManySources) {
  gravity.theta = 1e-3;
  const auto particles = plummer_sphere(32768, 8);
  const tests::ForceErrors e = tests::errors_of_every(16, space, gravity, particles, walk(particles));
  EXPECT_LT(e.acceleration(0.5), 1e-6);
  EXPECT_LT(e.acceleration(0.99), 2e-6);
  EXPECT_LT(e.potential(0.5), 1e-6);
  EXPECT_LT(e.potential(0.99), 2e-6);
}

TEST_F(Walk, ErrorsFallWithThetaUnderEveryCriterion) {
  const auto particles = plummer_sphere(4000, 2);
  for (const std::string& opening : opening_names()) {
    SCOPED_TRACE(opening);
    gravity.opening = opening;
    double last = 1;
    std::uint32_t last_pairs = 0;
    for (const double theta : {1.0, 0.7, 0.5, 0.3}) {
      tests::set_accuracy(gravity, theta);
      const double error = errors(particles).acceleration(0.99);
      EXPECT_LT(error, 0.6 * last) << "theta " << theta;
      EXPECT_GT(work.particle_particle, last_pairs) << "theta " << theta;
      EXPECT_GT(work.cell_particle, 0u);
      last = error;
      last_pairs = work.particle_particle;
    }
    EXPECT_LT(last, 1e-3);
  }
}

TEST_F(Walk, EveryCriterionWorksWithEverySofteningAndG) {
  const auto particles = plummer_sphere(2000, 3);
  tests::set_accuracy(gravity, 0.5);
  gravity.G = 43007.1;
  tests::for_every_law(gravity, {0.0, 0.01, 0.3}, [&] {
    const tests::ForceErrors e = errors(particles);
    EXPECT_LT(e.acceleration(0.99), 6e-3);
    EXPECT_LT(e.potential(0.99), 1e-3);
    EXPECT_GT(work.cell_particle, 0u);
  });
}

TEST_F(Walk, OfHardSystemsIsDirectSummation) {
  for (const auto& [name, particles] : tests::hard_systems())
    for (const double theta : {1e-3, 0.5}) {
      SCOPED_TRACE(name + ", theta " + std::to_string(theta));
      gravity.theta = theta;
      const tests::ForceErrors e = errors(particles);
      EXPECT_LT(e.acceleration(0.99), theta < 0.1 ? 2e-4 : 5e-3);
      // Neighbours on a line are the closest, beside the size of their group, of which FP32 offsets keep 2^-24.
      const double rounding = name == "a line" ? 4e-5 : 2e-5;
      EXPECT_LT(e.potential(0.99), theta < 0.1 ? rounding : 1e-3);
      EXPECT_TRUE(e.all_finite());
    }
}

TEST_F(Walk, LeavesOutTheTargetItselfSoftenedOrNot) {
  for (const std::string& kernel : softening_names())
    for (const double softening : {0.0, 0.1}) {
      gravity.softening_kernel = kernel;
      gravity.softening = softening;
      const Double4 alone = walk({{3, 4, 5, 2}})[0];
      EXPECT_EQ(alone.w, 0) << kernel << softening;
      EXPECT_EQ(alone.x, 0);
      const auto pair = walk({{1, 0, 0, 2}, {3, 0, 0, 3}});
      const auto exact = direct({{1, 0, 0, 2}, {3, 0, 0, 3}});
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(pair[i].w, exact[i].w, 1e-6) << kernel << softening;
        EXPECT_NEAR(pair[i].x, exact[i].x, 1e-6);
      }
    }
}

TEST_F(Walk, ACoincidentPairAttractsNoneOfTheTwoButDeepensThePotential) {
  const std::vector<Double4> pair(2, Double4{1, 2, 3, 0.5});
  EXPECT_EQ(walk(pair)[0].w, 0);
  gravity.softening = 0.25;
  for (const std::string& kernel : softening_names()) {
    gravity.softening_kernel = kernel;
    for (const Double4& a : walk(pair)) {
      EXPECT_NEAR(a.w, -0.5 / 0.25, 1e-6) << kernel;
      EXPECT_EQ(a.x, 0);
      EXPECT_EQ(a.y, 0);
      EXPECT_EQ(a.z, 0);
    }
  }
}

TEST_F(Walk, OfATreeInTwoPartsIsTheWalkOfTheWhole) {
  const auto particles = plummer_sphere(3000, 4);
  const BuiltTree whole(space, particles);
  std::vector<Double4> parts[2];
  for (std::size_t i = 0; i < particles.size(); ++i) parts[i % 3 == 0].push_back(particles[i]);
  const BuiltTree first(space, parts[0], &whole.frame), second(space, parts[1], &whole.frame);
  for (const double softening : {0.0, 0.1})
    for (const double theta : {1e-3, 0.5}) {
      gravity.softening = softening;
      gravity.theta = theta;
      const auto exact = direct(particles);
      std::vector<Double4> joined;
      const auto of_first = walk(first, {&second}), of_second = walk(second, {&first});
      std::size_t next[2] = {0, 0};
      for (std::size_t i = 0; i < particles.size(); ++i) joined.push_back(i % 3 == 0 ? of_second[next[1]++] : of_first[next[0]++]);
      const tests::ForceErrors e(joined, exact);
      EXPECT_LT(e.acceleration(0.99), theta < 0.1 ? 5e-6 : 6e-3);
      EXPECT_LT(e.potential(1), theta < 0.1 ? 5e-6 : 3e-3);
    }
}

TEST_F(Walk, CountsEveryPairOnce) {
  gravity.theta = 1e-3;
  const auto particles = plummer_sphere(1000, 5);
  const BuiltTree built(space, particles);
  walk(built);
  const auto groups = static_cast<std::uint32_t>(built.group_start.size() - 1);
  // A particle that is alone in its leaf has no size: it acts as a cell.
  EXPECT_EQ(work.particle_particle + work.cell_particle, 1000 * groups);
  EXPECT_EQ(work.opening_tests, built.tree.cell_count() * groups);
  walk(built, {&built});
  EXPECT_EQ(work.particle_particle + work.cell_particle, 2000 * groups);
}

// Where forces cancel, a group meets nearly all particles one by one.
TEST_F(Walk, OfAGroupThatMeetsAllParticlesIsRight) {
  gravity.opening = "relative";
  const auto particles = plummer_sphere(8000, 9);
  const auto exact = direct(particles);
  BuiltTree built(space, particles);
  auto last = exact;
  last[7] = {1e-12, 0, 0, 0};
  built.set_last_acceleration(space, gravity.G, last);
  const tests::ForceErrors e(walk(built), exact);
  EXPECT_LT(e.acceleration(0.99), 6e-3);
  const auto met = [](const GroupWork& w) { return w.particle_particle + w.cell_particle; };
  std::uint32_t most = 0;
  for (const GroupWork& w : work_done) most = std::max(most, met(w));
  EXPECT_EQ(most, 8000u);
  EXPECT_LT(met(work), 8000u * work_done.size() / 3) << "the other groups meet far fewer";
  EXPECT_LT(std::abs(walk(built)[7].w / exact[7].w - 1), 1e-6);
}

// On a GPU, teams of warps walk for few groups, and single warps for many.
TEST_F(Walk, OfFewGroupsMeetsTheSourcesThatItMeetsAmongMany) {
  const std::size_t n = 20000;
  gravity.theta = 0.4;
  const auto particles = plummer_sphere(n, 10);
  BuiltTree built(space, particles);
  std::vector<std::uint32_t> starts(n + 1);
  std::iota(starts.begin(), starts.end(), 0U);  // each particle is a group
  built.group_start.resize_discard(starts.size());
  copy_from_host<BackEnd, std::uint32_t>(space, starts, built.group_start.view());
  tests::find_least_in_groups(space, built.group_start.view(), built.last_acceleration.view(), built.group_least_acceleration);

  const auto among_many = walk(built);
  const auto work_among_many = work_done;
  const tests::ForceErrors e(among_many, direct(particles));
  EXPECT_LT(e.acceleration(0.99), 5e-3);

  std::vector<std::uint8_t> is_active(n);
  for (std::size_t i = 0; i < n; i += 50) is_active[i] = 1;
  const auto active = tests::upload(space, is_active);
  ActiveTargetLists<BackEnd> lists(space);
  lists.find(space, built.group_start.view(), active.data());
  const auto alone = walk(built, {}, lists.all());
  for (std::size_t g = 0; g < n; g += 50) {
    ASSERT_EQ(work_done[g].particle_particle, work_among_many[g].particle_particle) << g;
    ASSERT_EQ(work_done[g].cell_particle, work_among_many[g].cell_particle) << g;
    ASSERT_EQ(work_done[g].opening_tests, work_among_many[g].opening_tests) << g;
  }
  EXPECT_LT(tests::ForceErrors(alone, among_many).acceleration(1), 2e-6);
}

TEST_F(Walk, GivesTheSameBitsTwice) {
  gravity.softening = 0.01;
  const auto particles = plummer_sphere(5000, 6);
  const auto once = walk(particles), again = walk(particles);
  EXPECT_TRUE(tests::same_bits(once, again));
}

TEST_F(Walk, GivesTheSameBitsInUnitsThatDifferByPowersOfTwo) {
  const auto particles = plummer_sphere(1500, 7);
  const double length = std::exp2(70), mass = std::exp2(143), G = std::exp2(-24);
  gravity.softening = 0.0625;
  const auto natural = walk(particles);
  gravity.softening *= length;
  gravity.G = G;
  auto other = walk(tests::in_units(particles, length, mass));
  const double potential = G * mass / length, acceleration = potential / length;
  for (Double4& a : other) a = {a.x / acceleration, a.y / acceleration, a.z / acceleration, a.w / potential};
  EXPECT_TRUE(tests::same_bits(natural, other));
}

// Neighbours in different octants of the root, each alone in its leaf at the edge of a small group: the nearest cells that can be accepted.
TEST_F(Walk, BearsNeighboursOnEitherSideOfACellBoundary) {
  for (const double softening : {0.0, 1e-10})
    for (double distance = 1e-3; distance > 1e-16; distance /= 10) {
      SCOPED_TRACE("distance 10^" + std::to_string(std::log10(distance)) + ", softening " + std::to_string(softening));
      gravity.softening = softening;
      std::mt19937_64 random(5);
      std::uniform_real_distribution<double> near(1.0e-3, 1.9e-3), far(0.9, 1);
      std::vector<Double4> particles;
      for (const double s : {-1.0, 1.0}) {
        for (int i = 0; i < 50; ++i) particles.push_back({s * near(random), s * near(random), s * near(random), 1e-3});
        for (int i = 0; i < 70; ++i) particles.push_back({s * far(random), s * far(random), s * far(random), 1e-3});
        particles.push_back({s, s, s, 1e-3});  // the centre of the cube is at the origin
        particles.push_back({s * distance / 2, s * distance / 2, s * distance / 2, 1e-3});
      }
      const tests::ForceErrors e = errors(particles);
      EXPECT_TRUE(e.all_finite());
      // Offsets from the centre of a group of size 2e-3 are FP32. What is nearer than their rounding can be told apart without softening
      // alone, and need not with a softening that is larger.
      EXPECT_LT(e.acceleration(1), softening == 0 ? 0.01 : 0.01 + 1e-9 / distance);
    }
}

TEST_F(Walk, OfPairsAtAnyDistanceIsRightUntilForcesLeaveTheRangeOfSinglePrecision) {
  for (double distance = 1e-2; distance > 1e-24; distance /= 10) {
    SCOPED_TRACE("distance 10^" + std::to_string(std::log10(distance)));
    const tests::ForceErrors e = errors({{-1, -1, -1, 1}, {1, 1, 1, 1}, {-distance / 2, 0, 0, 1}, {distance / 2, 0, 0, 1}});
    if (distance > 1e-18)
      EXPECT_LT(e.acceleration(1), 1e-5);
    else
      EXPECT_TRUE(!e.all_finite() || e.acceleration(1) < 1e-5);
  }
}

}  // namespace
}  // namespace grove
