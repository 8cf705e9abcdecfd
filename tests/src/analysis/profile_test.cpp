// Profiles of samples against the formulas of their models, within the noise of the sample; and what must not change them.
#include "src/analysis/profile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/analysis/profile_columns.hpp"
#include "src/analysis/profile_file.hpp"
#include "src/analysis/profile_report.hpp"
#include "src/galaxies/galaxy_model.hpp"
#include "src/generators/disc.hpp"
#include "tests/support/dealt_particles.hpp"
#include "tests/support/generator_sample.hpp"
#include "tests/support/on_all_ranks.hpp"

namespace grove::tests {
namespace {

using Function = std::function<double(double)>;

/// Numbers of particles scatter by their root, and dispersions by no more than sigma / sqrt(2 n): velocities in these models have no
/// longer tails than Gaussian ones. Of some hundred values none is farther out than this, in units of the scatter.
constexpr double most_sigmas = 4.5;

const std::vector<double>& column(const SnapshotProfile& profile, const std::string& name, std::size_t group = 0) {
  const auto columns = profile_columns(profile.is_disc);
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == name) return profile.groups.at(group).columns[c];
  throw std::logic_error("no column " + name);
}

/// Mean of f over a shell, weighted by the mass of a model.
double mean_in_shell(const Function& f, const Function& mass, double inner, double outer) {
  constexpr int steps = 50;
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    const double a = inner + (outer - inner) * k / steps, b = inner + (outer - inner) * (k + 1) / steps;
    sum += f((a + b) / 2) * (mass(b) - mass(a));
  }
  return sum / (mass(outer) - mass(inner));
}

class ProfileTest : public testing::Test {
 protected:
  SnapshotProfile measure(const ParticleSet& all, const ProfileRequest& request, double G = 1) const {
    return measure_profile(dealt(all, comm_), usual_component_names(), G, request, comm_);
  }

  /// Compares a sample of an isotropic sphere of mass 1 with the model's mass and squared dispersion.
  void expect_model(const std::string& model, const Function& mass, const Function& dispersion2, double G) const {
    const std::uint64_t n = 40000;
    ProfileRequest request;
    request.centre.kind = CentreKind::mass;
    request.shells = {20, ShellSpacing::log, 0.1, 5.0};
    const SnapshotProfile profile = measure(generate_all(conditions_of(model, n, {{"taper", 1e4}}), G), request, G);
    const auto& inner = column(profile, "radius_inner");
    ASSERT_EQ(inner.size(), 20u);
    for (std::size_t k = 0; k < inner.size(); ++k) {
      const double outer = column(profile, "radius_outer")[k], count = column(profile, "particles")[k];
      const double expected = (mass(outer) - mass(inner[k])) * n, volume = 4 * pi / 3 * (std::pow(outer, 3) - std::pow(inner[k], 3));
      EXPECT_NEAR(count, expected, most_sigmas * std::sqrt(expected)) << model << " at " << outer;
      EXPECT_NEAR(column(profile, "density")[k], count / n / volume, 1e-12 * count / n / volume);
      const double inside = mass(outer), noise = most_sigmas * std::sqrt(inside / n);
      EXPECT_NEAR(column(profile, "enclosed_mass")[k], inside, noise);
      EXPECT_NEAR(column(profile, "circular_velocity")[k], std::sqrt(G * inside / outer), std::sqrt(G * inside / outer) * noise / inside);
      const double sigma = std::sqrt(mean_in_shell(dispersion2, mass, inner[k], outer));
      for (const char* name : {"sigma_radial", "sigma_theta", "sigma_phi"})
        EXPECT_NEAR(column(profile, name)[k], sigma, most_sigmas * sigma / std::sqrt(2 * count)) << model << " " << name << " at " << outer;
      for (const char* name : {"mean_v_radial", "mean_v_phi"})
        EXPECT_NEAR(column(profile, name)[k], 0, most_sigmas * sigma / std::sqrt(count)) << model << " " << name << " at " << outer;
      // The ratio of a variance of 2 n numbers and one of n.
      EXPECT_NEAR(column(profile, "anisotropy")[k], 0, most_sigmas * std::sqrt(3 / count)) << model << " at " << outer;
    }
  }

  Communicator comm_{MPI_COMM_WORLD};
};

double plummer_mass(double r) { return std::pow(1 + 1 / (r * r), -1.5); }

TEST_F(ProfileTest, OfAPlummerSphereIsThatOfTheModel) {
  const double G = 2;
  expect_model(
      "plummer", plummer_mass, [&](double r) { return G / 6 / std::sqrt(1 + r * r); }, G);
}

TEST_F(ProfileTest, OfAHernquistSphereIsThatOfTheModel) {
  // Hernquist (1990), eq. 10.
  const auto dispersion2 = [&](double r) {
    return 1 / 12.0 * (12 * r * std::pow(r + 1, 3) * std::log((r + 1) / r) - r / (r + 1) * (25 + 52 * r + 42 * r * r + 12 * r * r * r));
  };
  expect_model(
      "hernquist", [&](double r) { return r * r / ((1 + r) * (1 + r)); }, dispersion2, 1);
}

TEST_F(ProfileTest, LagrangianRadiiAreThoseOfTheModel) {
  const std::uint64_t n = 40000;
  ProfileRequest request;
  request.centre.kind = CentreKind::mass;
  request.fractions = {0.05, 0.25, 0.5, 0.75, 0.95};
  const SnapshotProfile profile = measure(generate_all(conditions_of("plummer", n, {{"taper", 1e4}})), request);
  for (std::size_t k = 0; k < request.fractions.size(); ++k) {
    // The share inside of the radius that was found scatters like a binomial number.
    const double f = request.fractions[k], noise = most_sigmas * std::sqrt(f * (1 - f) / n);
    EXPECT_NEAR(plummer_mass(profile.groups[0].lagrangian_radii[k]), f, noise);
  }
}

TEST_F(ProfileTest, OfADiscIsWhatTheGeneratorWasAskedFor) {
  const InitialConditions conditions = conditions_of("disc", 60000, {{"disc_particles", 0.8}, {"scale_length", 2.0}});
  ParticleSet all = generate_all(conditions);
  // Turned so that the disc is in the xz plane, and moved.
  for (std::size_t i = 0; i < all.size(); ++i) {
    double *const x = &all.position[3 * i], *const v = &all.velocity[3 * i];
    std::swap(x[1], x[2]);
    std::swap(v[1], v[2]);
    x[0] += 7;
    v[2] -= 3;
  }
  ProfileRequest request;
  request.disc = "disc";
  request.shells = {12, ShellSpacing::linear, 1.0, 7.0};
  // The densest point and its velocity scatter, which would blur small radii and the small dispersions of large ones.
  request.centre = {CentreKind::given, {7, 0, 0}, 1e6};
  SnapshotProfile profile = measure(all, request);
  ASSERT_EQ(profile.groups[2].group.name, "disc");
  // Swapping two axes turns the sense of the rotation.
  EXPECT_NEAR(profile.plane.axis.y, -1, 1e-4);

  GalaxyParameters galaxy = disc_galaxy(conditions, "disc", "hernquist", 1, 2);
  for (ComponentParameters& component : galaxy.components) component.values["softening"] = 1e-6;
  const auto made = galaxy_components(galaxy, conditions.n, 1)[1].disc;
  const DiscDistribution& model = *made;
  const double disc_mass = 0.1;
  for (std::size_t k = 0; k < 12; ++k) {
    const double inner = column(profile, "radius_inner", 2)[k], outer = column(profile, "radius_outer", 2)[k], middle = (inner + outer) / 2;
    const auto mass = [&](double r) { return disc_mass * (1 - (1 + r / 2) * std::exp(-r / 2)); };
    const double count = column(profile, "particles", 2)[k], per_particle = disc_mass / 48000;
    const double expected = (mass(outer) - mass(inner)) / per_particle, area = pi * (outer * outer - inner * inner);
    EXPECT_NEAR(count, expected, most_sigmas * std::sqrt(expected)) << middle;
    EXPECT_NEAR(column(profile, "surface_density", 2)[k], model.surface_density(middle),
                0.02 * model.surface_density(middle) + most_sigmas * std::sqrt(count) * per_particle / area);
    // The mean square of the rotation by the radial Jeans equation. Rings have a width, over which the model changes.
    const double sigma = model.radial_dispersion(middle), vertical = model.vertical_dispersion(middle);
    const auto log_pressure = [&](double r) { return std::log(model.surface_density(r) * std::pow(model.radial_dispersion(r), 2)); };
    const double slope = (log_pressure(1.02 * middle) - log_pressure(middle / 1.02)) / (2 * std::log(1.02));
    const double rotation = std::sqrt(std::pow(model.circular_velocity(middle), 2) + sigma * sigma * (1 + slope));
    const double around = std::hypot(column(profile, "mean_v_phi", 2)[k], column(profile, "sigma_phi", 2)[k]);
    EXPECT_NEAR(around, rotation, most_sigmas * sigma / std::sqrt(count) + 0.015 * rotation) << middle;
    const double noise = 0.05 + most_sigmas / std::sqrt(2 * count);
    EXPECT_NEAR(column(profile, "sigma_radial", 2)[k], sigma, noise * sigma) << middle;
    EXPECT_NEAR(column(profile, "sigma_z", 2)[k], vertical, noise * vertical) << middle;
    // The rms height of sech^2(z / h) is pi h / sqrt(12); its fourth moment is 4.2 squares of the second.
    const double height = 0.2 * pi / std::sqrt(12.0);
    EXPECT_NEAR(column(profile, "scale_height", 2)[k], height, (0.02 + most_sigmas * std::sqrt(3.2 / (4 * count))) * height) << middle;
  }
}

TEST_F(ProfileTest, IsTheSameBitsOnAnyNumberOfRanksAndInAnyOrder) {
  ParticleSet all = generate_all(conditions_of("disc", 3000));
  append(all, particles_at({{1e11, 0, 0, 1e-3, 4}, {0, 0, 0, 0, 5}, {1, 1, 1, 0, 5}}));
  const Communicator alone(MPI_COMM_SELF);
  for (const std::string disc : {"", "disc"})
    for (const ShellSpacing spacing : {ShellSpacing::log, ShellSpacing::number}) {
      ProfileRequest request;
      request.disc = disc;
      request.shells.spacing = spacing;
      const auto image = [&](const SnapshotProfile& profile) {
        return profile_file_image("p.hdf5", {request, {{"a.hdf5", "test", 0.0, 1, "", {}, {}, profile}}});
      };
      const SnapshotProfile expected = measure_profile(all, usual_component_names(), 1, request, alone);
      const bool is_same = image(measure(all, request)) == image(expected);
      EXPECT_TRUE(is_same) << disc;
    }
}

TEST_F(ProfileTest, ShellsHoldWhatLiesBetweenTheirRadii) {
  const ParticleSet all = particles_at({{0, 0, 0}, {1, 0, 0}, {0, 1.9, 0}, {0, 0, -3.9}, {8, 0, 0}, {0, 16, 0}});
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {3, ShellSpacing::log, 1.0, 8.0};
  const SnapshotProfile profile = measure(all, request, 3);
  // The first shell also has what lies on its inner radius.
  EXPECT_EQ(column(profile, "particles"), (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(column(profile, "enclosed_mass"), (std::vector<double>{3, 4, 5}));
  EXPECT_DOUBLE_EQ(column(profile, "circular_velocity")[2], std::sqrt(3 * 5 / 8.0));
  EXPECT_DOUBLE_EQ(column(profile, "density")[0], 2 / (4 * pi / 3 * 7));
  EXPECT_DOUBLE_EQ(column(profile, "radius")[0], std::sqrt(2.0));
  EXPECT_EQ(profile.groups[0].inside, 1u);
  EXPECT_EQ(profile.groups[0].outside, 1u);
}

TEST_F(ProfileTest, ShellsOfEqualNumberHoldEqualNumbers) {
  ProfileRequest request;
  request.shells = {7, ShellSpacing::number, 0.0, 1e12};
  const SnapshotProfile profile = measure(generate_all(conditions_of("plummer", 1000)), request);
  for (const double count : column(profile, "particles")) EXPECT_NEAR(count, 1000 / 7.0, 1);
}

TEST_F(ProfileTest, VelocitiesAreTakenApartAlongTheDirections) {
  ParticleSet all = particles_at({{2, 0, 0}, {0, 0, 2}, {0, 2, 0}, {-2, 0, 0}});
  // Their mean is (10, 20, 30).
  all.velocity = {10, 20, 30.75, 13, 23, 33.75, 9, 19, 27.75, 8, 18, 27.75};
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {1, ShellSpacing::linear, 1.0, 3.0};
  const SnapshotProfile profile = measure(all, request);
  EXPECT_NEAR(column(profile, "mean_v_radial")[0], (0 + 3.75 - 1 + 2) / 4, 1e-12);
  EXPECT_NEAR(column(profile, "mean_v_phi")[0], (0 + 3 + 1 + 2) / 4.0, 1e-12);
  const double mean = (-0.75 + 3 + 2.25 + 2.25) / 4, mean_square = (0.75 * 0.75 + 9 + 2 * 2.25 * 2.25) / 4;
  EXPECT_NEAR(column(profile, "sigma_theta")[0], std::sqrt(mean_square - mean * mean), 1e-12);
}

TEST_F(ProfileTest, DispersionsSurviveAStreamThatIsMuchFaster) {
  ParticleSet all = particles_at({{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}});
  const double stream = 1e9;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t d = 0; d < 3; ++d) all.velocity[3 * i + d] = all.position[3 * i + d] * (stream + (i % 2 == 0 ? 1 : -1));
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {1, ShellSpacing::linear, 0.0, 2.0};
  EXPECT_NEAR(column(measure(all, request), "sigma_radial")[0], 1, 1e-6);
}

TEST_F(ProfileTest, DispersionsOfAllHaveTheStreamsOfTheComponents) {
  ParticleSet all = particles_at({{1, 0, 0, 1, 1}, {-1, 0, 0, 1, 1}, {0, 1, 0, 3, 2}, {0, -1, 0, 3, 2}});
  for (std::size_t i = 0; i < 12; ++i) all.velocity[i] = all.position[i] * (i < 6 ? 7.0 : 3.0) + (i % 6 == 0 ? 1.0 : 0.0);
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {1, ShellSpacing::linear, 0.0, 2.0};
  const SnapshotProfile profile = measure(all, request);
  // Radial velocities, without that of the centre, which is 1 / 8 + 3 / 8 along x: 8 and 7 of mass 1, 3 and 3 of mass 3.
  const double of_centre = 0.5, mean = (8 - of_centre + 7 + of_centre + 6 * 3) / 8;
  EXPECT_NEAR(column(profile, "mean_v_radial")[0], mean, 1e-12);
  const double square = (std::pow(8 - of_centre - mean, 2) + std::pow(7 + of_centre - mean, 2) + 6 * std::pow(3 - mean, 2)) / 8;
  EXPECT_NEAR(column(profile, "sigma_radial")[0], std::sqrt(square), 1e-12);
  EXPECT_NEAR(column(profile, "sigma_radial", 2)[0], 0, 1e-12);
}

TEST_F(ProfileTest, WhatAShellDoesNotHaveIsNaN) {
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {3, ShellSpacing::linear, 0.0, 3.0};
  const SnapshotProfile profile = measure(particles_at({{0, 0, 0}, {0.5, 0, 0}, {2.5, 0, 0}, {0, 2.5, 0}}), request);
  EXPECT_EQ(column(profile, "particles"), (std::vector<double>{2, 0, 2}));
  EXPECT_EQ(column(profile, "density")[1], 0);
  EXPECT_TRUE(std::isnan(column(profile, "mean_v_radial")[1]));
  EXPECT_TRUE(std::isnan(column(profile, "sigma_radial")[1]));
  // At rest: no dispersion, and no ratio of two.
  EXPECT_EQ(column(profile, "sigma_radial")[2], 0);
  EXPECT_TRUE(std::isnan(column(profile, "anisotropy")[2]));
  const std::string csv = profile_csv({request, {{"a", "f", std::nullopt, 1, "", {}, {}, profile}}});
  EXPECT_NE(csv.find("0,nan,-1,"), std::string::npos);
  EXPECT_EQ(csv.find("-nan"), std::string::npos);
}

TEST_F(ProfileTest, TracersWithoutMassHaveMeansAmongThemselvesAlone) {
  ParticleSet all = particles_at({{1, 0, 0, 2, 1}, {-1, 0, 0, 2, 1}, {0, 1, 0, 0, 4}, {0, -1, 0, 0, 4}});
  for (std::size_t i = 0; i < 12; ++i) all.velocity[i] = all.position[i] * (i < 6 ? 1 : 5);
  ProfileRequest request;
  request.centre = {CentreKind::given, {}, {}};
  request.shells = {1, ShellSpacing::linear, 0.0, 2.0};
  const SnapshotProfile profile = measure(all, request);
  ASSERT_EQ(profile.groups.size(), 3u);
  EXPECT_EQ(column(profile, "mean_v_radial", 0)[0], 1);
  EXPECT_EQ(column(profile, "mean_v_radial", 1)[0], 1);
  EXPECT_EQ(column(profile, "mean_v_radial", 2)[0], 5);
  EXPECT_EQ(column(profile, "mass", 2)[0], 0);
  EXPECT_EQ(profile.groups[2].lagrangian_radii, (std::vector<double>{1, 1, 1}));
  for (double& m : all.mass) m = 0;
  EXPECT_EQ(column(measure(all, request), "mean_v_radial", 0)[0], 3);
}

TEST_F(ProfileTest, OneParticleAndParticlesAtOnePlaceHaveNoShells) {
  for (const std::size_t n : {1, 40}) {
    const SnapshotProfile profile = measure(particles_at(std::vector<Point>(n, {3, 4, 5})), {});
    EXPECT_TRUE(column(profile, "particles").empty());
    EXPECT_EQ(profile.groups[0].inside, n);
    EXPECT_EQ(profile.groups[0].lagrangian_radii, (std::vector<double>{0, 0, 0}));
    const ProfileReport report{{}, {{"a", "f", 1.0, 1, "", {}, {}, profile}}};
    EXPECT_NE(profile_text(report).find("no shells"), std::string::npos);
    EXPECT_FALSE(profile_file_image("a.hdf5", report).empty());
    EXPECT_FALSE(profile_json(report).dump().empty());
  }
}

TEST_F(ProfileTest, TwoAndFiveParticlesHaveShells) {
  for (const std::vector<Point>& points :
       {std::vector<Point>{{1, 0, 0}, {-1, 0, 0}}, {{1, 0, 0}, {-1, 0, 0}, {0, 3, 0}, {0, -3, 0}, {0, 0, 0}}}) {
    const SnapshotProfile profile = measure(particles_at(points), {});
    double sum = static_cast<double>(profile.groups[0].inside + profile.groups[0].outside);
    for (const double count : column(profile, "particles")) sum += count;
    EXPECT_EQ(sum, static_cast<double>(points.size()));
    EXPECT_FALSE(column(profile, "particles").empty());
  }
}

/// Three rings that turn as one about an axis, of 8 particles of mass 1 each. The first two have two more particles, of masses 0.5 and 1
/// each, at the ends of a bar in the plane: A2 is 1 / 9 and 2 / 10. The others are 0.1 and 0.2 radii above or below the plane.
ParticleSet barred_disc(const DiscPlane& plane, double phase, double angular_velocity = 1) {
  std::vector<Point> points;
  std::vector<double> velocity;
  const Double3 y_axis = cross(plane.axis, plane.x_axis);
  for (const double radius : {0.5, 1.5, 2.5}) {
    const int count = radius < 2 ? 10 : 8;
    for (int k = 0; k < count; ++k) {
      const double angle = k < 8 ? 2 * pi * k / 8 : phase * pi / 180 + pi * k, c = std::cos(angle), s = std::sin(angle);
      const double height = k < 8 ? std::array{0.1, -0.1, 0.2, -0.2}[static_cast<std::size_t>(k % 4)] * radius : 0;
      const Double3 x = radius * c * plane.x_axis + radius * s * y_axis + height * plane.axis;
      const Double3 v = angular_velocity * cross(plane.axis, x);
      points.push_back({x.x, x.y, x.z, k < 8 || radius > 1 ? 1 : 0.5, 2});
      velocity.insert(velocity.end(), {v.x, v.y, v.z});
    }
  }
  ParticleSet all = particles_at(points);
  all.velocity = velocity;
  return all;
}

/// Of rings with edges 0, 1, 2, 3.
ProfileRequest request_of_rings() {
  ProfileRequest request;
  request.disc = "disc";
  request.centre = {CentreKind::given, {}, 1e6};
  request.shells = {3, ShellSpacing::linear, 0.0, 3.0};
  request.fractions.clear();
  return request;
}

TEST_F(ProfileTest, ABarHasItsStrengthAndPhaseInAPlaneOfAnyDirection) {
  for (const Double3 axis : {Double3{0, 0, 1}, Double3{0, 0, -1}, Double3{0.6, 0, 0.8}, Double3{1, 0, 0}, Double3{0, -1, 0}})
    for (const double phase : {25.0, 170.0}) {
      const SnapshotProfile profile = measure(barred_disc(plane_of(axis), phase), request_of_rings());
      ASSERT_NEAR(dot(profile.plane.axis, axis), 1, 1e-14);
      EXPECT_NEAR(column(profile, "a2")[0], 1.0 / 9, 1e-14);
      EXPECT_NEAR(column(profile, "a2")[1], 0.2, 1e-14);
      EXPECT_NEAR(column(profile, "a2")[2], 0, 1e-14);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(std::remainder(column(profile, "a2_phase")[k] - phase, 180), 0, 1e-11);
      EXPECT_NEAR(column(profile, "a2_inside")[1], 3.0 / 19, 1e-14);
      EXPECT_NEAR(column(profile, "a2_inside")[2], 3.0 / 27, 1e-14);
      const Bar& bar = profile.groups[1].bar;
      EXPECT_NEAR(bar.a2, 3.0 / 19, 1e-14) << "the largest";
      EXPECT_DOUBLE_EQ(bar.radius, 2);
      EXPECT_NEAR(bar.noise, 1 / std::sqrt(20.0), 1e-14);
      EXPECT_NEAR(std::remainder(bar.phase - phase, 180), 0, 1e-11);
      EXPECT_GE(bar.phase, 0);
      EXPECT_LT(bar.phase, 180);
      EXPECT_NEAR(bar.rotation, 1, 1e-12);
    }
}

TEST_F(ProfileTest, ABarIsMeasuredInsideTheRadiusThatIsAskedFor) {
  const ParticleSet disc = barred_disc(plane_of({0, 0, 1}), 25);
  for (const auto& [asked, edge, a2] :
       {std::tuple{0.2, 1.0, 1.0 / 9}, {1.4, 1.0, 1.0 / 9}, {1.6, 2.0, 3.0 / 19}, {2.9, 3.0, 3.0 / 27}, {99.0, 3.0, 3.0 / 27}}) {
    ProfileRequest request = request_of_rings();
    request.bar_radius = asked;
    const Bar bar = measure(disc, request).groups[1].bar;
    EXPECT_DOUBLE_EQ(bar.radius, edge) << asked;
    EXPECT_NEAR(bar.a2, a2, 1e-14) << asked;
  }
}

TEST_F(ProfileTest, PhasesAreCountedFromTheXAxis) {
  const ParticleSet all = particles_at({{1, 1, 0, 1, 2}, {-1, -1, 0, 1, 2}});
  for (const double sense : {1.0, -1.0}) {
    ParticleSet turning = all;
    turning.velocity = {-sense, sense, 0, sense, -sense, 0};
    EXPECT_NEAR(measure(turning, request_of_rings()).groups[1].bar.phase, sense > 0 ? 45 : 135, 1e-12) << "in the sense of the rotation";
  }
}

TEST_F(ProfileTest, ThicknessIsTheRmsAndTheMedianOfHeights) {
  const SnapshotProfile profile = measure(barred_disc(plane_of({0, 0, 1}), 10), request_of_rings());
  EXPECT_NEAR(column(profile, "median_height")[1], 0.15, 1e-14) << "of 0, 0, 4 times 0.15 and 4 times 0.3";
  EXPECT_NEAR(column(profile, "median_height")[2], 0.25, 1e-14) << "of 4 times 0.25 and 4 times 0.5";
  EXPECT_NEAR(column(profile, "scale_height")[1], 1.5 * std::sqrt((4 * 0.01 + 4 * 0.04) / 10), 1e-14);
  ProfileRequest narrow = request_of_rings();
  narrow.shells.to = 6;
  EXPECT_TRUE(std::isnan(column(measure(barred_disc(plane_of({0, 0, 1}), 10), narrow), "median_height")[2])) << "no particles";
}

/// A series of one disc at several times and phases, in planes that tilt a little.
class PatternSpeedTest : public ProfileTest {
 protected:
  MeasuredSnapshot snapshot(std::optional<double> time, double phase, double tilt = 0) const {
    const Double3 axis{std::sin(tilt), 0, std::cos(tilt)};
    MeasuredSnapshot measured{"s.hdf5", "test", time, 1, "", {}, {}, measure(barred_disc(plane_of(axis), phase), request_of_rings())};
    // As of a disc of many particles.
    measured.profile.groups[1].bar.noise = 0.01;
    return measured;
  }
};

TEST_F(PatternSpeedTest, IsTheTurnModulo180DegreesOverTheTime) {
  ProfileReport report{request_of_rings(), {snapshot(0.0, 150), snapshot(0.5, 170), snapshot(1.5, 20, 0.01), snapshot(1.0, 5)}};
  for (std::size_t k = 1; k < 4; ++k) add_pattern_speeds(report.snapshots[k - 1], report.snapshots[k], "disc");
  const double expected[] = {20 / 0.5, 30 / 1.0, -15 / -0.5};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(report.snapshots[k + 1].profile.groups[1].bar.pattern_speed, expected[k] * pi / 180, 1e-6) << k;
    EXPECT_TRUE(report.snapshots[k + 1].notes.empty()) << report.snapshots[k + 1].notes.front();
  }
  EXPECT_TRUE(std::isnan(report.snapshots[0].profile.groups[1].bar.pattern_speed)) << "nothing came before";
  EXPECT_NE(profile_text(report).find("pattern speed"), std::string::npos);
  EXPECT_NE(lagrangian_csv(report).find(",bar_a2,bar_noise,bar_radius,bar_phase,pattern_speed\n"), std::string::npos);
  EXPECT_NEAR(profile_json(report)["snapshots"][1]["groups"][1]["bar"]["pattern_speed"].get<double>(), 40 * pi / 180, 1e-6);
}

// The disc turns by 1 radian per unit of time.
TEST_F(PatternSpeedTest, IsUnknownWhereABarMayHaveTurnedByMoreThan90Degrees) {
  for (const double time : {1.5, 1.6}) {
    MeasuredSnapshot after = snapshot(time, 80);
    add_pattern_speeds(snapshot(0.0, 0), after, "disc");
    const std::string note = after.notes.empty() ? "" : after.notes.front();
    EXPECT_EQ(note.empty(), time < 1.55);
    EXPECT_EQ(std::isnan(after.profile.groups[1].bar.pattern_speed), time > 1.55);
    if (note.empty()) continue;
    EXPECT_NE(note.find("since s.hdf5 is unknown: in the time between, 1.6, "), std::string::npos) << note;
    EXPECT_NE(note.find("at most 1.571 apart"), std::string::npos) << note;
  }
}

TEST_F(PatternSpeedTest, IsUnknownWhereA2IsNoise) {
  MeasuredSnapshot before = snapshot(0.0, 0), after = snapshot(0.5, 20);
  before.profile.groups[1].bar.noise = 0.4 * before.profile.groups[1].bar.a2;
  add_pattern_speeds(before, after, "disc");
  EXPECT_TRUE(std::isnan(after.profile.groups[1].bar.pattern_speed));
}

TEST_F(PatternSpeedTest, IsUnknownWithoutTwoTimes) {
  MeasuredSnapshot same = snapshot(1.0, 80), none = snapshot(std::nullopt, 80);
  add_pattern_speeds(snapshot(1.0, 0), same, "disc");
  add_pattern_speeds(snapshot(1.0, 0), none, "disc");
  for (const MeasuredSnapshot& after : {same, none}) EXPECT_TRUE(std::isnan(after.profile.groups[1].bar.pattern_speed));
}

// Where the directions from which phases are counted change from the x axis to the y axis, a bar along both planes has not turned.
TEST(TurnOfBar, DoesNotDependOnWhereAnglesAreCountedFrom) {
  const auto plane_at = [](double degrees) {
    return plane_of({std::cos(degrees * pi / 180), std::sin(degrees * pi / 180) * 0.6, std::sin(degrees * pi / 180) * 0.8});
  };
  const DiscPlane a = plane_at(17.5), b = plane_at(18.5);
  const Double3 along{0, 0.8, -0.6};
  const auto bar_in = [&](const DiscPlane& plane) {
    const double phase = std::atan2(dot(along, cross(plane.axis, plane.x_axis)), dot(along, plane.x_axis)) * 180 / pi;
    return Bar{.phase = phase < 0 ? phase + 180 : phase};
  };
  EXPECT_GT(std::abs(std::remainder(bar_in(a).phase - bar_in(b).phase, 180)), 20);
  EXPECT_NEAR(turn_of_bar(bar_in(a), a, bar_in(b), b), 0, 0.01);
}

TEST_F(ProfileTest, ExternalPotentialsAddToTheCircularVelocityOfAll) {
  ParticleSet all = particles_at({{10, 0, 0, 3, 1}, {10, 1, 0, 2, 2}});
  const double G = 2, r = 4;
  ProfileRequest request;
  request.centre = {CentreKind::given, {10, 0, 0}, {}};
  request.shells = {1, ShellSpacing::linear, 0.0, r};
  const ExternalParameters halo{"logarithmic", {{"velocity", 3.0}, {"core_radius", 2.0}, {"flattening", 0.8}, {"x", 10.0}}};
  const ExternalParameters disc{"miyamoto_nagai", {{"mass", 7.0}, {"scale_length", 2.0}, {"scale_height", 0.5}, {"x", 10.0}}};
  const SnapshotProfile profile = measure_profile(dealt(all, comm_), usual_component_names(), G, request, comm_, {halo, disc, {}});
  // Binney & Tremaine (2008), eqs. 2.71c and 2.69a.
  const double of_halo = 9 * r * r / (4 + r * r), of_disc = G * 7 * r * r / std::pow(r * r + 2.5 * 2.5, 1.5);
  EXPECT_NEAR(column(profile, "circular_velocity")[0], std::sqrt(G * 5 / r + of_halo + of_disc), 1e-13);
  EXPECT_NEAR(column(profile, "circular_velocity", 1)[0], std::sqrt(G * 3 / r), 1e-14) << "what the component adds";
  // A mass far away: what is left of its uniform field is the tide, -G M r^2 / (2 d^3) over a circle whose plane it lies in.
  const ExternalParameters far{"point", {{"mass", 1e4}, {"x", 1010.0}}};
  const SnapshotProfile tidal = measure_profile(dealt(all, comm_), usual_component_names(), G, request, comm_, {far});
  EXPECT_NEAR(std::pow(column(tidal, "circular_velocity")[0], 2) - G * 5 / r, -G * 1e4 * r * r / 2e9, 1e-8);
}

TEST_F(ProfileTest, ADiscThatIsNotThereOrDoesNotTurnIsAnError) {
  ProfileRequest request;
  request.disc = "bulge";
  const ParticleSet all = particles_at({{1, 0, 0}, {-1, 0, 0}});
  EXPECT_NE(agreed_error_of([&] { measure(all, request); }, 2, comm_).find("--disc bulge: there are all, halo"), std::string::npos);
  request.disc = "halo";
  EXPECT_NE(agreed_error_of([&] { measure(all, request); }, 3, comm_).find("no angular momentum"), std::string::npos);
}

}  // namespace
}  // namespace grove::tests
