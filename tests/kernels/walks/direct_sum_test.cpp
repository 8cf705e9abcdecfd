// Direct summation, against a plain double loop over pairs.
#include <gtest/gtest.h>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "kernels/walks/direct_sum_on_few.hpp"
#include "tests/support/force_comparison.hpp"
#include "tests/support/particle_systems.hpp"
#include "tests/support/physics_reference.hpp"

namespace grove {
namespace {

class DirectSum : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  GravityParameters gravity;

  std::vector<Double4> sum(const std::vector<Double4>& sources, const std::vector<std::uint64_t>& source_ids,
                           const std::vector<Double4>& targets, const std::vector<std::uint64_t>& target_ids,
                           const std::vector<Double4>& before) {
    const auto source = tests::upload(space, sources), target = tests::upload(space, targets);
    const auto source_id = tests::upload(space, source_ids), target_id = tests::upload(space, target_ids);
    auto acceleration = tests::upload(space, before);
    add_direct_sum<BackEnd>(space, GravityLaw(gravity), {source.view(), source_id.view()},
                            {target.view(), target_id.view(), acceleration.view()});
    return tests::download(space, acceleration);
  }

  static std::vector<std::uint64_t> ids(std::size_t n, std::uint64_t first) {
    std::vector<std::uint64_t> result(n);
    std::iota(result.begin(), result.end(), first);
    return result;
  }

  /// Force on the target, written out.
  Double4 expected(const Double4& t, std::uint64_t id, const std::vector<Double4>& sources,
                   const std::vector<std::uint64_t>& source_ids) const {
    Double4 a;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      if (source_ids[j] == id) continue;
      const Double3 d = position_of(sources[j]) - position_of(t);
      const double r = std::sqrt(dot(d, d)), m = gravity.G * sources[j].w;
      const auto [f, p] = tests::attraction(gravity, r);
      a = {a.x + m * f * d.x, a.y + m * f * d.y, a.z + m * f * d.z, a.w - m * p};
    }
    return a;
  }
};

TEST_F(DirectSum, IsThePlainSumOverPairsWithEverySoftening) {
  auto sources = tests::plummer_sphere(300, 1);
  sources[7] = sources[8];
  sources[9].w = 0;
  const auto id = ids(sources.size(), 10);
  gravity.G = 4.5;
  for (const std::string& kernel : softening_names())
    for (const double softening : {0.0, 0.05, 1.0}) {
      gravity.softening_kernel = kernel;
      gravity.softening = softening;
      const auto forces = sum(sources, id, sources, id, std::vector<Double4>(sources.size()));
      std::vector<Double4> plain;
      for (std::size_t i = 0; i < sources.size(); ++i) plain.push_back(expected(sources[i], id[i], sources, id));
      const tests::ForceErrors e(forces, plain);
      EXPECT_LT(e.acceleration(1), 1e-12) << kernel << " " << softening;
      EXPECT_LT(e.potential(1), 1e-13) << kernel << " " << softening;
    }
}

// Sources are summed in tiles: numbers around their length, with few targets and with none.
TEST_F(DirectSum, TakesAnyNumberOfSourcesAndTargets) {
  const auto particles = tests::plummer_sphere(8200, 2);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{8200}})
    for (const std::size_t targets : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
      const std::vector<Double4> sources(particles.begin(), particles.begin() + static_cast<std::ptrdiff_t>(n));
      const std::vector<Double4> at(particles.end() - static_cast<std::ptrdiff_t>(targets), particles.end());
      const auto source_ids = ids(n, 0), target_ids = ids(targets, 8200 - targets);
      const auto forces = sum(sources, source_ids, at, target_ids, std::vector<Double4>(targets));
      for (std::size_t i = 0; i < targets; ++i) {
        const Double4 exact = expected(at[i], target_ids[i], sources, source_ids);
        ASSERT_NEAR(forces[i].x, exact.x, 1e-12) << n;
        ASSERT_NEAR(forces[i].w, exact.w, 1e-12) << n;
      }
    }
}

// So many targets that tiles are taken one after the other.
TEST_F(DirectSum, TakesTilesInTurnWhereTargetsAreMany) {
  const auto sources = tests::plummer_sphere(4100, 5);
  std::vector<Double4> targets(132000, Double4{5, 5, 5, 0});
  targets.front() = {0.5, 0, 0, 0};
  targets.back() = {0, 1, 0, 0};
  const auto source_ids = ids(sources.size(), 0), target_ids = ids(targets.size(), 10000);
  const auto forces = sum(sources, source_ids, targets, target_ids, std::vector<Double4>(targets.size()));
  for (const std::size_t i : {std::size_t{0}, std::size_t{70000}, targets.size() - 1}) {
    const Double4 exact = expected(targets[i], target_ids[i], sources, source_ids);
    EXPECT_NEAR(forces[i].x, exact.x, 1e-12) << i;
    EXPECT_NEAR(forces[i].w, exact.w, 1e-12) << i;
  }
}

// Two components. The second has two particles, of which the last lies on the first source.
TEST_F(DirectSum, OnFewTargetsAgreesWithTheSumForMany) {
  auto sources = tests::plummer_sphere(5000, 6);
  sources[4999] = sources[0];
  std::vector<std::uint8_t> types(sources.size(), 1);
  types[4998] = types[4999] = 2;
  gravity.G = 4.5;
  gravity.softening = 0.1;
  gravity.softening_of_type = {0.1, 0.1, 0.02, 0.1, 0.1, 0.1};
  gravity.softening_between_types = {{1, 2, 0.01}};
  const GravityLaw law(gravity);
  const auto position = tests::upload(space, sources);
  const auto id = tests::upload(space, ids(sources.size(), 10));
  const auto type = tests::upload(space, types);
  auto added = tests::upload(space, std::vector<Double4>(2)), set = tests::upload(space, std::vector<Double4>(2, Double4{1, 2, 3, 4}));
  const DirectSources all{position.view(), id.view(), type.view()};
  const auto last = [&](Buffer<BackEnd, Double4>& out) -> DirectTargets {
    return {all.position.part(4998, 2), all.id.part(4998, 2), out.view(), all.type.part(4998, 2)};
  };
  add_direct_sum<BackEnd>(space, law, all, last(added));
  const auto second_alone = tests::upload(space, std::vector<std::uint8_t>{0, 1});
  direct_sum_on_few<BackEnd>(space, law, all, last(set), second_alone.data());
  const auto forces = tests::download(space, added), of_second = tests::download(space, set);
  EXPECT_TRUE(tests::same_bits({of_second[0]}, {Double4{1, 2, 3, 4}})) << "the first is not active";
  EXPECT_NEAR(of_second[1].x, forces[1].x, 1e-12 * std::abs(forces[1].x));
  direct_sum_on_few<BackEnd>(space, law, all, last(set), nullptr);
  const tests::ForceErrors e(tests::download(space, set), forces);
  EXPECT_LT(e.acceleration(1), 1e-12);
  EXPECT_LT(e.potential(1), 1e-13);
}

TEST_F(DirectSum, AddsToWhatIsThere) {
  const std::vector<Double4> pair{{0, 0, 0, 2}, {2, 0, 0, 3}};
  const auto forces = sum(pair, {1, 2}, pair, {1, 2}, {{10, 20, 30, 40}, {0, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(forces[0].x, 10.75);
  EXPECT_DOUBLE_EQ(forces[0].y, 20);
  EXPECT_DOUBLE_EQ(forces[0].w, 38.5);
  EXPECT_DOUBLE_EQ(forces[1].x, -0.5);
}

TEST_F(DirectSum, LeavesOutTheTargetsOwnIdAndNoOther) {
  gravity.softening = 0.5;
  const std::vector<Double4> here(2, Double4{1, 1, 1, 3});
  const auto forces = sum(here, {5, 6}, here, {5, 7}, std::vector<Double4>(2));
  EXPECT_DOUBLE_EQ(forces[0].w, -6);
  EXPECT_DOUBLE_EQ(forces[1].w, -12);
}

TEST_F(DirectSum, ObeysNewtonsThirdLaw) {
  auto particles = tests::plummer_sphere(5000, 3);
  for (std::size_t i = 0; i < particles.size(); ++i) particles[i].w *= static_cast<double>(1 + i % 7);
  for (const double softening : {0.0, 0.02}) {
    gravity.softening = softening;
    Double3 net{};
    double gross = 0;
    const auto forces = tests::direct_forces(space, gravity, particles);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      net = net + particles[i].w * position_of(forces[i]);
      gross += particles[i].w * std::sqrt(dot(position_of(forces[i]), position_of(forces[i])));
    }
    EXPECT_LT(std::sqrt(dot(net, net)), 1e-14 * gross);
  }
}

TEST_F(DirectSum, GivesTheSameBitsTwice) {
  const auto particles = tests::plummer_sphere(5000, 4);
  EXPECT_TRUE(tests::same_bits(tests::direct_forces(space, gravity, particles), tests::direct_forces(space, gravity, particles)));
}

}  // namespace
}  // namespace grove
