// Particle systems for tests, as positions and masses on the host: a common one, and all those that break trees.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "kernels/space/vector.hpp"
#include "kernels/tree/tree.hpp"

namespace grove::tests {

/// Plummer sphere, G = M = a = 1, cut at 95 % of the mass. Random by `seed`, so that every rank can make the same particles.
inline std::vector<Double4> plummer_sphere(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Double4> particles(n);
  for (Double4& p : particles) {
    const double r = 1 / std::sqrt(std::pow(1e-4 + 0.95 * uniform(random), -2.0 / 3) - 1);
    const double z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random), s = std::sqrt(1 - z * z);
    p = {r * s * std::cos(phi), r * s * std::sin(phi), r * z, 1.0 / static_cast<double>(n)};
  }
  return particles;
}

/// The same particles with lengths and masses in other units.
inline std::vector<Double4> in_units(std::vector<Double4> particles, double length, double mass) {
  for (Double4& p : particles) p = {p.x * length, p.y * length, p.z * length, p.w * mass};
  return particles;
}

struct NamedSystem {
  std::string name;
  std::vector<Double4> particles;
};

/// What a tree must survive besides a common system.
inline std::vector<NamedSystem> hard_systems() {
  std::vector<NamedSystem> systems;
  const auto add = [&](const char* name, std::vector<Double4> particles) -> std::vector<Double4>& {
    return systems.emplace_back(NamedSystem{name, std::move(particles)}).particles;
  };
  add("one particle", {{0.3, -2, 5, 2}});
  add("a full leaf", plummer_sphere(largest_leaf, 1));
  add("one more than a leaf", plummer_sphere(largest_leaf + 1, 2));
  add("all at one point", std::vector<Double4>(100, Double4{1, 2, 3, 0.01}));
  add("all at the origin", std::vector<Double4>(70, Double4{0, 0, 0, 0.01}));

  auto& pair = add("two at the same place", plummer_sphere(500, 3));
  pair[17] = pair[400];
  auto& clumps = add("clumps without extent", plummer_sphere(400, 4));
  for (std::size_t i = 0; i < clumps.size(); ++i) clumps[i] = clumps[i - i % (largest_leaf + 4)];
  for (Double4& p : add("no mass at all", plummer_sphere(300, 5))) p.w = 0;
  auto& tracers = add("half of them tracers", plummer_sphere(600, 6));
  for (std::size_t i = 0; i < tracers.size(); i += 2) tracers[i].w = 0;
  add("an outlier at a million radii", plummer_sphere(1000, 7))[500] = {1e6, -1e6, 3e5, 1e-3};
  add("masses that differ by 1e10", plummer_sphere(800, 8))[3].w *= 1e10;
  for (Double4& p : add("a plane", plummer_sphere(700, 9))) p.z = 1.0 / 3;
  for (Double4& p : add("a line", plummer_sphere(200, 10))) p = {p.x, 2 * p.x, -p.x, p.w};
  for (Double4& p : add("far from the origin", plummer_sphere(300, 11))) p = {p.x + 1e7, p.y - 1e7, p.z, p.w};
  add("centimetres and grams", in_units(plummer_sphere(500, 12), 3e21, 2e43));
  add("tiny units", in_units(plummer_sphere(500, 13), 1e-25, 1e-30));
  add("a common system", plummer_sphere(3000, 14));
  return systems;
}

}  // namespace grove::tests
