// A session of the C interface on all ranks, for tests.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "src/session/grove.h"
#include "tests/support/physics_support.hpp"

namespace grove::tests {

inline std::string settings() { return "[gravity]\nsoftening = 0.05\n[time]\ndt = 0.0078125\n[run]\ndevice = \"" + test_device() + "\"\n"; }

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

}  // namespace grove::tests
