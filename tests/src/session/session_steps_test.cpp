// The C interface: steps, callbacks in them, particles in their place, and external fields of the caller, on any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "decomposition/domain/sort_by_id.hpp"
#include "src/session/grove.h"
#include "src/simulation/simulation_cuda.hpp"
#include "tests/src/session/session_fixture.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

class SessionStepsTest : public SessionTest {};

TEST_F(SessionStepsTest, StepsAreThoseOfASimulation) {
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

TEST_F(SessionStepsTest, LookingChangesNothing) {
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

TEST_F(SessionStepsTest, ACallbackOfOneRankStopsAll) {
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

TEST_F(SessionStepsTest, OneRankMayAskAlone) {
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

TEST_F(SessionStepsTest, ACallbackCanNeitherStepNorDestroyItsSession) {
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

TEST_F(SessionStepsTest, LentParticlesAreTheOnesThatMove) {
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

TEST_F(SessionStepsTest, LentParticlesThatAreOnlyReadChangeNoBits) {
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

TEST_F(SessionStepsTest, LentParticlesWithNumbersThatCannotBeAreErrors) {
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

TEST_F(SessionStepsTest, AnInterruptEndsTheStepsWithinTwo) {
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

TEST_F(SessionStepsTest, TheFirstStateIsAdvisedOn) {
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

TEST_F(SessionStepsTest, AStepThatWasChosenIsKept) {
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

TEST_F(SessionStepsTest, AnExternalFieldOfTheCallerMovesTheParticles) {
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

TEST_F(SessionStepsTest, SeveralOfThemStepInTurns) {
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
