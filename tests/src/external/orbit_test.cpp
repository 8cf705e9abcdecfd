// Paths of potentials that move: splines through tables, and points that move freely in the other potentials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/external/free_orbits.hpp"

namespace grove::tests {
namespace {

TEST(Orbit, IsASplineOfFourthOrder) {
  const auto place = [](double t) { return Double3{std::cos(t), std::sin(t), t}; };
  const auto error = [&](int n) {
    std::vector<OrbitPoint> points;
    // Unequal times.
    for (int i = 0; i <= n; ++i) points.push_back({4.0 * i / n + 0.3 / n * std::sin(2.0 * i), {}, {}});
    for (OrbitPoint& point : points) point.place = place(point.time);
    const Orbit orbit(points, "orbit");
    double worst = 0;
    for (double t = points.front().time; t < points.back().time; t += 0.01) {
      const Double3 d = orbit.at(t) - place(t);
      worst = std::max(worst, std::sqrt(dot(d, d)));
    }
    for (const OrbitPoint& point : points) EXPECT_NEAR(orbit.at(point.time).x, point.place.x, 1e-14);
    return worst;
  };
  EXPECT_LT(error(40), 1e-5);
  EXPECT_NEAR(std::log2(error(40) / error(80)), 4, 0.5);
  const Orbit line({{1, {2, 0, 0}, {}}, {2, {4, 0, 0}, {}}}, "orbit");
  EXPECT_DOUBLE_EQ(line.at(1.25).x, 2.5);
  EXPECT_DOUBLE_EQ(line.at(2.25).x, 4.5) << "a part of a step beyond its end";
  EXPECT_EQ(Orbit().at(7).x, 0);
}

TEST(Orbit, NeedsTimesThatIncreaseAndSpanThoseOfARun) {
  EXPECT_THROW(Orbit({{0, {}, {}}}, "orbit"), ConfigError);
  EXPECT_THROW(Orbit({{0, {}, {}}, {0, {}, {}}}, "orbit"), ConfigError);
  const Orbit orbit({{0, {}, {}}, {1, {}, {}}}, "orbit");
  EXPECT_NO_THROW(orbit.require_times(0, 1));
  EXPECT_THROW(orbit.require_times(-0.1, 1), ConfigError);
  EXPECT_THROW(orbit.require_times(0, 1.1), ConfigError);
  EXPECT_NO_THROW(Orbit().require_times(-1e9, 1e9));
}

using Sections = std::vector<ExternalParameters>;

/// The paths of the sections until `time`.
std::vector<Orbit> paths_of(const Sections& sections, double time, double begin = 0) {
  std::vector<Orbit> paths(sections.size());
  FreeOrbits(sections, 1, begin).reach(time, paths);
  return paths;
}

ExternalParameters free_point(double mass, const Double3& x, const Double3& v, SettingValues more = {}) {
  more.insert({{"mass", mass}, {"x", x.x}, {"y", x.y}, {"z", x.z}, {"vx", v.x}, {"vy", v.y}, {"vz", v.z}, {"orbit", "free"}});
  return {"point", more};
}

TEST(FreeOrbits, FollowKeplersEllipseAtAllTimes) {
  const double a = 2, e = 0.6;
  const std::vector<Orbit> paths =
      paths_of({{"point", {{"mass", 1.0}}}, free_point(1e-3, {a * (1 - e), 0, 0}, {0, std::sqrt((1 + e) / (1 - e) / a), 0})}, 40, 1);
  for (double anomaly = 0.01; anomaly < 12; anomaly += 0.01) {
    const double t = 1 + std::pow(a, 1.5) * (anomaly - e * std::sin(anomaly));
    const Double3 path = paths[1].at(t);
    EXPECT_NEAR(path.x, a * (std::cos(anomaly) - 1), 1e-7);
    EXPECT_NEAR(path.y, a * std::sqrt(1 - e * e) * std::sin(anomaly), 1e-7);
  }
  EXPECT_FALSE(paths[0].moves());
}

TEST(FreeOrbits, FeelEachOther) {
  const std::vector<Orbit> paths = paths_of({free_point(1, {1, 0, 0}, {0, 0.5, 0.1}), free_point(1, {-1, 0, 0}, {0, -0.5, 0.1})}, 10);
  for (double t = 0; t < 10; t += 0.1) {
    EXPECT_NEAR(paths[0].at(t).x, std::cos(t / 2) - 1, 1e-8);
    EXPECT_NEAR(paths[1].at(t).y, -std::sin(t / 2), 1e-8);
    EXPECT_NEAR(paths[1].at(t).z, 0.1 * t, 1e-12);
  }
}

TEST(FreeOrbits, HaveTheSameBitsHoweverTheirTimesAreAskedFor) {
  const Sections sections{{"nfw", {}}, free_point(0.1, {1, 0, 0}, {0, 0.3, 0.1}, {{"coulomb_logarithm", 2.0}})};
  const std::vector<Orbit> at_once = paths_of(sections, 5);
  std::vector<Orbit> paths(2);
  FreeOrbits free(sections, 1, 0);
  for (double t = 0; t < 5; t += 0.01) {
    free.reach(t, paths);
    EXPECT_EQ(paths[1].at(t).x, at_once[1].at(t).x);
  }
}

// galpy 1.12.1, ChandrasekharDynamicalFrictionForce of a constant logarithm and dispersion, orbit by dop853 with tolerances of 1e-13.
TEST(FreeOrbits, SinkAsThoseOfGalpy) {
  const double concentration = 10, mass = 8 * (std::log(11.0) - 10.0 / 11);
  const std::vector<Orbit> paths =
      paths_of({{"nfw", {{"mass", mass}, {"scale_radius", 2.0}, {"concentration", concentration}}},
                free_point(0.05, {3, 0, 0.5}, {0.1, 0.7, 0.2}, {{"coulomb_logarithm", 3.0}, {"dispersion", 0.6}})},
               30);
  constexpr double rows[][4] = {{10, -1.734597281791761, -1.368971437094608, -0.6476396852519845},
                                {20, -0.586475262512732, 1.8032245467334098, 0.3745272184876162},
                                {30, 0.7144352586341484, 0.8413025012706877, 0.3394136743908121}};
  for (const auto& row : rows) {
    const Double3 path = paths[1].at(row[0]);
    EXPECT_NEAR(3 + path.x, row[1], 1e-7);
    EXPECT_NEAR(path.y, row[2], 1e-7);
    EXPECT_NEAR(0.5 + path.z, row[3], 1e-7);
  }
}

// In an isothermal sphere, r^2 falls by 0.856 G M ln(Lambda) t / v_c (Binney & Tremaine 2008, section 8.1.1a).
TEST(FreeOrbits, SinkInAnIsothermalSphereAsTheTextbookSays) {
  const Sections sections{{"logarithmic", {{"velocity", 1.0}, {"core_radius", 1e-3}}},
                          free_point(1e-3, {1, 0, 0}, {0, 1, 0}, {{"coulomb_logarithm", 5.0}})};
  const std::vector<Orbit> paths = paths_of(sections, 100);
  for (const double t : {30.0, 100.0}) {
    const Double3 x = paths[1].at(t) + Double3{1, 0, 0};
    const double sunk = 2 * (std::erf(1.0) - 2 / std::sqrt(std::numbers::pi) / std::numbers::e) * 1e-3 * 5 * t;
    EXPECT_NEAR(dot(x, x), 1 - sunk, 0.01 * sunk);
  }
}

TEST(FreeOrbits, RefuseKeysWithoutEffect) {
  const ExternalParameters halo{"nfw", {}}, satellite = free_point(1, {1, 0, 0}, {}, {{"coulomb_logarithm", 2.0}});
  EXPECT_NO_THROW(FreeOrbits({halo, satellite}, 1, 0));
  EXPECT_THROW(FreeOrbits({satellite, halo}, 1, 0), ConfigError) << "the first has the matter";
  EXPECT_THROW(FreeOrbits({{"nfw", {{"vx", 1.0}}}}, 1, 0), ConfigError);
  EXPECT_THROW(FreeOrbits({halo, {"point", {{"coulomb_logarithm", 1.0}}}}, 1, 0), ConfigError);
  EXPECT_THROW(FreeOrbits({halo, {"point", {{"orbit", "free"}, {"dispersion", 1.0}}}}, 1, 0), ConfigError);
  EXPECT_THROW(FreeOrbits({halo, {"logarithmic", {{"orbit", "free"}, {"coulomb_logarithm", 1.0}}}}, 1, 0), ConfigError) << "no mass";
  EXPECT_THROW(FreeOrbits({{"nfw", {{"orbit", "free"}}}, satellite}, 1, 0), ConfigError) << "its matter must rest";
}

}  // namespace
}  // namespace grove::tests
