// What the physics tests share: simulations on the device under test, particles dealt to the ranks and collected again, an independent
// direct sum.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/bench/force_errors.hpp"
#include "src/generators/generator.hpp"
#include "src/simulation/devices.hpp"
#include "tests/support/gpu_present.hpp"

namespace grove::tests {

/// The back end under test: GROVE_TEST_DEVICE, the CPU without it.
inline std::string test_device() { return gpu_wanted() ? "gpu" : "cpu"; }

inline std::unique_ptr<Simulation> simulation(const GravityParameters& gravity, const Communicator& comm) {
  return make_simulation(test_device(), gravity, comm);
}

inline GravityParameters tree_gravity(const std::string& opening, double theta, double softening, const std::string& kernel = "plummer") {
  return {.method = "tree", .opening = opening, .theta = theta, .softening = softening, .softening_kernel = kernel};
}
/// The relative criterion, as by default.
inline GravityParameters fmm_gravity(double tolerance, double softening, std::uint64_t order = 4) {
  return {.method = "fmm", .opening = "relative", .tolerance = tolerance, .softening = softening, .order = order};
}
inline GravityParameters direct_gravity(double softening, const std::string& kernel = "plummer") {
  return {.method = "direct", .softening = softening, .softening_kernel = kernel};
}

/// Plummer sphere with G = M = a = 1, ids 0 .. n - 1, the same on every rank.
inline ParticleSet plummer(std::uint64_t n, std::uint64_t seed = 1) {
  InitialConditions conditions;
  conditions.generator = "plummer";
  conditions.n = n;
  conditions.seed = seed;
  return generate(conditions, 1.0, 0, n);
}

/// Two bodies at apocentre of an ellipse with G = M = a = 1 and masses 0.7 and 0.3, in opposite directions from the origin, which is the
/// centre of mass at rest.
inline ParticleSet ellipse(double eccentricity) {
  const double masses[2] = {0.7, 0.3};
  const double separation = 1 + eccentricity, speed = std::sqrt((1 - eccentricity) / (1 + eccentricity));
  ParticleSet two;
  two.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double part = i == 0 ? -masses[1] : masses[0];
    two.mass[i] = masses[i];
    two.id[i] = i;
    two.position[3 * i] = part * separation;
    two.velocity[3 * i + 1] = part * speed;
  }
  return two;
}
inline constexpr double ellipse_period = 2 * std::numbers::pi;

/// Particles `index` of `from`, in that order, with all fields that it has.
inline ParticleSet picked(const ParticleSet& from, const std::vector<std::size_t>& index) {
  ParticleSet to;
  for (const std::size_t i : index) {
    for (std::size_t k = 0; k < 3; ++k) {
      to.position.push_back(from.position[3 * i + k]);
      to.velocity.push_back(from.velocity[3 * i + k]);
      if (!from.acceleration.empty()) to.acceleration.push_back(from.acceleration[3 * i + k]);
    }
    to.mass.push_back(from.mass[i]);
    to.id.push_back(from.id[i]);
    to.type.push_back(from.type[i]);
    if (!from.potential.empty()) to.potential.push_back(from.potential[i]);
  }
  return to;
}

/// An equal part of `all`, which every rank has, for each rank.
inline ParticleSet share_of(const ParticleSet& all, const Communicator& comm) {
  const std::uint64_t first = first_of_rank(all.size(), comm.rank(), comm.size());
  std::vector<std::size_t> index(first_of_rank(all.size(), comm.rank() + 1, comm.size()) - first);
  std::iota(index.begin(), index.end(), first);
  return picked(all, index);
}

/// Starts `simulation` at time 0 with this rank's share of `all`. Collective.
inline std::unique_ptr<Simulation> started(std::unique_ptr<Simulation> simulation, const ParticleSet& all, const Communicator& comm) {
  ParticleSet share = share_of(all, comm);
  share.fields = simulation->fields();
  simulation->start(std::move(share), 0);
  return simulation;
}
/// Steps of equal length over a time.
inline void advance(Simulation& simulation, double time, int steps) {
  const double begin = simulation.time();
  for (int i = 1; i <= steps; ++i) simulation.step_to(begin + time * i / steps, time / steps);
}

/// The particles of all ranks, by id, on every rank. Collective.
inline ParticleSet collected(Simulation& simulation, const Communicator& comm) {
  const ParticleSet local = simulation.particles();
  const auto join = [&](const auto& values) {
    return comm.all_gather_vectors(std::span<const typename std::decay_t<decltype(values)>::value_type>(values));
  };
  const ParticleSet all{join(local.position), join(local.velocity),     join(local.mass),     join(local.id),
                        join(local.type),     join(local.acceleration), join(local.potential)};
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all.id[a] < all.id[b]; });
  return picked(all, order);
}

inline double norm(double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }

/// Distance between vector i of a field of `a` and vector i of the same field of `b`.
inline double distance(const std::vector<double>& a, const std::vector<double>& b, std::size_t i) {
  return norm(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]);
}

/// Largest component of the total momentum over the sum of m |v|.
inline double relative_momentum(const ParticleSet& all, const double (&momentum)[3]) {
  double scale = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    scale += all.mass[i] * norm(all.velocity[3 * i], all.velocity[3 * i + 1], all.velocity[3 * i + 2]);
  return std::max({std::abs(momentum[0]), std::abs(momentum[1]), std::abs(momentum[2])}) / scale;
}

}  // namespace grove::tests
