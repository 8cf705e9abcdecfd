#include "src/analysis/centre.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/space/error.hpp"
#include "src/analysis/densest_cell.hpp"
#include "src/analysis/exact_sum.hpp"
#include "src/analysis/ordered_values.hpp"

namespace grove {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double shrinking = 0.975;
/// Enough to shrink by 10^5; a sphere about many particles at one place would never have too few.
constexpr int most_spheres = 460;

double distance(const Double3& a, const Double3& b) { return std::sqrt(dot(a - b, a - b)); }

/// What is in a sphere.
struct Contents {
  std::uint64_t particles = 0;
  Double3 offset;    ///< of the centre of mass from the middle
  Double3 velocity;  ///< mean
};

Contents contents_of_sphere(const ParticleSet& particles, const Double3& middle, double radius, const Communicator& comm) {
  // The count, sums without weights, the weight, weighted sums.
  const auto sums = exact_sums<14>(particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 14>& sum) {
    const Double3 x = position_at(particles, i), d = x - middle, v = velocity_at(particles, i);
    if (!(distance(x, middle) <= radius)) return;
    const double mass = particles.mass[i];
    const double values[] = {d.x, d.y, d.z, v.x, v.y, v.z};
    sum[0].add(1);
    sum[7].add(mass);
    for (std::size_t k = 0; k < 6; ++k) {
      sum[1 + k].add(values[k]);
      sum[8 + k].add(mass * values[k]);
    }
  });
  const std::size_t first = sums[7] > 0 ? 7 : 0;
  if (sums[0] == 0) return {};
  const auto mean = [&](std::size_t k) -> Double3 {
    const double weight = sums[first];
    return {sums[first + k] / weight, sums[first + k + 1] / weight, sums[first + k + 2] / weight};
  };
  return {static_cast<std::uint64_t>(sums[0]), mean(1), mean(4)};
}

/// Position and radius of the last sphere of those that follow their centre of mass and shrink, until less than `least` particles, or a
/// quarter of those at first, would be left.
Centre last_sphere(const ParticleSet& particles, const Double3& middle, double radius, std::uint64_t least, const Communicator& comm) {
  Centre last{middle, {}, 0, radius};
  for (int k = 0; k < most_spheres; ++k, radius *= shrinking) {
    const Contents inside = contents_of_sphere(particles, last.position, radius, comm);
    if (inside.particles < least) break;
    if (k == 0) least = std::max(least, inside.particles / 4);
    last.position = last.position + inside.offset;
    last.radius = radius;
  }
  return last;
}

Centre densest_point(const ParticleSet& particles, const Group& all, const Communicator& comm) {
  const std::uint64_t least = nucleus_size(all.particles);
  const DensestCell cell = densest_cell(particles, all, least, comm);
  if (!(cell.side > 0)) return {cell.middle, {}, 0, 0};
  // A large sphere has less noise, but a small nucleus beside a large galaxy can be lost from it.
  for (const double sides : {3.0, 1.5}) {
    const Centre found = last_sphere(particles, cell.middle, sides * cell.side, least, comm);
    if (distance(found.position, cell.middle) <= 2 * cell.side) return found;
  }
  return {cell.middle, {}, 0, cell.side};
}

double radius_of_nearest(const ParticleSet& particles, const Double3& middle, std::uint64_t number, const Communicator& comm) {
  std::vector<WeightedValue> distances(particles.size());
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i].value = distance(position_at(particles, i), middle);
  return OrderedValues(std::move(distances), comm).nth(number);
}

bool is_finite(const Double3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace

std::uint64_t nucleus_size(std::uint64_t particles) { return std::max(particles / 100, std::min<std::uint64_t>(particles, 32)); }

Centre find_centre(const ParticleSet& particles, const Group& all, const CentreChoice& choice, const Communicator& comm) {
  Centre centre{choice.position, {}, 0, infinite};
  if (choice.kind == CentreKind::mass) centre.position = contents_of_sphere(particles, {}, infinite, comm).offset;
  if (choice.kind == CentreKind::densest) centre = densest_point(particles, all, comm);
  const bool has_position = is_finite(centre.position);
  if (choice.velocity_radius)
    centre.radius = *choice.velocity_radius;
  else if (choice.kind == CentreKind::given)
    centre.radius = radius_of_nearest(particles, centre.position, std::max(all.particles / 10, nucleus_size(all.particles)), comm);
  const Contents near = has_position ? contents_of_sphere(particles, centre.position, centre.radius, comm) : Contents{};
  centre.velocity = near.velocity;
  centre.particles = near.particles;
  comm.agree([&] {
    if (!has_position || !is_finite(centre.velocity) || std::isnan(centre.radius))
      throw DataError("positions, velocities or masses are so large that the centre of the particles is no finite number");
    if (near.particles == 0)
      throw ConfigError(fmt::format("there is no particle within {} of the centre whose velocity could be taken", centre.radius));
  });
  return centre;
}

}  // namespace grove
