// The walk of fmm, against direct summation. Its targets: fmm_targets_test.cpp.
#include "kernels/walks/fmm_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/tree/active_targets.hpp"
#include "tests/support/built_tree.hpp"
#include "tests/support/force_comparison.hpp"

namespace grove {
namespace {

using tests::BuiltTree;
using tests::plummer_sphere;

class FmmWalkTest : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  GravityParameters gravity;
  FmmTargets<BackEnd> targets{space};
  FmmWalk<BackEnd> fmm{space};
  GroupWork work;               ///< of all groups of the last walk
  std::uint64_t cell_cell = 0;  ///< of the last walk, groups and target cells

  bool takes_harmonic_terms = false;  ///< the next walks do, also where the law takes all terms for any cells

  bool knows_common_mass = false;  ///< the next walks do, if all particles have the same mass

  ScaledLaw law_for(const BuiltTree& own) const {
    const GravityLaw law(gravity);
    ScaledLaw scaled =
        law.of_pair(0, 0, own.frame.scale, {law.expansion_form().order, law.expansion_form().harmonic || takes_harmonic_terms});
    if (knows_common_mass) scaled.common_mass = static_cast<float>(own.frame.common_mass / own.frame.scale.mass);
    return scaled;
  }
  /// Accelerations and potentials by id. `active` [particles]: not 0 for the targets; null: all are.
  std::vector<Double4> walk(const BuiltTree& own, const std::vector<const BuiltTree*>& others = {},
                            View<const std::uint8_t> tree_level = {}, const std::uint8_t* active = nullptr) {
    if (tree_level.empty())
      own.find_targets(space, targets);
    else
      targets.build(space, own.tree, tree_level, own.particles.work.view());
    Buffer<BackEnd, GroupWork> group_work(space);
    group_work.resize_discard(targets.view().group_count);
    StepBuffer<BackEnd, float> group_least_acceleration(space);
    tests::find_least_in_groups(space, targets.group_start(), own.last_acceleration.view(), group_least_acceleration);
    ActiveTargetLists<BackEnd> lists(space);
    if (active) lists.find(space, targets.group_start(), active);
    const FmmWalkTargets to{own.view(),
                            own.tree.least_acceleration.data(),
                            own.particles.position.view(),
                            group_least_acceleration.view(),
                            own.particles.acceleration.view(),
                            group_work.view(),
                            active ? lists.with_cells(space, targets, lists.all()) : ActiveTargets{}};
    fmm.begin(space, targets.view().cell_count, !active);
    fmm.walk(space, law_for(own), own.view(), targets, to, WalkMode::own_tree);
    for (const BuiltTree* other : others) fmm.walk(space, law_for(own), other->view(), targets, to, WalkMode::other_tree);
    sum_work(group_work);
    const auto acceleration = tests::download(space, own.particles.acceleration);
    const auto id = tests::download(space, own.particles.id);
    std::vector<Double4> by_id(id.size());
    for (std::size_t i = 0; i < id.size(); ++i) by_id[id[i]] = acceleration[i];
    return by_id;
  }
  std::vector<Double4> walk(const std::vector<Double4>& particles) {
    BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
    if (GravityLaw(gravity).needs_acceleration()) built.set_last_acceleration(space, gravity.G, direct(particles));
    return walk(built);
  }
  /// Sets theta, and a tolerance that gives criteria of relative error about the same accuracy.
  void set_accuracy(double theta) {
    gravity.theta = theta;
    gravity.tolerance = 0.004 * std::pow(theta, 4);
  }
  std::vector<Double4> direct(const std::vector<Double4>& particles) { return tests::reference_forces(space, gravity, particles); }
  tests::ForceErrors errors(const std::vector<Double4>& particles) { return {walk(particles), direct(particles)}; }

 private:
  void sum_work(const Buffer<BackEnd, GroupWork>& group_work) {
    work = {};
    for (const GroupWork& w : tests::download(space, group_work))
      work = {work.particle_particle + w.particle_particle, work.cell_particle + w.cell_particle, work.opening_tests + w.opening_tests,
              work.cell_cell + w.cell_cell};
    cell_cell = work.cell_cell;
    for (const GroupWork& w : tests::download<GroupWork>(space, fmm.cell_work())) cell_cell += w.cell_cell;
  }
};

TEST_F(FmmWalkTest, WithTinyToleranceIsDirectSummationUnderEveryCriterion) {
  for (const std::string& opening : opening_names()) {
    SCOPED_TRACE(opening);
    gravity.opening = opening;
    gravity.order = gravity.order == 4 ? 5 : 4;
    set_accuracy(1e-3);
    const tests::ForceErrors e = errors(plummer_sphere(2000, 1));
    EXPECT_LT(e.acceleration(1), 1e-5);
    EXPECT_LT(e.potential(1), 5e-6);
  }
}

// A walk that is short of memory begins again, and calls `meanwhile` once more.
TEST_F(FmmWalkTest, ForAllHasItsMemoryAlsoAfterOneForSome) {
  gravity.softening = 0.001;
  const auto particles = plummer_sphere(200000, 5);
  BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
  std::vector<Double4> last(particles.size(), Double4{1, 0, 0, -1});
  built.set_last_acceleration(space, gravity.G, last);
  walk(built);
  std::vector<std::uint8_t> mark(particles.size(), 0);
  std::fill_n(mark.begin(), 40, std::uint8_t{1});
  const auto some = tests::upload(space, mark);
  ActiveTargetLists<BackEnd> lists(space);
  lists.find(space, targets.group_start(), some.data());
  Buffer<BackEnd, GroupWork> group_work(space);
  group_work.resize_discard(targets.view().group_count);
  StepBuffer<BackEnd, float> least(space);
  tests::find_least_in_groups(space, targets.group_start(), built.last_acceleration.view(), least);
  int calls = 0;
  for (const std::uint8_t* active : std::initializer_list<const std::uint8_t*>{nullptr, some.data(), some.data(), nullptr}) {
    calls = 0;
    fmm.begin(space, targets.view().cell_count, !active);
    fmm.walk(
        space, law_for(built), built.view(), targets,
        {built.view(), built.tree.least_acceleration.data(), built.particles.position.view(), least.view(),
         built.particles.acceleration.view(), group_work.view(), active ? lists.with_cells(space, targets, lists.all()) : ActiveTargets{}},
        WalkMode::own_tree, [&] { ++calls; });
  }
  EXPECT_EQ(calls, 1);
}

// With few active targets in a group, lanes of a GPU share the sources.
TEST_F(FmmWalkTest, ForSomeTargetsHasTheForcesOfAWalkForAll) {
  const auto particles = plummer_sphere(5000, 5), others = plummer_sphere(1000, 6);
  for (const double softening : {0.0, 0.01}) {
    gravity.softening = softening;
    const ExpansionForm form = GravityLaw(gravity).expansion_form();
    BuiltTree built(space, particles, nullptr, form);
    built.set_last_acceleration(space, gravity.G, direct(particles));
    const BuiltTree other(space, others, &built.frame, form);
    const auto all = walk(built, {&other});
    const auto ids = tests::download(space, built.particles.id);
    // Of 1: all, among them groups with few targets.
    for (const std::size_t stride : {1, 2, 3, 9, 200, 5000}) {
      SCOPED_TRACE(std::to_string(stride));
      std::vector<std::uint8_t> mark(particles.size(), 0);
      for (std::size_t i = stride / 2; i < mark.size(); i += stride) mark[i] = 1;
      const auto active = tests::upload(space, mark);
      const Double4 untouched{1, 2, 3, 4};
      const auto before = tests::upload(space, std::vector<Double4>(particles.size(), untouched));
      space.copy(built.particles.acceleration.data(), before.data(), particles.size() * sizeof(Double4));
      const auto some = walk(built, {&other}, {}, active.data());
      double largest = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const Double4 &a = some[ids[i]], &b = mark[i] != 0 ? all[ids[i]] : untouched;
        const double size = std::sqrt(b.x * b.x + b.y * b.y + b.z * b.z);
        largest = std::max({largest, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) / size, std::abs(a.w - b.w) / std::abs(b.w)});
      }
      EXPECT_LT(largest, 2e-5);
    }
  }
}

// On a GPU, so many active groups that single warps walk for them.
TEST_F(FmmWalkTest, ForManyOfTheTargetsHasTheForcesOfAWalkForAll) {
  const auto particles = plummer_sphere(BackEnd::on_gpu ? 600000 : 20000, 5);
  gravity.softening = 0.01;
  gravity.opening = "geometric";
  gravity.theta = 0.7;
  BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
  const auto all = walk(built);
  const auto ids = tests::download(space, built.particles.id);
  std::vector<std::uint8_t> mark(particles.size(), 0);
  for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = i % 3 != 0 ? 1 : 0;
  const auto active = tests::upload(space, mark);
  const auto some = walk(built, {}, {}, active.data());
  double largest = 0, mean = 0;
  for (const Double4& a : all) mean += std::hypot(a.x, a.y, a.z) / static_cast<double>(all.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (mark[i] == 0) continue;
    const Double4 &a = some[ids[i]], &b = all[ids[i]];
    largest = std::max({largest, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) / (std::hypot(b.x, b.y, b.z) + 0.01 * mean),
                        std::abs(a.w - b.w) / std::abs(b.w)});
  }
  EXPECT_LE(largest, BackEnd::on_gpu ? 1e-4 : 0);
}

TEST_F(FmmWalkTest, DividedGroupsHaveTheirForces) {
  gravity.softening = 0.001;
  const auto particles = plummer_sphere(20000, 3);
  const auto reference = direct(particles);
  BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
  built.set_last_acceleration(space, gravity.G, reference);
  const tests::ForceErrors whole(walk(built), reference);
  const std::uint32_t usual = targets.view().group_count;
  // Parts of leaves, parts of one particle, and parts that reach over several leaves.
  std::vector<std::uint8_t> marks = tests::download(space, built.levels_for_fmm(space));
  for (std::size_t i = 0; i < marks.size(); i += i < 4000 ? 1 : i < 12000 ? 5 : 13) marks[i] |= division_bit;
  const auto tree_level = tests::upload(space, marks);
  const tests::ForceErrors parts(walk(built, {}, tree_level.view()), reference);
  EXPECT_GT(targets.view().group_count, usual + 5000);
  // The box around many targets makes all but the nearest of them more exact than they must be: parts have less of that.
  EXPECT_LT(parts.acceleration(0.5), 2.5 * whole.acceleration(0.5));
  EXPECT_LT(parts.acceleration(0.99), 1.6 * whole.acceleration(0.99));
  EXPECT_LT(parts.potential(0.99), 2 * whole.potential(0.99));
  // No source is omitted or taken twice.
  gravity.tolerance = 1e-8;
  const tests::ForceErrors exact(walk(built, {}, tree_level.view()), reference);
  EXPECT_LT(exact.acceleration(1), 1e-5);
  EXPECT_LT(exact.potential(1), 5e-6);
}

// With so many, single warps of a GPU walk for groups: they sum the forces of particles in units of that mass, and round otherwise. Others
// take no notice of it.
TEST_F(FmmWalkTest, WithOneMassOfAllParticlesHasTheSameForces) {
  const auto particles = plummer_sphere(BackEnd::on_gpu ? 300000 : 30000, 6);
  for (const std::uint64_t order : {4, 5})
    for (const double softening : {0.0, 0.01}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", softening " + std::to_string(softening));
      gravity.order = order;
      gravity.softening = softening;
      BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
      EXPECT_EQ(built.frame.common_mass, particles[0].w);
      built.set_last_acceleration(space, gravity.G, std::vector<Double4>(particles.size(), Double4{0.1, 0.2, 0.1, 0}));
      const auto usual = walk(built, {&built});
      knows_common_mass = true;
      const auto with_one_mass = walk(built, {&built});
      knows_common_mass = false;
      std::size_t same = 0;
      for (std::size_t i = 0; i < usual.size(); ++i) same += usual[i].w == with_one_mass[i].w ? 1 : 0;
      if (BackEnd::on_gpu)
        EXPECT_LT(same, usual.size() / 100 * 99) << "the walk took no notice";  // 94.8 to 96.5 % on an H100
      else
        EXPECT_EQ(same, usual.size());
      const tests::ForceErrors difference(with_one_mass, usual);
      EXPECT_LT(difference.acceleration(1), 2e-5);
      EXPECT_LT(difference.potential(1), 2e-6);
    }
}

// Close pairs of one mass, whose forces fit into FP32 as those of other masses do.
TEST_F(FmmWalkTest, WithOneMassOfAllParticlesBearsTheClosestPairs) {
  auto particles = plummer_sphere(300000, 7);
  gravity.tolerance = 1e-2;
  const double apart = 1e-21 * BuiltTree(space, particles).frame.scale.length;
  particles[77] = {0, 0, 0, particles[0].w};
  particles[250000] = {apart, 0, 0, particles[0].w};
  BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
  built.set_last_acceleration(space, gravity.G, std::vector<Double4>(particles.size(), Double4{0.1, 0.2, 0.1, 0}));
  knows_common_mass = true;
  const auto found = walk(built);
  const double force = particles[0].w / apart / apart;
  EXPECT_NEAR(found[77].x / force, 1, 1e-6);
  EXPECT_NEAR(found[250000].x / force, -1, 1e-6);
}

/// The side of the cells of a level below which there is one cell of a hundred, or less.
double side_of_cells(const BuiltTree& built) {
  const LevelOffsets& offset = built.tree.level_offset;
  int level = 0;
  while (100 * (offset.back() - offset[level + 1]) > offset.back()) ++level;
  return std::ldexp(built.frame.cube.edge, -level);
}

TEST_F(FmmWalkTest, HarmonicExpansionsHaveTheErrorsOfAllTermsWhereSofteningIsSmall) {
  const auto particles = plummer_sphere(12000, 4);
  for (const int order : {4, 5}) {
    SCOPED_TRACE(order);
    gravity.order = static_cast<std::uint64_t>(order);
    gravity.tolerance = order == 4 ? 1e-3 : 1.2e-4;
    BuiltTree all(space, particles, nullptr, {order, false}), harmonic(space, particles, nullptr, {order, true});
    struct Found {
      double median, most;
      std::uint64_t pairs;
    };
    const auto with = [&](BuiltTree& built, const std::vector<Double4>& reference) {
      built.set_last_acceleration(space, gravity.G, reference);
      takes_harmonic_terms = built.tree.form.harmonic;
      const tests::ForceErrors e(walk(built), reference);
      return Found{e.acceleration(0.5), e.acceleration(0.99), work.particle_particle};
    };
    gravity.softening = side_of_cells(all) / 14;
    ASSERT_TRUE(GravityLaw(gravity).form_for_cells(side_of_cells(all) * 1.001).harmonic);
    const auto reference = direct(particles);
    const Found of_all = with(all, reference), of_harmonic = with(harmonic, reference);
    EXPECT_LT(of_harmonic.median, 1.02 * of_all.median);
    EXPECT_LT(of_harmonic.most, 1.05 * of_all.most);
    EXPECT_LT(of_harmonic.pairs, of_all.pairs + of_all.pairs / 20);
    // Not where it is as large as these cells.
    gravity.softening *= 14;
    const auto softer = direct(particles);
    const Found soft_all = with(all, softer), soft_harmonic = with(harmonic, softer);
    EXPECT_GT(soft_harmonic.pairs, soft_all.pairs + soft_all.pairs / 20);
    EXPECT_GT(soft_harmonic.median, 1.05 * soft_all.median);
  }
}

TEST_F(FmmWalkTest, ErrorsFallWithTheToleranceUnderEveryCriterion) {
  const auto particles = plummer_sphere(6000, 2);
  for (const std::string& opening : opening_names()) {
    gravity.opening = opening;
    double last = 1;
    std::uint32_t last_pairs = 0;
    for (const double theta : {0.8, 0.6, 0.4}) {
      SCOPED_TRACE(opening + ", theta " + std::to_string(theta));
      set_accuracy(theta);
      const double error = errors(particles).acceleration(0.99);
      EXPECT_LT(error, 0.6 * last);
      EXPECT_GT(work.particle_particle, last_pairs);
      EXPECT_GT(cell_cell, 0u);
      last = error;
      last_pairs = work.particle_particle;
    }
    EXPECT_LT(last, 1.2e-3);
  }
}

// Cells that act on each target do so by their quadrupole at either order. Here they are few and far, and the errors are those of
// expansions.
TEST_F(FmmWalkTest, AHigherOrderHasSmallerErrorsForTheSameCells) {
  const auto particles = plummer_sphere(6000, 2);
  gravity.opening = AngleOpening::minimal_distance;
  gravity.theta = 0.7;
  const double fourth = errors(particles).acceleration(0.9);
  const std::uint64_t pairs = cell_cell;
  gravity.order = 5;
  EXPECT_LT(errors(particles).acceleration(0.9), 0.75 * fourth);
  EXPECT_EQ(cell_cell, pairs);
  gravity.order = 3;
  EXPECT_THROW(GravityLaw{gravity}, ConfigError);
}

TEST_F(FmmWalkTest, EveryCriterionWorksWithEverySofteningAndG) {
  const auto particles = plummer_sphere(3000, 3);
  set_accuracy(0.5);
  gravity.G = 43007.1;
  tests::for_every_law(gravity, {0.0, 0.01, 0.3}, [&] {
    const tests::ForceErrors e = errors(particles);
    EXPECT_LT(e.acceleration(0.99), 6e-3);
    EXPECT_LT(e.potential(0.99), 1e-3);
    EXPECT_GT(cell_cell, 0u);
  });
}

TEST_F(FmmWalkTest, OfHardSystemsIsDirectSummation) {
  for (const auto& [name, particles] : tests::hard_systems())
    for (const std::string& opening : opening_names())
      for (const double theta : {1e-3, 0.35}) {
        SCOPED_TRACE(name + ", " + opening + ", theta " + std::to_string(theta));
        gravity.opening = opening;
        set_accuracy(theta);
        const tests::ForceErrors e = errors(particles);
        EXPECT_LT(e.acceleration(0.99), theta < 0.1 ? 2e-4 : 5e-3);
        EXPECT_LT(e.potential(0.99), theta < 0.1 ? 2e-5 : 1e-3);
        EXPECT_TRUE(e.all_finite());
      }
}

TEST_F(FmmWalkTest, OfATreeInTwoPartsIsTheWalkOfTheWhole) {
  const auto particles = plummer_sphere(3000, 4);
  const BuiltTree whole(space, particles);
  std::vector<Double4> parts[2];
  for (std::size_t i = 0; i < particles.size(); ++i) parts[i % 3 == 0].push_back(particles[i]);
  for (const std::string& opening : opening_names())
    for (const double softening : {0.0, 0.1})
      for (const double theta : {1e-3, 0.5}) {
        SCOPED_TRACE(opening + ", softening " + std::to_string(softening) + ", theta " + std::to_string(theta));
        gravity.opening = opening;
        gravity.softening = softening;
        set_accuracy(theta);
        BuiltTree first(space, parts[0], &whole.frame, GravityLaw(gravity).expansion_form()),
            second(space, parts[1], &whole.frame, GravityLaw(gravity).expansion_form());
        const auto exact = direct(particles);
        std::vector<Double4> exact_parts[2], joined;
        for (std::size_t i = 0; i < particles.size(); ++i) exact_parts[i % 3 == 0].push_back(exact[i]);
        first.set_last_acceleration(space, gravity.G, exact_parts[0]);
        second.set_last_acceleration(space, gravity.G, exact_parts[1]);
        const auto of_first = walk(first, {&second}), of_second = walk(second, {&first});
        std::size_t next[2] = {0, 0};
        for (std::size_t i = 0; i < particles.size(); ++i) joined.push_back(i % 3 == 0 ? of_second[next[1]++] : of_first[next[0]++]);
        const tests::ForceErrors e(joined, exact);
        EXPECT_LT(e.acceleration(0.99), theta < 0.1 ? 5e-6 : 6e-3);
        EXPECT_LT(e.potential(1), theta < 0.1 ? 5e-6 : 3e-3);
      }
}

TEST_F(FmmWalkTest, RefusesTreesWhoseMultipolesHaveOtherTerms) {
  const auto particles = plummer_sphere(500, 9);
  gravity.opening = AngleOpening::geometric;
  gravity.softening = 0.1;
  EXPECT_NO_THROW(walk(BuiltTree(space, particles, nullptr, {4, false})));
  // The last has as many floats a cell.
  for (const ExpansionForm form : {ExpansionForm{2, false}, {5, false}, {4, true}, {5, true}})
    EXPECT_THROW(walk(BuiltTree(space, particles, nullptr, form)), std::logic_error);
}

TEST_F(FmmWalkTest, OfALargeOtherTreeIsTheSameWhetherListsHadToGrowOrNot) {
  // All is opened: the lists have all cells of the other tree, many more than those of the own one.
  const auto all = plummer_sphere(22000, 8);
  const BuiltTree whole(space, all);
  BuiltTree own(space, {all.begin(), all.begin() + 2000}, &whole.frame, GravityLaw(gravity).expansion_form());
  const BuiltTree other(space, {all.begin() + 2000, all.end()}, &whole.frame, GravityLaw(gravity).expansion_form());
  gravity.opening = "barnes";
  set_accuracy(1e-3);
  const auto grown = walk(own, {&other});
  const GroupWork work_grown = work;
  const std::uint64_t cell_cell_grown = cell_cell;
  const auto again = walk(own, {&other});
  EXPECT_TRUE(tests::same_bits(grown, again));
  EXPECT_EQ(work_grown.particle_particle, work.particle_particle);
  EXPECT_EQ(work_grown.opening_tests, work.opening_tests);
  EXPECT_EQ(cell_cell_grown, cell_cell);
  EXPECT_LT(tests::errors_of_every(4, space, gravity, all, grown).acceleration(0.99), 5e-6);
}

TEST_F(FmmWalkTest, GivesTheSameBitsTwice) {
  gravity.softening = 0.01;
  const auto particles = plummer_sphere(5000, 6);
  for (const std::string& opening : opening_names()) {
    gravity.opening = opening;
    const auto once = walk(particles), again = walk(particles);
    EXPECT_TRUE(tests::same_bits(once, again)) << opening;
  }
}

TEST_F(FmmWalkTest, OfManyTargetsIsRightAndHasTheSameBitsTwice) {
  // On a GPU, so many target cells that single warps walk for them. By an angle, lists have to grow at first. On a CPU a walk of any size
  // is like those above.
  const auto particles = plummer_sphere(BackEnd::on_gpu ? 1000000 : 60000, 9);
  gravity.opening = "geometric";
  gravity.theta = 0.6;
  BuiltTree built(space, particles, nullptr, GravityLaw(gravity).expansion_form());
  const auto once = walk(built), again = walk(built);
  EXPECT_TRUE(tests::same_bits(once, again));
  const tests::ForceErrors errors = tests::errors_of_every(particles.size() / 400, space, gravity, particles, once);
  EXPECT_LT(errors.acceleration(0.99), 2e-3);
  EXPECT_LT(errors.potential(0.99), 2e-4);
}

TEST_F(FmmWalkTest, LeavesOutTheTargetItselfInALeafOfSeveralGroups) {
  // A leaf without extent has any number of particles, and is a source of each of its groups.
  const std::vector<Double4> particles(100, Double4{1, 2, 3, 0.01});
  gravity.softening = 0.1;
  for (const std::string& opening : opening_names()) {
    gravity.opening = opening;
    for (const Double4& force : walk(particles)) EXPECT_NEAR(force.w, -0.99 / 0.1, 1e-5) << opening;
  }
}

TEST_F(FmmWalkTest, LeavesOutTheTargetItselfSoftenedOrNot) {
  for (const std::string& kernel : softening_names())
    for (const double softening : {0.0, 0.1}) {
      gravity.softening_kernel = kernel;
      gravity.softening = softening;
      const Double4 alone = walk({{3, 4, 5, 2}})[0];
      EXPECT_EQ(alone.w, 0) << kernel << softening;
      EXPECT_EQ(alone.x, 0);
      const auto pair = walk({{1, 0, 0, 2}, {3, 0, 0, 3}});
      const auto exact = direct({{1, 0, 0, 2}, {3, 0, 0, 3}});
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(pair[i].w, exact[i].w, 1e-6) << kernel << softening;
        EXPECT_NEAR(pair[i].x, exact[i].x, 1e-6);
      }
    }
}

}  // namespace
}  // namespace grove
