#include "src/galaxies/disc_potential.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "src/galaxies/spherical_potential.hpp"

namespace grove {
namespace {

/// Nodes and weights over [0, end] in pieces of equal length with five points each.
struct Nodes {
  std::vector<double> at, weight;

  Nodes(double end, std::size_t pieces) {
    using Rule = boost::math::quadrature::gauss<double, 5>;
    const double half = 0.5 * end / static_cast<double>(pieces);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const double middle = half * static_cast<double>(2 * piece + 1);
      for (std::size_t k = 0; k < Rule::abscissa().size(); ++k)
        for (const double side : {-1.0, 1.0}) {
          if (k == 0 && side > 0) continue;  // the first is the middle
          at.push_back(middle + side * half * Rule::abscissa()[k]);
          weight.push_back(half * Rule::weights()[k]);
        }
    }
  }
};

/// Heights z' of equal parts of a disc's mass, with weights of sum 1.
struct HeightParts {
  std::vector<double> height, weight;

  explicit HeightParts(const ComponentParameters& disc) {
    const Nodes parts(1 - 1e-9, 16);
    const bool is_sech2 = disc.text("vertical") == "sech2";
    for (const double part : parts.at) height.push_back(disc_height(disc) * (is_sech2 ? std::atanh(part) : -std::log1p(-part)));
    weight = parts.weight;
  }

  /// Distances sqrt((z - z')^2 + softening^2) from a height to the parts above and below the plane.
  std::vector<double> distances(double z, double softening) const {
    std::vector<double> all;
    for (const double part : height)
      for (const double side : {-1.0, 1.0}) all.push_back(std::hypot(z + side * part, softening));
    return all;
  }

  /// Mean of exp(-k distance).
  double smeared(double k, const std::vector<double>& distances) const {
    double sum = 0;
    for (std::size_t i = 0; i < height.size(); ++i)
      sum += 0.5 * weight[i] * (std::exp(-k * distances[2 * i]) + std::exp(-k * distances[2 * i + 1]));
    return sum;
  }
};

}  // namespace

PlanePotential plane_of(const ComponentParameters& disc) {
  constexpr std::size_t heights = 41;
  constexpr double outermost = 25, highest = 12;  // scale lengths and heights
  PlanePotential plane;
  plane.grid.scale = disc.number("scale_length");
  plane.grid.count = static_cast<std::size_t>(std::asinh(outermost) / plane.grid.spacing) + 1;
  for (std::size_t j = 0; j < heights; ++j) {
    const double part = static_cast<double>(j) / (heights - 1);
    plane.heights.push_back(highest * disc_height(disc) * part * part);
  }
  plane.circular_velocity2.assign(plane.grid.count, 0);
  plane.above_plane.assign(plane.grid.count * heights, 0);
  return plane;
}

void add_disc(const ComponentParameters& source, double softening, double G, PlanePotential& plane) {
  const double length = source.number("scale_length"), mass = source.number("mass");
  // Waves of length down to a quarter of the scale height; at the outermost radius there are 4 nodes to each.
  const double shortest = std::max(disc_height(source), 0.02 * length), end = 24 / shortest;
  const double farthest = plane.grid.radius(plane.grid.count - 1);
  const Nodes waves(end, static_cast<std::size_t>(end * farthest / 7.5) + 50);
  const HeightParts parts(source);
  const std::size_t heights = plane.heights.size(), count = waves.at.size();
  std::vector<std::vector<double>> distances;
  for (const double z : plane.heights) distances.push_back(parts.distances(z, softening));
  std::vector<double> vertical(count * heights);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < heights; ++j) vertical[i * heights + j] = parts.smeared(waves.at[i], distances[j]);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n);
    for (std::size_t i = 0; i < count; ++i) {
      const double k = waves.at[i], kl = k * length, amplitude = G * mass * waves.weight[i] / std::pow(1 + kl * kl, 1.5);
      const double* const z = &vertical[i * heights];
      plane.circular_velocity2[n] += amplitude * k * R * j1(k * R) * z[0];
      const double wave = amplitude * j0(k * R);
      for (std::size_t j = 0; j < heights; ++j) plane.above_plane[n * heights + j] += wave * (z[0] - z[j]);
    }
  }
}

void add_sphere(const Shells& shells, const RadialGrid& grid, double softening, double G, PlanePotential& plane) {
  const SphericalPotential potential(grid, force_of(shells, grid, softening));
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n), in_plane = std::log(R);
    plane.circular_velocity2[n] += G * potential.gradient(in_plane);
    for (std::size_t j = 0; j < plane.heights.size(); ++j)
      plane.above_plane[n * plane.heights.size() + j] +=
          G * (potential.above_centre(std::log(std::hypot(R, plane.heights[j]))) - potential.above_centre(in_plane));
  }
}

void add_point(double mass, double softening, double G, PlanePotential& plane) {
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n), r2 = R * R + softening * softening, near = std::sqrt(r2);
    plane.circular_velocity2[n] += G * mass * R * R / (r2 * near);
    for (std::size_t j = 0; j < plane.heights.size(); ++j) {
      const double z2 = plane.heights[j] * plane.heights[j], far = std::sqrt(r2 + z2);
      plane.above_plane[n * plane.heights.size() + j] += G * mass * z2 / (near * far * (near + far));
    }
  }
}

}  // namespace grove
