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

/// The particles of a sphere, and what they weigh.
struct Sphere {
  Double3 middle;
  double radius = infinite;
};
struct Contents {
  std::uint64_t particles = 0;
  Double3 mean;  ///< of a vector of each; 0 where nothing weighs anything
};

/// `vector_of` gives the vector of a particle from its number and its offset from the middle.
template <class VectorOf>
Contents contents_of(const Sphere& sphere, const ParticleSet& particles, const Group& all, const Communicator& comm, VectorOf vector_of) {
  const auto sums = exact_sums<5>(particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 5>& sum) {
    const Double3 offset = position_at(particles, i) - sphere.middle;
    if (!(std::sqrt(dot(offset, offset)) <= sphere.radius)) return;
    const double weight = all.weight(particles.mass[i]);
    const Double3 vector = weight * vector_of(i, offset);
    sum[0].add(1);
    sum[1].add(weight);
    sum[2].add(vector.x);
    sum[3].add(vector.y);
    sum[4].add(vector.z);
  });
  const auto number = static_cast<std::uint64_t>(sums[0]);
  if (!(sums[1] > 0)) return {number, {}};
  return {number, {sums[2] / sums[1], sums[3] / sums[1], sums[4] / sums[1]}};
}

/// How far the centre of mass is from the middle of a sphere.
Contents offset_in(const Sphere& sphere, const ParticleSet& particles, const Group& all, const Communicator& comm) {
  return contents_of(sphere, particles, all, comm, [](std::size_t, const Double3& offset) { return offset; });
}
Contents velocity_in(const Sphere& sphere, const ParticleSet& particles, const Group& all, const Communicator& comm) {
  return contents_of(sphere, particles, all, comm, [&](std::size_t i, const Double3&) { return velocity_at(particles, i); });
}

/// Position and radius of the last sphere of those that follow their centre of mass and shrink, until less than `least` particles, or a
/// quarter of those at first, would be left.
Sphere last_sphere(const ParticleSet& particles, const Group& all, Sphere sphere, std::uint64_t least, const Communicator& comm) {
  Sphere last = sphere;
  for (int k = 0; k < most_spheres; ++k, sphere.radius *= shrinking) {
    const Contents inside = offset_in(sphere, particles, all, comm);
    if (inside.particles < least) break;
    if (k == 0) least = std::max(least, inside.particles / 4);
    sphere.middle = sphere.middle + inside.mean;
    last = sphere;
  }
  return last;
}

Sphere densest_sphere(const ParticleSet& particles, const Group& all, const Communicator& comm) {
  const std::uint64_t least = nucleus_size(all.particles);
  const DensestCell cell = densest_cell(particles, all, least, comm);
  if (!(cell.side > 0)) return {cell.middle, 0};
  // A large sphere has less noise, but a small nucleus beside a large galaxy can be lost from it.
  for (const double sides : {3.0, 1.5}) {
    const Sphere found = last_sphere(particles, all, {cell.middle, sides * cell.side}, least, comm);
    if (distance(found.middle, cell.middle) <= 2 * cell.side) return found;
  }
  return {cell.middle, cell.side};
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
  Sphere sphere{choice.position, infinite};
  if (choice.kind == CentreKind::mass) sphere.middle = offset_in({{}, infinite}, particles, all, comm).mean;
  if (choice.kind == CentreKind::densest) sphere = densest_sphere(particles, all, comm);
  const bool has_position = is_finite(sphere.middle);
  if (choice.velocity_radius)
    sphere.radius = *choice.velocity_radius;
  else if (choice.kind == CentreKind::given)
    sphere.radius = radius_of_nearest(particles, sphere.middle, std::max(all.particles / 10, nucleus_size(all.particles)), comm);
  const Contents near = has_position ? velocity_in(sphere, particles, all, comm) : Contents{};
  comm.agree([&] {
    if (!has_position || !is_finite(near.mean) || std::isnan(sphere.radius))
      throw DataError("positions, velocities or masses are so large that the centre of the particles is no finite number");
    if (near.particles == 0)
      throw ConfigError(fmt::format("there is no particle within {} of the centre whose velocity could be taken", sphere.radius));
  });
  return {sphere.middle, near.mean, near.particles, sphere.radius};
}

}  // namespace grove
