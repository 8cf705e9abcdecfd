// Forces to compare with: direct summation on the back end under test, and errors relative to it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/gravity/gravity_names.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {

/// Sets theta, and the tolerance that gives criteria of relative error about as much work.
inline void set_accuracy(GravityParameters& gravity, double theta) {
  gravity.theta = theta;
  gravity.tolerance = 0.02 * theta * theta * theta;
}

/// Calls work() with every opening criterion and every softening kernel, of each of these lengths.
template <class Work>
void for_every_law(GravityParameters& gravity, std::initializer_list<double> softenings, Work work) {
  for (const std::string& opening : opening_names())
    for (const std::string& kernel : softening_names())
      for (const double softening : softenings) {
        SCOPED_TRACE(opening + ", " + kernel + ", " + std::to_string(softening));
        gravity.opening = opening;
        gravity.softening_kernel = kernel;
        gravity.softening = softening;
        work();
      }
}

inline bool same_bits(const std::vector<Double4>& a, const std::vector<Double4>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Double4)) == 0);
}

/// Forces of all particles, of which number i has id i, on the `targets` with the given ids among them, in FP64.
inline std::vector<Double4> direct_forces(BackEnd& space, const GravityParameters& gravity, const std::vector<Double4>& particles,
                                          const std::vector<Double4>& targets, const std::vector<std::uint64_t>& target_ids) {
  std::vector<std::uint64_t> ids(particles.size());
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  const auto position = upload(space, particles), target_position = upload(space, targets);
  const auto id = upload(space, ids), target_id = upload(space, target_ids);
  auto acceleration = upload(space, std::vector<Double4>(targets.size()));
  add_direct_sum<BackEnd>(space, GravityLaw(gravity), {position.view(), id.view()},
                          {target_position.view(), target_id.view(), acceleration.view()});
  return download(space, acceleration);
}

/// Forces of all particles on each other, in FP64; particle i has id i.
inline std::vector<Double4> direct_forces(BackEnd& space, const GravityParameters& gravity, const std::vector<Double4>& particles) {
  std::vector<std::uint64_t> ids(particles.size());
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  return direct_forces(space, gravity, particles, particles, ids);
}

/// The same, kept for the next time that they are asked for: direct summation takes most of the time of many tests.
inline const std::vector<Double4>& reference_forces(BackEnd& space, const GravityParameters& gravity,
                                                    const std::vector<Double4>& particles) {
  struct Known {
    double g, softening;
    std::string kernel;
    std::vector<Double4> particles, forces;
  };
  static std::list<Known> all;
  for (const Known& known : all)
    if (known.g == gravity.G && known.softening == gravity.softening && known.kernel == gravity.softening_kernel &&
        same_bits(known.particles, particles))
      return known.forces;
  constexpr std::size_t most = 32;
  if (all.size() == most) all.pop_front();
  all.push_back({gravity.G, gravity.softening, gravity.softening_kernel, particles, direct_forces(space, gravity, particles)});
  return all.back().forces;
}

/// Errors |a - b| / |b| of accelerations and potentials. Where b is far below the rms, as in the centre of a system, the error is relative
/// to 1 % of the rms: rounding of forces that cancel is no error.
class ForceErrors {
 public:
  ForceErrors(const std::vector<Double4>& a, const std::vector<Double4>& b) {
    double rms = 0;
    for (const Double4& f : b) rms = std::max(rms, norm(f) * norm(f));
    double mean2 = 0;
    for (const Double4& f : b) mean2 += rms > 0 ? norm(f) / std::sqrt(rms) * norm(f) / std::sqrt(rms) : 0;
    const double floor = 0.01 * std::sqrt(rms * mean2 / static_cast<double>(std::max<std::size_t>(b.size(), 1)));
    for (std::size_t i = 0; i < a.size(); ++i) {
      finite_ = finite_ && std::isfinite(a[i].x + a[i].y + a[i].z + a[i].w);
      acceleration_.push_back(ratio(norm({a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z, 0}), std::max(norm(b[i]), floor)));
      potential_.push_back(ratio(std::abs(a[i].w - b[i].w), std::abs(b[i].w)));
    }
    std::sort(acceleration_.begin(), acceleration_.end());
    std::sort(potential_.begin(), potential_.end());
  }

  /// The error that the given fraction of particles does not exceed; 1 for the largest.
  double acceleration(double fraction) const { return at(acceleration_, fraction); }
  double potential(double fraction) const { return at(potential_, fraction); }
  bool all_finite() const { return finite_; }

 private:
  static double norm(const Double4& a) { return std::hypot(a.x, a.y, a.z); }
  /// Infinite for NaN, so that sorting is defined and no comparison passes.
  static double ratio(double error, double of) { return error == 0 ? 0 : std::isfinite(error) && of > 0 ? error / of : HUGE_VAL; }
  static double at(const std::vector<double>& sorted, double fraction) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
  }

  std::vector<double> acceleration_, potential_;
  bool finite_ = true;
};

/// Errors of every `stride`-th of the first particles, on which `forces` are: fewer pairs than for all of them.
inline ForceErrors errors_of_every(std::size_t stride, BackEnd& space, const GravityParameters& gravity,
                                   const std::vector<Double4>& particles, const std::vector<Double4>& forces) {
  std::vector<std::uint64_t> ids;
  std::vector<Double4> some, forces_on_some;
  for (std::size_t i = 0; i < forces.size(); i += stride) {
    ids.push_back(i);
    some.push_back(particles[i]);
    forces_on_some.push_back(forces[i]);
  }
  return {forces_on_some, direct_forces(space, gravity, particles, some, ids)};
}

}  // namespace grove::tests
