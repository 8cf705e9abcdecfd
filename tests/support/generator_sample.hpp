// Samples of generators, and what tests of them compare with the models.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/base/named_rows.hpp"
#include "src/generators/generator.hpp"

namespace grove::tests {

inline constexpr double pi = std::numbers::pi;

/// The names of all generators, of the spheres that differ in their density alone only one.
inline std::vector<std::string> generators_of_each_form() {
  std::vector<std::string> names = names_of(generators());
  std::erase_if(names, [](const std::string& name) {
    return name == "disc" || (name != "plummer" && find_named(component_kinds(), name) != nullptr);
  });
  return names;
}

/// One sphere away from the origin.
inline GalaxyParameters small_galaxy() { return {"small", {{"stars", "plummer", {{"mass", 1.0}}}}, {{"x", 3.0}}}; }

inline InitialConditions conditions_of(const std::string& generator, std::uint64_t n, const std::map<std::string, Value>& parameters = {}) {
  InitialConditions conditions;
  conditions.generator = generator;
  conditions.n = n;
  conditions.parameters = parameters;
  if (generator == "galaxy") conditions.galaxies = {small_galaxy()};
  return conditions;
}

inline ParticleSet generate_all(const InitialConditions& conditions, double G = 1.0) { return generate(conditions, G, 0, conditions.n); }

inline double length(const std::vector<double>& vectors, std::size_t i) {
  return std::hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
}

/// Kolmogorov's statistic sqrt(n) max |F_n - F|; above 1.95 in one sample of a thousand.
inline double kolmogorov(std::vector<double> sample, const std::function<double(double)>& distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]);
    largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return std::sqrt(n) * largest;
}

/// Sum of m v^2.
inline double twice_kinetic(const ParticleSet& particles) {
  double sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) sum += particles.mass[i] * std::pow(length(particles.velocity, i), 2);
  return sum;
}

/// Sum of m_i m_j / r_ij over pairs, G = 1.
inline double pair_potential(const ParticleSet& p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = p.position[3 * i] - p.position[3 * j], y = p.position[3 * i + 1] - p.position[3 * j + 1];
      sum += p.mass[i] * p.mass[j] / std::hypot(x, y, p.position[3 * i + 2] - p.position[3 * j + 2]);
    }
  }
  return sum;
}

}  // namespace grove::tests
