// Systems that break trees, on any number of ranks: the forces must be right, and steps must keep every particle.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <ostream>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "src/solver/force_method.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/physics_reference.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

struct System {
  std::string name;  ///< for ctest
  ParticleSet particles;
  double softening = 0.05;
  double G = 1;
  double dt = 1e-3;
  double stretch = 1;  ///< how much larger than their longest side cells are, compared with other systems
};
void PrintTo(const System& system, std::ostream* stream) { *stream << system.name; }

void set_position(ParticleSet& set, std::size_t i, double x, double y, double z) {
  const double value[3] = {x, y, z};
  std::copy(std::begin(value), std::end(value), set.position.begin() + static_cast<std::ptrdiff_t>(3 * i));
}

/// Moves every particle: change(i, position of i, velocity of i).
ParticleSet changed(ParticleSet set, const std::function<void(std::size_t, double*, double*)>& change) {
  for (std::size_t i = 0; i < set.size(); ++i) change(i, &set.position[3 * i], &set.velocity[3 * i]);
  return set;
}
ParticleSet with_masses(ParticleSet set, const std::function<double(std::size_t)>& mass) {
  for (std::size_t i = 0; i < set.size(); ++i) set.mass[i] = mass(i);
  return set;
}

ParticleSet all_at(std::uint64_t n, double x, double y, double z) {
  return changed(plummer(n), [=](std::size_t, double* position, double* velocity) {
    position[0] = x, position[1] = y, position[2] = z;
    std::fill(velocity, velocity + 3, 0.0);
  });
}

/// Particles 10 and 700 at one place.
ParticleSet with_a_pair() {
  ParticleSet set = plummer(1000);
  set_position(set, 700, set.position[30], set.position[31], set.position[32]);
  return set;
}

ParticleSet with_an_outlier(std::uint64_t n, double radii) {
  ParticleSet set = plummer(n);
  set_position(set, n / 3, 0.8 * radii, -0.6 * radii, 0.1 * radii);
  return set;
}

ParticleSet in_units(double length, double mass, double velocity) {
  const auto scale = [=](std::size_t, double* x, double* v) {
    for (int k = 0; k < 3; ++k) x[k] *= length, v[k] *= velocity;
  };
  return with_masses(changed(plummer(600), scale), [=](std::size_t) { return mass / 600; });
}

ParticleSet with_a_tenth_shrunk(ParticleSet set, double by) {
  return changed(std::move(set), [=](std::size_t i, double* x, double*) {
    for (int k = 0; k < 3 && i % 10 == 0; ++k) x[k] = 0.1 * k + by * x[k];
  });
}

/// As many particles in each decade of the radius.
ParticleSet cusp(std::uint64_t n) {
  return changed(plummer(n), [=](std::size_t i, double* x, double*) {
    const double by = std::pow(10.0, -9 * static_cast<double>(i) / static_cast<double>(n)) / std::hypot(x[0], x[1], x[2]);
    for (int k = 0; k < 3; ++k) x[k] *= by;
  });
}

/// Two pairs at a distance of 1, far from each other.
ParticleSet two_pairs(double apart) {
  return changed(plummer(4), [=](std::size_t i, double* x, double* v) {
    for (int k = 0; k < 3; ++k) x[k] = v[k] = 0;
    x[0] = (i / 2) * apart + (i % 2);
  });
}

/// On two axes, at 1, 0.1, 0.01, ... with masses that are 8 times smaller each.
ParticleSet over_decades(int decades) {
  ParticleSet set = plummer(2 * static_cast<std::uint64_t>(decades));
  for (std::size_t i = 0; i < set.size(); ++i) {
    const double exponent = static_cast<double>(i / 2), x = std::pow(10.0, -exponent);
    i % 2 == 0 ? set_position(set, i, x, 0, 0) : set_position(set, i, 0, -x, 0);
    set.mass[i] = std::pow(8.0, -exponent);
  }
  return set;
}

std::vector<System> systems() {
  std::vector<System> all;
  for (const std::uint64_t n : {1, 2, 3, 10, 16, 17, 100}) all.push_back({"Of" + std::to_string(n), plummer(n)});
  all.push_back({"OnePointSoftened", all_at(1000, 1, -2, 3)});
  all.push_back({"OnePointNewtonian", all_at(100, 1, -2, 3), 0});
  all.push_back({"TheOrigin", all_at(200, 0, 0, 0)});
  all.push_back({"APairAtOnePlace", with_a_pair()});
  all.push_back({"APairAtOnePlaceNewtonian", with_a_pair(), 0, 1, 1e-6});
  all.push_back({"AnOutlierAtAMillionRadii", with_an_outlier(1000, 1e6)});
  all.push_back({"AFewAndAnOutlier", with_an_outlier(30, 1e6)});
  all.push_back({"AnOutlierAt1e9Radii", with_an_outlier(300, 1e9)});
  all.push_back({"AnOutlierAt1e12Radii", with_an_outlier(1000, 1e12)});
  // Beside the size of the whole, pairs of the smallest part are 1e-14 apart.
  for (const int decades : {6, 10, 12})
    all.push_back(
        {"ATenthShrunkBy1e" + std::to_string(decades), with_a_tenth_shrunk(plummer(1000), std::pow(10.0, -decades)), 0, 1, 1e-25});
  all.push_back({"TwoPairs4e12SofteningsApart", two_pairs(1e12), 0.25});
  // On a GPU, forces at 1e-19 of the size may not fit into FP32, which is an error in words.
  all.push_back({"OverManyDecades", over_decades(gpu_wanted() ? 18 : 30), 0, 1, 1e-60});
  all.push_back({"ACuspOver9Decades", cusp(1000), 0, 1, 1e-20});
  all.push_back({"AMassRatioOf1e10", with_masses(plummer(1000), [](std::size_t i) { return i == 500 ? 1.0 : 1e-10; })});
  all.push_back(
      {"MassesOverTenDecades", with_masses(plummer(1000), [](std::size_t i) { return std::pow(10.0, -static_cast<double>(i) / 100); })});
  all.push_back({"Tracers", with_masses(plummer(1000), [](std::size_t i) { return i % 3 == 0 ? 1e-3 : 0.0; })});
  all.push_back({"OneMassAmongTracers", with_masses(plummer(500), [](std::size_t i) { return i == 77 ? 1.0 : 0.0; })});
  all.push_back({"NoMassAtAll", with_masses(plummer(500), [](std::size_t) { return 0.0; })});
  all.push_back({"ALine", changed(plummer(500), [](std::size_t, double* x, double* v) { x[1] = x[2] = v[1] = v[2] = 0; })});
  all.push_back({"ADiagonal", changed(plummer(500), [](std::size_t, double* x, double*) { x[1] = x[2] = x[0]; })});
  all.back().stretch = std::sqrt(3.0);
  all.push_back({"APlane", changed(plummer(800), [](std::size_t, double* x, double* v) { x[2] = 5, v[2] = 0; })});
  all.push_back(
      {"FarFromTheOrigin", changed(plummer(800), [](std::size_t, double* x, double*) { x[0] += 1e6, x[1] -= 1e6, x[2] += 1e6; })});
  // FP64 tells apart what is 1e-5 of the system's size away from each other.
  all.push_back({"SoFarThatRoundingShows",
                 changed(plummer(800), [](std::size_t, double* x, double*) { x[0] += 1e11, x[1] -= 1e11, x[2] += 1e11; }), 0, 1, 1e-6});
  all.push_back({"CentimetresAndGrams", in_units(1e21, 1e43, 1e7), 5e19, 6.674e-8, 1e11});
  all.push_back({"TinyUnits", in_units(1e-21, 1e-30, 1e-5), 5e-23, 1e-1, 1e-20});
  return all;
}

class Robust : public testing::TestWithParam<std::tuple<System, std::string>> {
 protected:
  static const System& system() { return std::get<0>(GetParam()); }
  static bool is_direct() { return std::get<1>(GetParam()) == "direct"; }
  static GravityParameters gravity(const std::string& kernel) {
    const std::string& method = std::get<1>(GetParam());
    // For the same accuracy: a line and a single mass are what is hardest on local expansions.
    return {.method = method,
            .opening = "barnes",
            .theta = method == "fmm" ? 0.3 : 0.5,
            .softening = system().softening,
            .softening_kernel = kernel,
            .G = system().G};
  }

  /// Direct: FP64 rounding of sums of up to a thousand terms. Trees: what the conformance tests allow at a theta of 0.5; the octupole that
  /// the expansion lacks grows with the third power of a cell's size.
  void expect_good_forces(const ParticleSet& now, const std::string& kernel) const {
    const ReferenceErrors errors = errors_against(reference_forces(now, gravity(kernel)), now);
    const double theta = 0.5 * system().stretch;
    EXPECT_LE(errors.largest_acceleration, is_direct() ? 1e-13 : 5.0 / 16 * std::pow(theta, 4));
    EXPECT_LE(errors.rms_acceleration, is_direct() ? 1e-14 : 0.0026 * std::pow(theta, 3));
    EXPECT_LE(errors.largest_potential, is_direct() ? 1e-13 : 0.0078 * std::pow(theta, 3));
  }

  void expect_same_particles(const ParticleSet& now) const {
    const ParticleSet& before = system().particles;
    EXPECT_EQ(now.id, before.id);
    EXPECT_EQ(now.mass, before.mass);
    EXPECT_EQ(now.type, before.type);
  }

  const Communicator comm_{MPI_COMM_WORLD};
};

TEST_P(Robust, ForcesAreRightAndStepsKeepEveryParticle) {
  for (const std::string kernel : {"plummer", "wendland_c2"}) {
    SCOPED_TRACE(kernel);
    const auto sim = simulation(gravity(kernel), comm_);
    sim->start(share_of(system().particles, comm_), 0);
    const ParticleSet first = collected(*sim, comm_);
    expect_same_particles(first);
    EXPECT_EQ(first.position, system().particles.position);
    expect_good_forces(first, kernel);
    for (int i = 0; i < 3; ++i) sim->step(system().dt);
    const ParticleSet last = collected(*sim, comm_);
    expect_same_particles(last);
    expect_good_forces(last, kernel);
    EXPECT_TRUE(std::isfinite(sim->diagnostics().total_energy()));
  }
}

TEST_P(Robust, ItDoesNotMatterWhichRankHasTheParticlesAtTheStart) {
  const auto sim = simulation(gravity("plummer"), comm_);
  sim->start(comm_.rank() == comm_.size() - 1 ? system().particles : ParticleSet{}, 0);
  const ParticleSet now = collected(*sim, comm_);
  expect_same_particles(now);
  expect_good_forces(now, "plummer");
}

std::string name_of(const testing::TestParamInfo<Robust::ParamType>& test) {
  return std::get<0>(test.param).name + "_" + std::get<1>(test.param);
}
INSTANTIATE_TEST_SUITE_P(Systems, Robust, testing::Combine(testing::ValuesIn(systems()), testing::ValuesIn(method_names())), name_of);

TEST(Softening, ThatDoesNotFitTheExtentIsAnErrorOnAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = plummer(500);
  for (const std::string method : {"fmm", "tree"})
    for (const double softening : {1e-15, 1e12}) {
      const auto sim = simulation({.method = method, .softening = softening}, comm);
      const std::string message = agreed_error_of([&] { sim->start(share_of(all, comm), 0); }, exit_code::setting, comm);
      EXPECT_NE(message.find(softening < 1 ? "too small" : "too large"), std::string::npos) << message;
    }
  const auto sim = simulation({.method = "direct", .softening = 1e-15}, comm);
  EXPECT_NO_THROW(sim->start(share_of(all, comm), 0));
}

TEST(Extent, BeyondTheNumbersOfAMethodIsAnErrorOnAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::string method : {"fmm", "tree", "direct"})
    for (const double factor : {1e-100, 1e100}) {
      ParticleSet all = plummer(500);
      for (double& x : all.position) x *= factor;
      const auto sim = simulation({.method = method}, comm);
      const std::string message = agreed_error_of([&] { sim->start(share_of(all, comm), 0); }, exit_code::data, comm);
      EXPECT_NE(message.find(factor < 1 ? "choose smaller units" : "choose larger units"), std::string::npos) << message;
    }
}

TEST(Tracers, FeelButDoNotAct) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = with_masses(plummer(2000), [](std::size_t i) { return i < 500 ? 1.0 / 500 : 0.0; });
  std::vector<std::size_t> massive(500);
  std::iota(massive.begin(), massive.end(), std::size_t{0});
  ParticleSet with, without;
  for (auto [result, set] : {std::pair{&with, all}, {&without, picked(all, massive)}}) {
    const auto sim = simulation(direct_gravity(0.05), comm);
    sim->start(share_of(set, comm), 0);
    for (int i = 0; i < 5; ++i) sim->step(0.01);
    *result = collected(*sim, comm);
  }
  double worst = 0, slowest = HUGE_VAL;
  for (std::size_t i = 0; i < 500; ++i) worst = std::max(worst, distance(with.position, without.position, i));
  for (std::size_t i = 500; i < 2000; ++i) slowest = std::min(slowest, distance(with.velocity, all.velocity, i));
  EXPECT_LE(worst, 1e-14);
  EXPECT_GT(slowest, 1e-5);
}

/// True in a build with -fsanitize=address, whose times mean nothing.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Interactions of one force evaluation of the tree, on all ranks.
double interactions_of(const ParticleSet& all, const Communicator& comm) {
  const auto sim = simulation(tree_gravity("barnes", 0.6, 0.01), comm);
  sim->start(share_of(all, comm), 0);
  const WorkCounts counts = sim->work_counts();
  return comm.sum(static_cast<double>(counts.particle_particle + counts.cell_particle));
}

// The outlier must not take the depth of the tree from the others. If keys divided a cube round all particles, or one that the mean
// position has a part in, the sphere would be in a few leaves.
TEST(Work, IsNotMultipliedByAnOutlier) {
  const Communicator comm(MPI_COMM_WORLD);
  const double usual = interactions_of(plummer(30000), comm);
  for (const double radii : {1e6, 1e9, 1e12}) EXPECT_LE(interactions_of(with_an_outlier(30000, radii), comm), 1.2 * usual) << radii;
}

TEST(Time, AHundredThousandAtOnePointAreNoDisaster) {
  if (sanitized) GTEST_SKIP() << "sanitizers slow loops down tenfold";
  const Communicator comm(MPI_COMM_WORLD);
  // Of this process alone: what else the machine does must not decide.
  const std::clock_t begin = std::clock();
  const auto sim = simulation(tree_gravity("barnes", 0.6, 0.05), comm);
  sim->start(share_of(all_at(100000, 1, -2, 3), comm), 0);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const ParticleSet all = collected(*sim, comm);
  ASSERT_EQ(all.size(), 100000U);
  for (std::size_t i = 0; i < all.size(); i += 1000) {
    EXPECT_EQ(norm(all.acceleration[3 * i], all.acceleration[3 * i + 1], all.acceleration[3 * i + 2]), 0);
    // Equal terms may err the same way each: adding up a block of 256 in FP32 may err by as many roundings of 2^-24.
    EXPECT_NEAR(all.potential[i] / (-(1 - 1e-5) / 0.05), 1, 256 * std::pow(2.0, -24));
  }
  EXPECT_LE(seconds, 60);
}

bool names_a_particle(const std::string& message) {
  const std::size_t id = message.find("with id "), end = message.find(" is not finite");
  return id != std::string::npos && end != std::string::npos && message.find_first_not_of("0123456789", id + 8) == end;
}
bool names_particle(const std::string& message, int id) {
  return message.find("id " + std::to_string(id) + " is not finite") != std::string::npos;
}

class NotFinite : public testing::Test {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
  static std::vector<GravityParameters> all_methods() {
    std::vector<GravityParameters> all;
    for (const std::string& method : method_names()) {
      all.push_back(tree_gravity("barnes", 0.6, 0.05));
      all.back().method = method;
    }
    return all;
  }
};

// Such a particle must be found before the forces: these spread it to all others.
TEST_F(NotFinite, PositionAfterADriftIsADataErrorThatNamesTheParticle) {
  for (const GravityParameters& gravity : all_methods()) {
    ParticleSet all = plummer(300);
    all.velocity[3 * 123 + 1] = 1e308;
    const auto sim = simulation(gravity, comm_);
    sim->start(share_of(all, comm_), 0);
    const std::string message = data_error_of([&] { sim->step(100); });
    EXPECT_TRUE(names_particle(message, 123)) << gravity.method << ": " << message;
    EXPECT_NE(message.find("at time 100 "), std::string::npos) << message;
  }
}

TEST_F(NotFinite, PositionAtTheStartIsADataErrorThatNamesTheParticle) {
  for (const GravityParameters& gravity : all_methods())
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      ParticleSet all = plummer(300);
      all.position[3 * 55] = bad;
      const auto sim = simulation(gravity, comm_);
      const std::string message = data_error_of([&] { sim->start(share_of(all, comm_), 0); });
      EXPECT_TRUE(names_particle(message, 55)) << gravity.method << ": " << message;
    }
}

TEST_F(NotFinite, AccelerationIsADataErrorThatNamesOneOfTheParticles) {
  for (GravityParameters gravity : all_methods()) {
    gravity.G = 1e308;
    const auto sim = simulation(gravity, comm_);
    const ParticleSet all = with_masses(plummer(300), [](std::size_t) { return 1e5; });
    EXPECT_TRUE(names_a_particle(data_error_of([&] { sim->start(share_of(all, comm_), 0); }))) << gravity.method;
  }
}

// Not zero, as if they were at one place.
TEST_F(NotFinite, ForcesOfPairsCloserThanSinglePrecisionHoldsAreADataError) {
  for (const std::string method : {"fmm", "tree"})
    for (const double distance : {1e-30, 1e-40, 1e-60}) {
      const auto sim = simulation({.method = method}, comm_);
      const ParticleSet all = changed(plummer(300), [=](std::size_t i, double* x, double*) {
        if (i == 10 || i == 200) x[0] = i == 10 ? 0 : distance, x[1] = x[2] = 0;
      });
      EXPECT_TRUE(names_a_particle(data_error_of([&] { sim->start(share_of(all, comm_), 0); }))) << method << ", " << distance;
    }
}

}  // namespace
}  // namespace grove::tests
