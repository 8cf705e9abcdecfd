#include "src/galaxies/disc_potential.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <utility>

#include "src/galaxies/height_law.hpp"
#include "src/galaxies/parallel_for.hpp"
#include "src/galaxies/spherical_potential.hpp"

namespace grove {
namespace {

/// Nodes and weights over [0, length] in pieces of equal length with seven points each.
struct Nodes {
  std::vector<double> at, weight;

  Nodes(double length, std::size_t pieces) {
    using Rule = boost::math::quadrature::gauss<double, 7>;
    const double half = 0.5 * length / static_cast<double>(pieces);
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
    const Nodes parts(1 - 1e-9, 11);
    const HeightLaw law(disc);
    for (const double part : parts.at) height.push_back(law.height_with(part));
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

PlanePotential::PlanePotential(const PlaneGrid& radii, std::vector<double> at_heights, std::vector<double> weights_of_heights)
    : grid(radii),
      heights(std::move(at_heights)),
      weights(std::move(weights_of_heights)),
      potential(grid.count, 0),
      circular_velocity2(grid.count, 0),
      slope_of_velocity2(grid.count, 0),
      above_plane(grid.count * heights.size(), 0) {}

PlanePotential plane_of(const ComponentParameters& disc) {
  constexpr std::size_t count = 41;
  constexpr double outermost = 25, highest = 12;  // scale lengths and heights
  const HeightLaw law(disc);
  PlaneGrid grid{disc.number("scale_length")};
  grid.count = static_cast<std::size_t>(std::asinh(outermost) / grid.spacing) + 1;
  std::vector<double> heights, weights(count, 0);
  double before = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double place = static_cast<double>(j) / (count - 1);
    heights.push_back(highest * law.scale * place * place);
    if (j == 0) continue;
    // Trapezoids; the little that lies above the highest belongs to it.
    const double within = j + 1 < count ? law.part_within(heights[j]) : 1;
    weights[j - 1] += 0.5 * (within - before);
    weights[j] += 0.5 * (within - before);
    before = within;
  }
  return {grid, std::move(heights), std::move(weights)};
}

void add_disc(const ComponentParameters& source, double softening, double G, PlanePotential& plane) {
  const double length = source.number("scale_length"), mass = source.number("mass");
  // Waves of length down to a tenth of the scale height; at the outermost radius there are 6 nodes to each.
  const double shortest = std::max(HeightLaw(source).scale, 0.02 * length), end = 40 / shortest;
  const double farthest = plane.grid.radius(plane.grid.count - 1);
  const Nodes waves(end, static_cast<std::size_t>(end * farthest / 7.5) + 50);
  const HeightParts parts(source);
  const std::size_t heights = plane.heights.size(), count = waves.at.size();
  std::vector<std::vector<double>> distances;
  for (const double z : plane.heights) distances.push_back(parts.distances(z, softening));
  // Of each wave: at the heights, and the mean over them.
  std::vector<double> vertical(count * heights), mean(count, 0);
  parallel_for(count, 8, [&](std::size_t i) {
    const double kl = waves.at[i] * length, amplitude = G * mass * waves.weight[i] / std::pow(1 + kl * kl, 1.5);
    for (std::size_t j = 0; j < heights; ++j) {
      vertical[i * heights + j] = amplitude * parts.smeared(waves.at[i], distances[j]);
      mean[i] += plane.weights[j] * vertical[i * heights + j];
    }
  });
  parallel_for(plane.grid.count, 4, [&](std::size_t n) {
    const double R = plane.grid.radius(n);
    double v2 = 0;
    std::vector<double> above(heights, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = waves.at[i] * R, wave = j0(x);
      plane.potential[n] -= wave * mean[i];
      v2 += x * j1(x) * mean[i];
      plane.slope_of_velocity2[n] += x * x * wave * mean[i];
      const double* const z = &vertical[i * heights];
      for (std::size_t j = 0; j < heights; ++j) above[j] += wave * (z[0] - z[j]);
    }
    plane.circular_velocity2[n] += v2;
    for (std::size_t j = 0; j < heights; ++j) {
      // Far out, the sum is noise. A flat mass pulls more towards its plane than one in the centre with the same force.
      const double z = plane.heights[j], far = std::hypot(R, z);
      plane.above_plane[n * heights + j] += std::max(above[j], v2 * z * z / (far * (far + R)));
    }
  });
}

void add_sphere(const Shells& shells, const RadialGrid& grid, double softening, double G, PlanePotential& plane) {
  const SphericalPotential potential(grid, force_of(shells, grid, softening));
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n), in_plane = potential.above_centre(std::log(R));
    for (std::size_t j = 0; j < plane.heights.size(); ++j) {
      const double r = std::hypot(R, plane.heights[j]), u = std::log(r), part = R * R / (r * r);  // d ln r / d ln R
      const double above = potential.above_centre(u), gradient = plane.weights[j] * potential.gradient(u) * part;
      plane.potential[n] += G * plane.weights[j] * above;
      plane.circular_velocity2[n] += G * gradient;
      plane.slope_of_velocity2[n] += G * gradient * (part * potential.slope_of_gradient(u) + 2 * (1 - part));
      plane.above_plane[n * plane.heights.size() + j] += G * (above - in_plane);
    }
  }
}

void add_point(double mass, double softening, double G, PlanePotential& plane) {
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n), r2 = R * R + softening * softening, near = std::sqrt(r2);
    for (std::size_t j = 0; j < plane.heights.size(); ++j) {
      const double z2 = plane.heights[j] * plane.heights[j], far = std::sqrt(r2 + z2), part = R * R / (far * far);
      const double depth = plane.weights[j] * G * mass / far;
      plane.potential[n] -= depth;
      plane.circular_velocity2[n] += depth * part;
      plane.slope_of_velocity2[n] += depth * part * (2 - 3 * part);
      plane.above_plane[n * plane.heights.size() + j] += G * mass * z2 / (near * far * (near + far));
    }
  }
}

}  // namespace grove
