// The C interface: particles from memory, steps, fields, forces at points, files and errors, on any number of ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "decomposition/domain/sort_by_id.hpp"
#include "src/session/grove.h"
#include "src/simulation/simulation_cuda.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

std::string settings() { return "[gravity]\nsoftening = 0.05\n[time]\ndt = 0.0078125\n[run]\ndevice = \"" + test_device() + "\"\n"; }

template <class T>
grove_array array_of(std::vector<T>& values) {
  const int type = std::is_same_v<T, double> ? GROVE_F64 : std::is_same_v<T, float> ? GROVE_F32 : sizeof(T) == 1 ? GROVE_U8 : GROVE_U64;
  return {values.data(), type, 0, 0, 0};
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override { create(settings()); }
  void TearDown() override {
    EXPECT_EQ(grove_destroy(session_), GROVE_OK);
    comm_.barrier();
  }

  void create(const std::string& toml) {
    grove_destroy(session_);
    session_ = nullptr;
    const MPI_Comm raw = comm_.raw();
    ASSERT_EQ(grove_create(toml.c_str(), &raw, &session_), GROVE_OK) << grove_last_error();
  }
  void set(ParticleSet all) {
    ParticleSet own = share_of(all, comm_);
    const grove_particles given{own.size(),         array_of(own.position), array_of(own.velocity),
                                array_of(own.mass), array_of(own.id),       array_of(own.type)};
    ASSERT_EQ(grove_set_particles(session_, &given), GROVE_OK) << grove_last_error();
  }
  std::size_t share() const {
    std::size_t n = 0;
    EXPECT_EQ(grove_count(session_, nullptr, &n), GROVE_OK);
    return n;
  }
  std::uint64_t count() const {
    std::uint64_t n = 0;
    EXPECT_EQ(grove_count(session_, &n, nullptr), GROVE_OK);
    return n;
  }
  /// The field of all ranks, in the order of ids.
  template <class T = double>
  std::vector<T> get(const char* field, std::size_t components) const {
    std::vector<T> values(components * share());
    EXPECT_EQ(grove_get(session_, field, array_of(values)), GROVE_OK) << grove_last_error();
    return comm_.all_gather_vectors<T>(values);
  }
  void expect_error(int kind, const std::string& text, int result) const {
    EXPECT_EQ(result, kind) << text;
    EXPECT_NE(std::string(grove_last_error()).find(text), std::string::npos) << grove_last_error();
  }
  grove_energies energies() const {
    grove_energies found{};
    EXPECT_EQ(grove_get_energies(session_, &found), GROVE_OK) << grove_last_error();
    return found;
  }

  /// Accelerations and, behind them, potentials at these points of this rank.
  std::vector<double> field_at(std::vector<double> points) {
    const std::size_t n = points.size() / 3;
    std::vector<double> acceleration(3 * n), potential(n);
    EXPECT_EQ(grove_field_at(session_, n, array_of(points), array_of(acceleration), array_of(potential)), GROVE_OK) << grove_last_error();
    acceleration.insert(acceleration.end(), potential.begin(), potential.end());
    return acceleration;
  }

  const Communicator comm_{MPI_COMM_WORLD};
  grove_session* session_ = nullptr;
};

/// Direct sums with these softening lengths of the types, in the order of SessionTest::field_at().
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

/// The largest relative error of the accelerations, and of the potentials.
std::array<double, 2> largest_errors(const std::vector<double>& found, const std::vector<double>& expected) {
  std::array<double, 2> largest{};
  const std::size_t n = found.size() / 4;
  for (std::size_t k = 0; k < n; ++k) {
    double difference2 = 0, all2 = 0;
    for (std::size_t d = 3 * k; d < 3 * k + 3; ++d) {
      difference2 += std::pow(found[d] - expected[d], 2);
      all2 += std::pow(expected[d], 2);
    }
    largest[0] = std::max(largest[0], std::sqrt(difference2 / all2));
    largest[1] = std::max(largest[1], std::abs(found[3 * n + k] / expected[3 * n + k] - 1));
  }
  return largest;
}

TEST_F(SessionTest, StepsAreThoseOfASimulation) {
  const ParticleSet all = plummer(500);
  set(all);
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const auto sim = make_simulation(test_device(), {.softening = 0.05, .all_pairs_up_to = 16384}, comm_);
  sim->start(share_of(all, comm_), 0);
  for (int step = 1; step <= 16; ++step) sim->step_to(step * 0.0078125, 0.0078125);
  const ParticleSet expected = sort_by_id(sim->particles(), comm_);
  EXPECT_EQ(get("position", 3), comm_.all_gather_vectors<double>(expected.position));
  EXPECT_EQ(get("velocity", 3), comm_.all_gather_vectors<double>(expected.velocity));
  EXPECT_EQ(get("acceleration", 3), comm_.all_gather_vectors<double>(expected.acceleration));
  EXPECT_EQ(energies().total, sim->diagnostics().total_energy());
  double time = 0;
  EXPECT_EQ(grove_time(session_, &time), GROVE_OK);
  EXPECT_EQ(time, 0.125);
}

TEST_F(SessionTest, LookingChangesNothing) {
  set(plummer(300));
  ASSERT_EQ(grove_evolve(session_, 0.25, nullptr, nullptr), GROVE_OK);
  const std::vector<double> expected = get("position", 3);
  set(plummer(300));
  create(settings());
  set(plummer(300));
  int calls = 0;
  const auto look = [](grove_session* session, void* data) {
    grove_energies found;
    std::size_t n = 0;
    if (grove_count(session, nullptr, &n) != GROVE_OK || grove_get_energies(session, &found) != GROVE_OK) return 1;
    ++*static_cast<int*>(data);
    return 0;
  };
  ASSERT_EQ(grove_evolve(session_, 0.25, look, &calls), GROVE_OK) << grove_last_error();
  EXPECT_EQ(calls, 32);
  EXPECT_EQ(get("position", 3), expected);
}

TEST_F(SessionTest, ACallbackOfOneRankStopsAll) {
  set(plummer(100));
  const auto stop_at_3 = [](grove_session* session, void* data) {
    double time = 0;
    grove_time(session, &time);
    return time == 3 * 0.0078125 && *static_cast<int*>(data) == 0 ? 1 : 0;
  };
  int rank = comm_.rank();
  EXPECT_EQ(grove_evolve(session_, 1, stop_at_3, &rank), GROVE_STOPPED);
  EXPECT_EQ(energies().time, 3 * 0.0078125);
  EXPECT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK);
  EXPECT_EQ(energies().time, 0.0625);
}

TEST_F(SessionTest, OneRankMayAskAlone) {
  set(plummer(100));
  int called = 0;
  const auto count = [](grove_session*, void* data) { return ++*static_cast<int*>(data) == 3 ? 1 : 0; };
  EXPECT_EQ(grove_evolve(session_, 1, comm_.is_root() ? +count : nullptr, &called), GROVE_STOPPED);
  EXPECT_EQ(called, comm_.is_root() ? 3 : 0);
  EXPECT_EQ(energies().time, 3 * 0.0078125);
  const auto at_once = [](void*) { return 1; };
  EXPECT_EQ(grove_set_interrupt(session_, comm_.is_root() ? +at_once : nullptr, nullptr), GROVE_OK);
  EXPECT_EQ(grove_evolve(session_, 1, nullptr, nullptr), GROVE_STOPPED);
  EXPECT_LE(energies().time, 5 * 0.0078125);
}

TEST_F(SessionTest, ACallbackCanNeitherStepNorDestroyItsSession) {
  set(plummer(100));
  std::vector<std::string> said;
  const auto misuse = [](grove_session* session, void* data) {
    EXPECT_EQ(grove_evolve(session, 10, nullptr, nullptr), GROVE_SETTING);
    static_cast<std::vector<std::string>*>(data)->emplace_back(grove_last_error());
    EXPECT_EQ(grove_destroy(session), GROVE_SETTING);
    static_cast<std::vector<std::string>*>(data)->emplace_back(grove_last_error());
    return 1;
  };
  EXPECT_EQ(grove_evolve(session_, 1, misuse, &said), GROVE_STOPPED);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[0].find("a callback cannot step its session"), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("a callback cannot destroy its session"), std::string::npos) << said[1];
}

/// Copies `count` items of `size` bytes each between memory of the device and of the host, either way.
void copy_rows(const grove_array& lent, void* host, std::size_t count, std::size_t size, bool to_host) {
  for (std::size_t i = 0; i < count; ++i) {
    char* const there = static_cast<char*>(lent.data) + static_cast<std::ptrdiff_t>(i) * lent.row;
    char* const here = static_cast<char*>(host) + i * size;
    void* const to = to_host ? here : there;
    const void* const from = to_host ? there : here;
    if (lent.on_gpu)
      copy_gpu_memory(to, from, size);
    else
      std::memcpy(to, from, size);
  }
}

TEST_F(SessionTest, LentParticlesAreTheOnesThatMove) {
  set(plummer(300));
  ASSERT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const std::vector<double> position = get("position", 3), acceleration = get("acceleration", 3);
  const double potential = energies().potential;
  grove_local_arrays lent;
  ASSERT_EQ(grove_lend(session_, &lent), GROVE_OK) << grove_last_error();
  EXPECT_EQ(comm_.sum(std::uint64_t{lent.count}), 300U);
  std::vector<double> x(3 * lent.count);
  copy_rows(lent.position, x.data(), lent.count, 3 * sizeof(double), true);
  for (std::size_t i = 0; i < lent.count; ++i) x[3 * i] += 10;
  copy_rows(lent.position, x.data(), lent.count, 3 * sizeof(double), false);
  std::uint64_t n = 0;
  EXPECT_EQ(grove_count(session_, &n, nullptr), GROVE_SETTING);
  EXPECT_NE(std::string(grove_last_error()).find("the particles are lent"), std::string::npos) << grove_last_error();
  ASSERT_EQ(grove_take_back(session_, 1), GROVE_OK) << grove_last_error();
  const std::vector<double> moved = get("position", 3), forces = get("acceleration", 3);
  for (std::size_t i = 0; i < position.size(); ++i) {
    EXPECT_EQ(moved[i], position[i] + (i % 3 == 0 ? 10 : 0));
    EXPECT_NEAR(forces[i], acceleration[i], 1e-3);
  }
  EXPECT_NEAR(energies().potential, potential, 1e-3 * std::abs(potential));
  EXPECT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK) << grove_last_error();
  expect_error(GROVE_SETTING, "the particles are not lent", grove_take_back(session_, 1));
}

TEST_F(SessionTest, LentParticlesThatAreOnlyReadChangeNoBits) {
  const auto position_after_steps = [&](bool looks) {
    create(settings());
    set(plummer(300));
    const auto look = [](grove_session* session, void*) {
      grove_local_arrays lent;
      return grove_lend(session, &lent) == GROVE_OK && grove_take_back(session, 0) == GROVE_OK ? 0 : 1;
    };
    EXPECT_EQ(grove_evolve(session_, 0.125, looks ? +look : nullptr, nullptr), GROVE_OK) << grove_last_error();
    return get("position", 3);
  };
  EXPECT_EQ(position_after_steps(true), position_after_steps(false));
}

TEST_F(SessionTest, LentParticlesWithNumbersThatCannotBeAreErrors) {
  for (const bool is_mass : {false, true}) {
    set(plummer(100));
    grove_local_arrays lent;
    ASSERT_EQ(grove_lend(session_, &lent), GROVE_OK) << grove_last_error();
    double bad = is_mass ? 5 : std::nan("");
    if (comm_.is_root()) copy_rows(is_mass ? lent.mass : lent.velocity, &bad, 1, sizeof(double), false);
    expect_error(GROVE_DATA, is_mass ? "masses of particles have been written" : "not finite", grove_take_back(session_, 1));
  }
  set(plummer(20));
  EXPECT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK) << grove_last_error();
}

TEST_F(SessionTest, AnInterruptEndsTheStepsWithinTwo) {
  set(plummer(100));
  int asked = 0;
  const auto after_5 = [](void* data) { return ++*static_cast<int*>(data) == 5 ? 1 : 0; };
  ASSERT_EQ(grove_set_interrupt(session_, after_5, &asked), GROVE_OK);
  EXPECT_EQ(grove_evolve(session_, 1, nullptr, nullptr), GROVE_STOPPED);
  const double time = energies().time / 0.0078125;
  EXPECT_TRUE(time == 5 || time == 6) << time;
  ASSERT_EQ(grove_set_interrupt(session_, nullptr, nullptr), GROVE_OK);
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK);
  const std::vector<double> interrupted = get("position", 3);
  create(settings());
  set(plummer(100));
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK);
  EXPECT_EQ(get("position", 3), interrupted) << "the same steps";
}

TEST_F(SessionTest, TakesAndGivesArraysOfAnyStride) {
  ParticleSet all = plummer(60), own = share_of(all, comm_);
  // x, y, z, m of each, and velocities by component, in 32 bits.
  std::vector<float> rows, columns(3 * own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      rows.push_back(static_cast<float>(own.position[3 * i + d]));
      columns[d * own.size() + i] = static_cast<float>(own.velocity[3 * i + d]);
    }
    rows.push_back(static_cast<float>(own.mass[i]));
  }
  const grove_particles given{own.size(),
                              {rows.data(), GROVE_F32, 16, 0, 0},
                              {columns.data(), GROVE_F32, 4, static_cast<std::ptrdiff_t>(4 * own.size()), 0},
                              {rows.data() + 3, GROVE_F32, 16, 0, 0},
                              array_of(own.id),
                              {}};
  ASSERT_EQ(grove_set_particles(session_, &given), GROVE_OK) << grove_last_error();
  const std::vector<double> x = get("position", 3), v = get("velocity", 3), m = get("mass", 1);
  for (std::size_t i = 0; i < 180; ++i) {
    EXPECT_EQ(x[i], static_cast<float>(all.position[i]));
    EXPECT_EQ(v[i], static_cast<float>(all.velocity[i]));
  }
  EXPECT_EQ(m[7], static_cast<float>(all.mass[7]));
  EXPECT_EQ(get<std::uint8_t>("type", 1), std::vector<std::uint8_t>(60, 1));
  const std::vector<float> single = get<float>("position", 3);
  EXPECT_EQ(single[100], static_cast<float>(all.position[100]));
}

TEST_F(SessionTest, ParticlesComeAndGo) {
  set(plummer(50));
  std::vector<double> place{100.0 * (1 + comm_.rank()), 0, 0}, mass{1e-3};
  const grove_particles one{1, array_of(place), {}, array_of(mass), {}, {}};
  ASSERT_EQ(grove_add_particles(session_, &one), GROVE_OK) << grove_last_error();
  const auto ranks = static_cast<std::uint64_t>(comm_.size());
  EXPECT_EQ(count(), 50 + ranks);
  EXPECT_EQ(get<std::uint64_t>("id", 1).back(), 49 + ranks);
  EXPECT_EQ(get("position", 3)[150], 100);
  EXPECT_NEAR(get("acceleration", 3)[150], -1e-4, 1e-5) << "forces are new";
  const std::vector<std::uint64_t> wrong{3, 1000}, right{3, 50};
  expect_error(GROVE_DATA, "1 of 2 ids belong to no particle", grove_remove_particles(session_, 2, wrong.data()));
  EXPECT_EQ(count(), 50 + ranks);
  ASSERT_EQ(grove_remove_particles(session_, comm_.is_root() ? 2 : 0, right.data()), GROVE_OK) << grove_last_error();
  EXPECT_EQ(count(), 48 + ranks);
  EXPECT_EQ(get<std::uint64_t>("id", 1)[3], 4);
}

TEST_F(SessionTest, FieldsThatAreSetAreInTheNextForces) {
  set(plummer(50));
  const std::vector<double> before = get("acceleration", 3);
  std::vector<double> twice(share());
  ASSERT_EQ(grove_get(session_, "mass", array_of(twice)), GROVE_OK);
  for (double& m : twice) m *= 2;
  ASSERT_EQ(grove_set(session_, "mass", array_of(twice)), GROVE_OK) << grove_last_error();
  const std::vector<double> after = get("acceleration", 3);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], 2 * before[i], 1e-12 * std::abs(before[i]));
}

// Other velocities leave the forces and all that following steps depend on: with the first velocities again, the bits are the same.
TEST_F(SessionTest, VelocitiesAloneLeaveTheForces) {
  const ParticleSet all = plummer(2000);
  set(all);
  ASSERT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const std::vector<double> acceleration = get("acceleration", 3);
  std::vector<double> velocity(3 * share()), twice(3 * share());
  ASSERT_EQ(grove_get(session_, "velocity", array_of(velocity)), GROVE_OK);
  std::transform(velocity.begin(), velocity.end(), twice.begin(), [](double v) { return 2 * v; });
  const double kinetic = energies().kinetic;
  ASSERT_EQ(grove_set(session_, "velocity", array_of(twice)), GROVE_OK) << grove_last_error();
  EXPECT_NEAR(energies().kinetic, 4 * kinetic, 1e-12);
  EXPECT_EQ(get("velocity", 3), comm_.all_gather_vectors<double>(twice));
  EXPECT_EQ(get("acceleration", 3), acceleration) << "others would be computed without the last ones";
  ASSERT_EQ(grove_set(session_, "velocity", array_of(velocity)), GROVE_OK) << grove_last_error();
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const std::vector<double> position = get("position", 3);
  create(settings());
  set(all);
  ASSERT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK) << grove_last_error();
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK) << grove_last_error();
  EXPECT_EQ(get("position", 3), position);
}

TEST_F(SessionTest, ForcesAtPointsAreThoseOfTheParticles) {
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
TEST_F(SessionTest, ForcesAtPointsHaveTheSofteningOfComponents) {
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
TEST_F(SessionTest, TellsTheSofteningOfEachType) {
  std::array<double, 6> lengths{};
  ASSERT_EQ(grove_get_softening(session_, lengths.data()), GROVE_OK);
  EXPECT_EQ(lengths, (std::array<double, 6>{0.05, 0.05, 0.05, 0.05, 0.05, 0.05}));
  create("[gravity]\nsoftening = { halo = 2.0, stream = 0.5 }\n[run]\ndevice = \"" + test_device() + "\"\n");
  const char* const names[6] = {nullptr, nullptr, nullptr, nullptr, "stream", nullptr};
  ASSERT_EQ(grove_set_components(session_, names), GROVE_OK);
  ASSERT_EQ(grove_get_softening(session_, lengths.data()), GROVE_OK);
  EXPECT_EQ(lengths[1], 2.0);
  EXPECT_EQ(lengths[4], 0.5);
  for (const std::size_t type : {0, 2, 3, 5}) EXPECT_TRUE(std::isnan(lengths[type])) << type;
}

TEST_F(SessionTest, ForcesAtPointsAreAsExactAsThoseOfParticles) {
  ParticleSet all = plummer(4000);
  for (std::size_t i = 0; i < all.size(); ++i) all.type[i] = static_cast<std::uint8_t>(1 + i % 2);
  for (const std::string softening : {"0.05", "0.0", "{ halo = 0.05, disc = 0.2 }"}) {
    SCOPED_TRACE(softening);
    create("[gravity]\nsoftening = " + softening + "\n[run]\ndevice = \"" + test_device() + "\"\n");
    set(all);
    const std::size_t n = comm_.rank() == 1 ? 0 : 100;
    std::vector<double> points(3 * n), acceleration(3 * n), potential(n);
    for (std::size_t i = 0; i < 3 * n; ++i)
      points[i] = (i < 270 ? 1.01 : 20.0) * all.position[3 * (37 * (i / 3) + static_cast<std::size_t>(comm_.rank())) + i % 3];
    ASSERT_EQ(grove_field_at(session_, n, array_of(points), array_of(acceleration), array_of(potential)), GROVE_OK) << grove_last_error();
    std::vector<double> errors;
    for (std::size_t k = 0; k < n; ++k) {
      Double3 sum{};
      double phi = 0;
      for (std::size_t j = 0; j < all.size(); ++j) {
        const double eps = softening == "0.0" ? 0 : softening == "0.05" || all.type[j] == 1 ? 0.05 : 0.2;
        Double3 d{all.position[3 * j] - points[3 * k], all.position[3 * j + 1] - points[3 * k + 1],
                  all.position[3 * j + 2] - points[3 * k + 2]};
        const double r2 = dot(d, d) + eps * eps;
        sum = sum + (all.mass[j] / (r2 * std::sqrt(r2))) * d;
        phi -= all.mass[j] / std::sqrt(r2);
      }
      const Double3 difference = sum - Double3{acceleration[3 * k], acceleration[3 * k + 1], acceleration[3 * k + 2]};
      errors.push_back(std::sqrt(dot(difference, difference) / dot(sum, sum)));
      EXPECT_NEAR(potential[k], phi, 1e-3 * std::abs(phi));
    }
    std::sort(errors.begin(), errors.end());
    if (n == 0) continue;
    EXPECT_LT(errors[n * 98 / 100], 3e-3);
    EXPECT_GT(errors[n / 2], 1e-8) << "trees were walked";
  }
}

TEST_F(SessionTest, ForcesAtPointsAreThoseOfDirectSumsWithEachMethodAndOpeningCriterion) {
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

TEST_F(SessionTest, ForcesAtPointsDoNotDependOnEarlierCalls) {
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

TEST_F(SessionTest, ForcesAtPointsAreThoseOfThePresentParticles) {
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

TEST_F(SessionTest, LoadingBeginsAnewAtItsTime) {
  const std::string at_5 = settings().replace(settings().find("[time]\n"), 7, "[time]\nbegin = 5\n");
  create(at_5 + "[initial_conditions]\ngenerator = \"plummer\"\nn = 50\n");
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(grove_load(session_), GROVE_OK) << grove_last_error();
    EXPECT_EQ(energies().time, 5);
    ASSERT_EQ(grove_evolve(session_, 5.015625, nullptr, nullptr), GROVE_OK) << grove_last_error();
  }
}

TEST_F(SessionTest, SnapshotsAreReadAgain) {
  const TemporaryDirectory directory(comm_);
  const std::string file = directory.file("here.hdf5");
  set(plummer(40));
  ASSERT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK);
  ASSERT_EQ(grove_save(session_, file.c_str(), 0), GROVE_OK) << grove_last_error();
  expect_error(GROVE_SETTING, "exists already", grove_save(session_, file.c_str(), 0));
  ASSERT_EQ(grove_save(session_, file.c_str(), 1), GROVE_OK) << grove_last_error();
  const std::vector<double> x = get("position", 3);
  create(settings() + "[initial_conditions]\nfile = \"" + file + "\"\n");
  ASSERT_EQ(grove_load(session_), GROVE_OK) << grove_last_error();
  EXPECT_EQ(get("position", 3), x);
  comm_.barrier();
}

TEST_F(SessionTest, ACheckpointIsContinuedToTheBit) {
  const TemporaryDirectory directory(comm_);
  const std::string file = directory.file("here.checkpoint");
  set(plummer(2000));
  ASSERT_EQ(grove_evolve(session_, 0.0625, nullptr, nullptr), GROVE_OK) << grove_last_error();
  ASSERT_EQ(grove_save_checkpoint(session_, file.c_str(), 0), GROVE_OK) << grove_last_error();
  expect_error(GROVE_SETTING, "exists already", grove_save_checkpoint(session_, file.c_str(), 0));
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK);
  const std::vector<double> position = get("position", 3);
  create(settings());
  ASSERT_EQ(grove_restore(session_, file.c_str()), GROVE_OK) << grove_last_error();
  EXPECT_EQ(count(), 2000U);
  EXPECT_EQ(energies().time, 0.0625);
  ASSERT_EQ(grove_evolve(session_, 0.125, nullptr, nullptr), GROVE_OK) << grove_last_error();
  EXPECT_EQ(get("position", 3), position);
  create("[gravity]\nsoftening = 0.07\n[time]\ndt = 0.0078125\n[run]\ndevice = \"" + test_device() + "\"\n");
  expect_error(GROVE_SETTING, "gravity.softening = 0.07, before 0.05", grove_restore(session_, file.c_str()));
  expect_error(GROVE_DATA, "nowhere", grove_restore(session_, "nowhere.checkpoint"));
}

TEST_F(SessionTest, TheFirstStateIsAdvisedOn) {
  set(plummer(200));
  const auto advice = [&](double time) {
    const char* text = nullptr;
    EXPECT_EQ(grove_advise(session_, time, &text), GROVE_OK) << grove_last_error();
    return std::string(text);
  };
  EXPECT_EQ(advice(1), "");
  EXPECT_EQ(advice(1), "");
  create("[gravity]\nsoftening = 0.05\n[time]\ndt = 2\n[run]\ndevice = \"" + test_device() + "\"\n");
  EXPECT_EQ(advice(4), "") << "without particles";
  set(plummer(200));
  EXPECT_EQ(advice(-1), "") << "evolve() says what is wrong";
  EXPECT_EQ(advice(0), "") << "no steps";
  // Also where the steps to a near time are short.
  const std::string found = advice(0.01);
  EXPECT_EQ(found.find("time.dt = 2 is long for") != std::string::npos, comm_.is_root()) << found;
  EXPECT_EQ(advice(4), "") << "said already";
  expect_error(GROVE_SETTING, "no place", grove_advise(session_, 4, nullptr));
}

TEST_F(SessionTest, ASessionOfThisRankAloneNeedsNoCommunicatorOfMpi) {
  grove_session* own = nullptr;
  ASSERT_EQ(grove_create(settings().c_str(), grove_comm_self(), &own), GROVE_OK) << grove_last_error();
  ParticleSet some = plummer(20);
  const grove_particles given{some.size(),         array_of(some.position), array_of(some.velocity),
                              array_of(some.mass), array_of(some.id),       array_of(some.type)};
  EXPECT_EQ(grove_set_particles(own, &given), GROVE_OK) << grove_last_error();
  std::uint64_t all = 0;
  EXPECT_EQ(grove_count(own, &all, nullptr), GROVE_OK);
  EXPECT_EQ(all, 20U);
  EXPECT_EQ(grove_destroy(own), GROVE_OK);
}

TEST_F(SessionTest, AStepThatWasChosenIsKept) {
  const std::string automatic = "[gravity]\nsoftening = 0.05\n[time]\ndt = \"auto\"\n[run]\ndevice = \"" + test_device() + "\"\n";
  const TemporaryDirectory directory(comm_);
  const std::string file = directory.file("here.checkpoint");
  create(automatic);
  set(plummer(2000));
  ASSERT_EQ(grove_evolve(session_, 0.5, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const double energy = energies().kinetic + energies().potential;
  ASSERT_EQ(grove_save_checkpoint(session_, file.c_str(), 0), GROVE_OK) << grove_last_error();
  ASSERT_EQ(grove_evolve(session_, 1.0, nullptr, nullptr), GROVE_OK);
  EXPECT_NEAR(energies().kinetic + energies().potential, energy, 1e-3 * std::abs(energy));
  const std::vector<double> position = get("position", 3);
  create(automatic);
  ASSERT_EQ(grove_restore(session_, file.c_str()), GROVE_OK) << grove_last_error();
  ASSERT_EQ(grove_evolve(session_, 1.0, nullptr, nullptr), GROVE_OK) << grove_last_error();
  EXPECT_EQ(get("position", 3), position);
}

TEST_F(SessionTest, MistakesAreErrorsInWordsAndTheSessionLives) {
  expect_error(GROVE_SETTING, "there are no particles yet", grove_evolve(session_, 1, nullptr, nullptr));
  expect_error(GROVE_SETTING, "no particles to load", grove_load(session_));
  set(plummer(20));
  std::vector<double> values(3 * share());
  expect_error(GROVE_SETTING, "no field \"colour\"", grove_get(session_, "colour", array_of(values)));
  expect_error(GROVE_SETTING, "no field \"id\" to set", grove_set(session_, "id", array_of(values)));
  expect_error(GROVE_SETTING, "there is no array", grove_get(session_, "mass", {}));
  std::vector<std::uint8_t> bytes(3 * share());
  expect_error(GROVE_SETTING, "must be GROVE_F64 or GROVE_F32", grove_get(session_, "position", array_of(bytes)));
  expect_error(GROVE_SETTING, "is before 0, which is reached", grove_evolve(session_, -1, nullptr, nullptr));
  expect_error(GROVE_SETTING, "the session is NULL", grove_load(nullptr));
  const char* const two_lines[6] = {nullptr, nullptr, "a\nb", nullptr, nullptr, nullptr};
  expect_error(GROVE_SETTING, "the component of type 2 is called \"a b\": a name has 1 to 255 bytes, in one line",
               grove_set_components(session_, two_lines));
  // One rank alone has a bad particle.
  ParticleSet bad = plummer(20);
  bad.position[0] = std::nan("");
  ParticleSet own = share_of(bad, comm_);
  const grove_particles given{own.size(),         array_of(own.position), array_of(own.velocity),
                              array_of(own.mass), array_of(own.id),       array_of(own.type)};
  expect_error(GROVE_DATA, "the particle with id 0: its position or velocity is not finite", grove_set_particles(session_, &given));
  // Two of one id.
  ParticleSet twice = share_of(plummer(20), comm_);
  if (comm_.is_root()) twice.id[0] = 1;
  const grove_particles double_ids{twice.size(),         array_of(twice.position), array_of(twice.velocity),
                                   array_of(twice.mass), array_of(twice.id),       {}};
  expect_error(GROVE_DATA, "occurs more than once", grove_set_particles(session_, &double_ids));
  EXPECT_EQ(count(), 20U) << "what was there stays";
  EXPECT_EQ(grove_evolve(session_, 0.0078125, nullptr, nullptr), GROVE_OK) << grove_last_error();
}

TEST_F(SessionTest, KeysOfARunHaveNoEffectAndAreErrors) {
  grove_session* none = nullptr;
  const MPI_Comm raw = comm_.raw();
  for (const std::string& text :
       {std::string("[time]\nend = 3\n"), std::string("[output]\ndirectory = \"a\"\n"), std::string("[pictures]\nevery = 1\n")})
    expect_error(GROVE_SETTING, "has no effect here", grove_create(text.c_str(), &raw, &none));
  expect_error(GROVE_SETTING, "configuration:2", grove_create("[gravity]\nsoftness = 1\n", &raw, &none));
  EXPECT_EQ(none, nullptr);
}

struct Spring {
  grove_session* session = nullptr;
  int calls = 0, fails = 0, result = 0;
  std::size_t count = 0;
  /// A force towards the origin.
  static int pull(void* data, double, std::size_t n, const double* x, double* a, double* potential) {
    Spring& spring = *static_cast<Spring*>(data);
    ++spring.calls;
    spring.count = n;
    spring.result = grove_load(spring.session);
    for (std::size_t i = 0; i < n; ++i) {
      potential[i] = 0;
      for (std::size_t d = 3 * i; d < 3 * i + 3; ++d) {
        a[d] = -x[d];
        potential[i] += 0.5 * x[d] * x[d];
      }
    }
    return spring.fails;
  }
};

TEST_F(SessionTest, AnExternalFieldOfTheCallerMovesTheParticles) {
  ParticleSet all = plummer(50);
  std::fill(all.mass.begin(), all.mass.end(), 1e-12);
  std::fill(all.velocity.begin(), all.velocity.end(), 0.0);
  set(all);
  Spring spring{session_};
  ASSERT_EQ(grove_set_external(session_, Spring::pull, &spring), GROVE_OK) << grove_last_error();
  const double energy = energies().total;
  ASSERT_EQ(grove_evolve(session_, 0.5, nullptr, nullptr), GROVE_OK) << grove_last_error();
  const std::vector<double> x = get("position", 3);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], std::cos(0.5) * all.position[i], 1e-4 * std::abs(all.position[i]));
  EXPECT_GT(energies().external, 0);
  EXPECT_NEAR(energies().total, energy, 1e-4 * energy);
  EXPECT_EQ(spring.result, GROVE_SETTING) << "it cannot use the session";
  const int earlier = spring.calls;
  for (int repeat = 1; repeat < 3; ++repeat) {
    EXPECT_NEAR(field_at({1, 2, 3})[1], -2, 1e-9);
    EXPECT_EQ(spring.calls, earlier + repeat) << "once for the points, and not for the particles";
    EXPECT_EQ(spring.count, 1U);
  }
  // One rank alone fails.
  spring.fails = comm_.is_root() ? 1 : 0;
  expect_error(GROVE_SETTING, "the external field has failed", grove_evolve(session_, 1, nullptr, nullptr));
  set(all);
  const int calls = spring.calls;
  ASSERT_EQ(grove_set_external(session_, nullptr, nullptr), GROVE_OK);
  ASSERT_EQ(grove_evolve(session_, 1, nullptr, nullptr), GROVE_OK) << grove_last_error();
  EXPECT_EQ(spring.calls, calls);
  EXPECT_EQ(energies().external, 0);
}

TEST_F(SessionTest, SeveralOfThemStepInTurns) {
  set(plummer(50));
  grove_session* const first = session_;
  session_ = nullptr;
  create(settings());
  set(plummer(70, 2));
  grove_session* const second = session_;
  for (const double time : {0.03125, 0.0625})
    for (grove_session* one : {first, second}) EXPECT_EQ(grove_evolve(one, time, nullptr, nullptr), GROVE_OK);
  session_ = first;
  EXPECT_EQ(count(), 50U);
  EXPECT_EQ(grove_destroy(second), GROVE_OK);
  EXPECT_EQ(energies().time, 0.0625);
}

}  // namespace
}  // namespace grove::tests
