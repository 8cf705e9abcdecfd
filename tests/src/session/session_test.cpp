// The C interface: particles from memory, fields, files and errors, on any number of ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/session/grove.h"
#include "tests/src/session/session_fixture.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

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
  expect_error(GROVE_SETTING, "the component of type 2 is called \"a\\u000ab\": a name has 1 to 255 bytes, in one line",
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

}  // namespace
}  // namespace grove::tests
