// The walks on the CPU by any number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "tests/support/built_tree.hpp"
#include "tests/support/force_comparison.hpp"

namespace grove {
namespace {

using tests::BuiltTree;

/// The method's name.
class WalkThreads : public ::testing::TestWithParam<const char*> {
 protected:
  BackEnd space = tests::make_space();
  GravityParameters gravity{.method = GetParam(), .opening = "relative", .softening = 0.001};

  ~WalkThreads() override { omp_set_num_threads(threads_before_); }

  bool is_tree() const { return gravity.method == "tree"; }
  ExpansionForm form() const { return is_tree() ? WalkTerms::form : GravityLaw(gravity).expansion_form(); }

  /// Accelerations and potentials, in the order of the tree, by so many threads.
  std::vector<Double4> walk(const BuiltTree& built, int threads) {
    omp_set_num_threads(threads);
    is_tree() ? walk_groups(built) : walk_cells(built);
    return tests::download(space, built.particles.acceleration);
  }

 private:
  void walk_groups(const BuiltTree& built) {
    Buffer<BackEnd, GroupWork> work(space);
    work.resize_discard(built.group_start.size());
    walk_tree(space, GravityLaw(gravity).at(built.frame.scale), built.view(),
              {built.particles.position.view(), built.group_least_acceleration.view(), built.group_start.view(),
               built.particles.acceleration.view(), work.view()},
              WalkMode::own_tree);
  }
  void walk_cells(const BuiltTree& built) {
    FmmTargets<BackEnd> targets(space);
    FmmWalk<BackEnd> fmm(space);
    Buffer<BackEnd, GroupWork> work(space);
    StepBuffer<BackEnd, float> least(space);
    built.find_targets(space, targets);
    tests::find_least_in_groups(space, targets.group_start(), built.last_acceleration.view(), least);
    work.resize_discard(targets.view().group_count);
    fmm.begin(space, targets.view().cell_count);
    fmm.walk(space, GravityLaw(gravity).at(built.frame.scale), built.view(), targets,
             {built.view(),
              built.tree.least_acceleration.data(),
              built.particles.position.view(),
              least.view(),
              built.particles.acceleration.view(),
              work.view(),
              {}},
             WalkMode::own_tree);
  }

 private:
  const int threads_before_ = omp_get_max_threads();
};

/// A black hole of 1e9 times the mass of all others in a sphere, most of whose particles are far out, and one target whose last
/// acceleration nearly vanished: its group meets all particles.
struct SystemWithOneLongGroup {
  std::vector<Double4> particles = tests::plummer_sphere(6000, 1);
  std::vector<Double4> exact;

  SystemWithOneLongGroup(BackEnd& space, const GravityParameters& gravity) {
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const double far = std::exp2(static_cast<double>(i % 16));
      particles[i] = {far * particles[i].x, far * particles[i].y, far * particles[i].z, particles[i].w};
    }
    particles[0] = {0, 0, 0, 1e9 * particles[0].w};
    exact = tests::reference_forces(space, gravity, particles);
  }
  std::vector<Double4> last() const {
    auto last = exact;
    last[1] = {1e-20, 0, 0, 0};
    return last;
  }
};

TEST_P(WalkThreads, GiveTheSameBitsInAnyNumberAndEveryTime) {
  const SystemWithOneLongGroup system(space, gravity);
  BuiltTree built(space, system.particles, nullptr, form());
  built.set_last_acceleration(space, gravity.G, system.last());
  const auto by_one = walk(built, 1);
  for (const int threads : {2, 3, 8})
    for (int time = 0; time < 3; ++time)
      EXPECT_TRUE(tests::same_bits(walk(built, threads), by_one)) << threads << " threads, time " << time;
}

TEST_P(WalkThreads, AreRightForASystemWithOneLongGroup) {
  const SystemWithOneLongGroup system(space, gravity);
  BuiltTree built(space, system.particles, nullptr, form());
  built.set_last_acceleration(space, gravity.G, system.last());
  const auto sorted = walk(built, 8);
  std::vector<Double4> by_id(sorted.size());
  const auto id = tests::download(space, built.particles.id);
  for (std::size_t i = 0; i < sorted.size(); ++i) by_id[id[i]] = sorted[i];
  const tests::ForceErrors e(by_id, system.exact);
  EXPECT_LT(e.acceleration(0.99), 6e-3);
  const Double4 a = by_id[1], b = system.exact[1];
  EXPECT_LT(std::hypot(a.x - b.x, a.y - b.y, a.z - b.z), 1e-5 * std::hypot(b.x, b.y, b.z));
}

INSTANTIATE_TEST_SUITE_P(Methods, WalkThreads, ::testing::Values("tree", "fmm"));

}  // namespace
}  // namespace grove
