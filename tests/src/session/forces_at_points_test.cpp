// The C interface: forces at points that are no particles, on any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/session/grove.h"
#include "tests/src/session/session_fixture.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

class ForcesAtPointsTest : public SessionTest {};

/// Direct sums with these softening lengths of the types, in the order of field_at().
std::vector<double> sums_at(const std::vector<double>& points, const ParticleSet& sources, const std::vector<double>& softening) {
  const std::size_t n = points.size() / 3;
  std::vector<double> sums(4 * n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < sources.size(); ++j) {
      const Double3 d{sources.position[3 * j] - points[3 * k], sources.position[3 * j + 1] - points[3 * k + 1],
                      sources.position[3 * j + 2] - points[3 * k + 2]};
      const double eps = softening[sources.type[j]], r2 = dot(d, d) + eps * eps;
      if (r2 == 0) continue;
      const Double3 a = (sources.mass[j] / (r2 * std::sqrt(r2))) * d;
      sums[3 * k] += a.x;
      sums[3 * k + 1] += a.y;
      sums[3 * k + 2] += a.z;
      sums[3 * n + k] -= sources.mass[j] / std::sqrt(r2);
    }
  return sums;
}

/// The relative errors of the accelerations.
std::vector<double> acceleration_errors(const std::vector<double>& found, const std::vector<double>& expected) {
  std::vector<double> errors;
  for (std::size_t k = 0; k < found.size() / 4; ++k) {
    double difference2 = 0, all2 = 0;
    for (std::size_t d = 3 * k; d < 3 * k + 3; ++d) {
      difference2 += std::pow(found[d] - expected[d], 2);
      all2 += std::pow(expected[d], 2);
    }
    errors.push_back(std::sqrt(difference2 / all2));
  }
  return errors;
}

/// The largest relative error of the accelerations, and of the potentials; NaN where one is NaN.
std::array<double, 2> largest_errors(const std::vector<double>& found, const std::vector<double>& expected) {
  std::array<double, 2> largest{};
  const auto add = [](double error, double& to) { to = error <= to || std::isnan(to) ? to : error; };
  for (const double error : acceleration_errors(found, expected)) add(error, largest[0]);
  for (std::size_t k = found.size() / 4 * 3; k < found.size(); ++k) add(std::abs(found[k] / expected[k] - 1), largest[1]);
  return largest;
}

TEST_F(ForcesAtPointsTest, AreThoseOfTheParticles) {
  create("[gravity]\nmethod = \"direct\"\n[run]\ndevice = \"" + test_device() + "\"\n");
  ParticleSet two;
  two.resize(2);
  two.mass = {3, 1};
  two.position = {0, 0, 0, 4, 0, 0};
  two.id = {10, 20};
  two.type = {1, 1};
  set(two);
  std::vector<double> points{2, 0, 0, 0, 2.0 + comm_.rank(), 0}, acceleration(6), potential(2);
  ASSERT_EQ(grove_field_at(session_, 2, array_of(points), array_of(acceleration), array_of(potential)), GROVE_OK) << grove_last_error();
  EXPECT_NEAR(acceleration[0], -3.0 / 4 + 1.0 / 4, 1e-12);
  EXPECT_NEAR(potential[0], -3.0 / 2 - 1.0 / 2, 1e-12);
  const double y = points[4];
  EXPECT_NEAR(acceleration[4], -3 / (y * y) - y / std::pow(16 + y * y, 1.5), 1e-12);
  EXPECT_EQ(count(), 2U) << "points are no particles";
}

// Also as the first call, when no forces have been computed. A particle acts on a point at its place.
TEST_F(ForcesAtPointsTest, HaveTheSofteningOfComponents) {
  for (const std::string method : {"direct", "tree", "fmm"}) {
    SCOPED_TRACE(method);
    create("[gravity]\nmethod = \"" + method + "\"\nsoftening = { halo = 2.0 }\n[run]\ndevice = \"" + test_device() + "\"\n");
    ParticleSet one;
    one.resize(1);
    one.mass = {1};
    one.id = {18446744073709551615U};
    one.type = {1};
    set(one);
    EXPECT_NEAR(field_at({0, 0, 0})[3], -0.5, method == "direct" ? 1e-12 : 1e-6);
  }
}

// Of all ranks' particles, at points in, between and far from them.
TEST_F(ForcesAtPointsTest, AreAsExactAsThoseOfParticles) {
  ParticleSet all = plummer(4000);
  for (std::size_t i = 0; i < all.size(); ++i) all.type[i] = static_cast<std::uint8_t>(1 + i % 2);
  for (const std::string softening : {"0.05", "0.0", "{ halo = 0.05, disc = 0.2 }"}) {
    SCOPED_TRACE(softening);
    create("[gravity]\nsoftening = " + softening + "\n[run]\ndevice = \"" + test_device() + "\"\n");
    set(all);
    const std::size_t n = comm_.rank() == 1 ? 0 : 100;
    std::vector<double> points(3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i)
      points[i] = (i < 270 ? 1.01 : 20.0) * all.position[3 * (37 * (i / 3) + static_cast<std::size_t>(comm_.rank())) + i % 3];
    const double halo = softening == "0.0" ? 0 : 0.05, disc = softening.starts_with("{") ? 0.2 : halo;
    const std::vector<double> found = field_at(points), expected = sums_at(points, all, {0, halo, disc});
    if (n == 0) continue;
    EXPECT_LT(largest_errors(found, expected)[1], 1e-3);
    std::vector<double> errors = acceleration_errors(found, expected);
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[n * 98 / 100], 3e-3);
    EXPECT_GT(errors[n / 2], 1e-8) << "trees were walked";
  }
}

TEST_F(ForcesAtPointsTest, AreThoseOfDirectSumsWithEachMethodAndOpeningCriterion) {
  ParticleSet all = plummer(3000);
  for (std::size_t i = 0; i < all.size(); ++i) all.type[i] = static_cast<std::uint8_t>(1 + i % 3);
  // On particles, near them and far away; one, none, and many on one rank.
  std::vector<double> points;
  const std::size_t n = comm_.rank() == 1 ? 1 : comm_.rank() == 2 ? 0 : 200;
  for (std::size_t i = 0; i < 3 * n; ++i) points.push_back((i < 150 ? 1 : i < 300 ? 1.01 : i < 450 ? 1e3 : 1e8) * all.position[i]);
  const std::string classes = "softening = { halo = 0.05, disc = 0.2, bulge = 0.02 }\nsoftening_between = { \"halo, disc\" = 0.01 }\n";
  for (const std::string softening : {"softening = 0.05\n", "softening = 0.0\n", classes.c_str()})
    for (const std::string method : {"method = \"direct\"\n", "method = \"tree\"\n", "method = \"fmm\"\n", "method = \"fmm\"\norder = 5\n",
                                     "method = \"fmm\"\nopening = \"barnes\"\n"}) {
      SCOPED_TRACE(softening + method);
      create("[gravity]\n" + softening + method + "[run]\ndevice = \"" + test_device() + "\"\n");
      set(all);
      const bool is_one = softening != classes;
      const double eps = softening == "softening = 0.0\n" ? 0 : 0.05;
      const std::vector<double> found = field_at(points);
      const auto [of_acceleration, of_potential] =
          largest_errors(found, sums_at(points, all, is_one ? std::vector{0., eps, eps, eps} : std::vector{0., 0.05, 0.2, 0.02}));
      const bool is_direct = method.find("direct") != std::string::npos;
      EXPECT_LT(of_acceleration, is_direct ? 1e-10 : 3e-2);
      EXPECT_LT(of_potential, is_direct ? 1e-12 : 2e-3);
      EXPECT_TRUE(is_direct || n < 2 || of_acceleration > 1e-6) << "trees are walked";
    }
}

TEST_F(ForcesAtPointsTest, DoNotDependOnEarlierCalls) {
  const ParticleSet all = plummer(5000);
  const std::vector<double> few{0.1, 0.2, 0.3 + comm_.rank()}, many(all.position.begin(), all.position.begin() + 3000);
  for (const std::string method : {"fmm", "tree", "direct"}) {
    SCOPED_TRACE(method);
    create("[gravity]\nsoftening = 0.05\nmethod = \"" + method + "\"\n[run]\ndevice = \"" + test_device() + "\"\n");
    set(all);
    const std::vector<double> of_few = field_at(few), of_many = field_at(many);
    EXPECT_TRUE(field_at({}).empty());
    EXPECT_EQ(field_at(few), of_few);
    EXPECT_EQ(field_at(many), of_many);
    EXPECT_EQ(energies().time, 0);
    EXPECT_EQ(field_at(many), of_many) << "also after forces on particles";
  }
}

TEST_F(ForcesAtPointsTest, AreThoseOfThePresentParticles) {
  const ParticleSet all = plummer(1000);
  const std::vector<double> points{0.3, 0.1, 0.2, 2, 0, -1};
  set(all);
  const auto expect_present = [&](const char* after) {
    SCOPED_TRACE(after);
    ParticleSet now;
    now.position = get("position", 3);
    now.mass = get("mass", 1);
    now.type = get<std::uint8_t>("type", 1);
    const auto [of_acceleration, of_potential] = largest_errors(field_at(points), sums_at(points, now, std::vector<double>(6, 0.05)));
    EXPECT_LT(of_acceleration, 3e-3);
    EXPECT_LT(of_potential, 1e-3);
  };
  expect_present("the first call");
  ASSERT_EQ(grove_evolve(session_, 0.25, nullptr, nullptr), GROVE_OK) << grove_last_error();
  expect_present("steps");
  std::vector<double> position(3 * share());
  ASSERT_EQ(grove_get(session_, "position", array_of(position)), GROVE_OK);
  for (double& x : position) x *= 1.5;
  ASSERT_EQ(grove_set(session_, "position", array_of(position)), GROVE_OK) << grove_last_error();
  expect_present("other positions");
  std::vector<double> mass(share(), 0.01);
  ASSERT_EQ(grove_set(session_, "mass", array_of(mass)), GROVE_OK) << grove_last_error();
  expect_present("other masses");
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 0; id < 500 && comm_.is_root(); ++id) ids.push_back(id);
  ASSERT_EQ(grove_remove_particles(session_, ids.size(), ids.data()), GROVE_OK) << grove_last_error();
  expect_present("fewer particles");
  const std::vector<double> before = field_at(points);
  std::vector<double> velocity(3 * share(), 0.0);
  ASSERT_EQ(grove_set(session_, "velocity", array_of(velocity)), GROVE_OK) << grove_last_error();
  EXPECT_EQ(field_at(points), before);
  set(plummer(700, 2));
  expect_present("other particles");
}

}  // namespace
}  // namespace grove::tests
