// The sum of all pairs in FP32, against that in FP64.
#include "kernels/walks/direct_sum_fp32.hpp"

#include <gtest/gtest.h>

#include "tests/support/force_comparison.hpp"
#include "tests/support/particle_systems.hpp"

namespace grove {
namespace {

class OfPairs : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  GravityParameters gravity{.G = 4.5};

  /// `before`: what the forces of particles that are not active must keep.
  std::vector<Double4> sum(const std::vector<Double4>& particles, const std::vector<std::uint8_t>& active = {},
                           const std::vector<Double4>& before = {}) {
    space.arena().begin_step();
    double largest = 0, mass = 0;
    Double3 centre;
    for (const Double4& p : particles) {
      centre = centre + (1.0 / static_cast<double>(particles.size())) * position_of(p);
      mass += p.w;
    }
    for (const Double4& p : particles) {
      const Double3 d = position_of(p) - centre;
      largest = std::max({largest, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    }
    const GravityLaw law(gravity);
    const auto position = tests::upload(space, particles);
    const auto is_active = tests::upload(space, active);
    auto acceleration = tests::upload(space, before.empty() ? std::vector<Double4>(particles.size()) : before);
    DirectSumFp32<BackEnd> pairs(space);
    pairs.run(space, law.at(law.fitting(TreeScale::near(2 * largest, mass))), centre, position.view(),
              active.empty() ? nullptr : is_active.data(), acceleration.view());
    return tests::download(space, acceleration);
  }

  /// `limit`: of the largest error of an acceleration. One FP32 number places a source that is not close.
  void expect_right(const std::vector<Double4>& particles, double limit) {
    const tests::ForceErrors e(sum(particles), tests::reference_forces(space, gravity, particles));
    EXPECT_TRUE(e.all_finite());
    EXPECT_LT(e.acceleration(1), limit);
    EXPECT_LT(e.potential(1), 1e-6);
  }
};

TEST_F(OfPairs, IsThatOfFp64WithEverySoftening) {
  for (const std::string& kernel : softening_names())
    for (const double softening : {0.0, 0.001, 0.05, 1.0}) {
      SCOPED_TRACE(kernel + " " + std::to_string(softening));
      gravity.softening_kernel = kernel;
      gravity.softening = softening;
      expect_right(tests::plummer_sphere(2000, 1), softening == 1 ? 1e-6 : softening == 0.05 ? 5e-6 : 1e-5);
    }
}

// Sources come in blocks and slices: numbers around their lengths, and none at all.
TEST_F(OfPairs, TakesAnyNumberOfParticles) {
  EXPECT_TRUE(sum({}).empty());
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1025, 4099}) {
    SCOPED_TRACE(n);
    expect_right(tests::plummer_sphere(n, 3), n <= 32 ? 1e-6 : n <= 257 ? 5e-6 : 1e-5);
  }
}

// Two FP32 numbers tell them no longer apart.
TEST_F(OfPairs, AreRightHoweverCloseTheyAre) {
  for (const double distance : {1e-6, 1e-9, 1e-11, 1e-13, 0.0}) {
    SCOPED_TRACE(distance);
    auto particles = tests::plummer_sphere(500, 4);
    // Exact in FP64, so that the distance is that of the positions.
    particles[100] = {0.5, 0.25, 0.125, particles[100].w};
    particles[400] = {0.5, 0.25, 0.125 + distance, particles[400].w};
    gravity.softening = 0;
    expect_right(particles, 3e-6);
    gravity.softening = 1e-9;
    expect_right(particles, 3e-6);
  }
}

TEST_F(OfPairs, AreRightFarFromTheOriginAndWithAnOutlier) {
  auto particles = tests::plummer_sphere(1000, 5);
  for (Double4& p : particles) p.x += 1e4;
  expect_right(particles, 3e-6);
  particles = tests::plummer_sphere(1000, 5);
  particles[3].x = 1e9;
  expect_right(particles, 3e-6);
}

TEST_F(OfPairs, ActOnActiveParticlesAlone) {
  const auto particles = tests::plummer_sphere(300, 6);
  std::vector<std::uint8_t> active(particles.size());
  for (std::size_t i = 0; i < active.size(); ++i) active[i] = i % 3 == 0 ? 1 : 0;
  const std::vector<Double4> before(particles.size(), Double4{1, 2, 3, 4});
  const auto all = sum(particles), some = sum(particles, active, before);
  for (std::size_t i = 0; i < particles.size(); ++i) EXPECT_TRUE(tests::same_bits({some[i]}, {active[i] != 0 ? all[i] : before[i]})) << i;
}

TEST_F(OfPairs, HaveTheSameBitsEveryTime) {
  const auto particles = tests::plummer_sphere(3000, 7);
  const auto first = sum(particles);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(tests::same_bits(sum(particles), first));
}

}  // namespace
}  // namespace grove
