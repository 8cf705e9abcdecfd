// The speed/error curve of a method: one set of particles, many accuracy settings, each with its speed, work and errors.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/bench/bench_statistics.hpp"
#include "src/bench/curve_picture.hpp"
#include "src/config/config.hpp"

namespace grove {

struct SweepPoint {
  GravityParameters gravity;
  ForceBenchmark benchmark;
};

struct SweepCurve {
  std::string name;         ///< of the generator or file
  std::string description;  ///< of the particles
  std::string device;
  std::uint64_t particles = 0;
  std::vector<SweepPoint> points;
};

/// The settings of a sweep when the user names none, from coarse to fine: two decades in the error and more.
const std::vector<std::string>& default_settings(const GravityParameters& gravity);

/// Measures the forces on the particles of `configs`, which differ only in the accuracy setting: `repeats` evaluations with each of them,
/// errors of `targets` particles. Particles and their direct summation are made once. Collective.
SweepCurve sweep_accuracy(const std::vector<Config>& configs, std::uint64_t repeats, std::uint64_t targets, const Communicator& comm);

/// One line a setting; `setting` is the name of the key that differs.
std::string sweep_table(const SweepCurve& curve, const std::string& setting);
nlohmann::ordered_json sweep_json(const SweepCurve& curve, const std::string& setting);
/// Particles per second of the whole force over the 99 % error, a curve for each of `curves`.
CurvePicture sweep_picture(const std::vector<SweepCurve>& curves, const std::string& setting, const std::string& title);

}  // namespace grove
