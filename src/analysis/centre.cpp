#include "src/analysis/centre.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "decomposition/ranks/exact_sum.hpp"
#include "kernels/base/error.hpp"
#include "src/analysis/ordered_values.hpp"

namespace grove {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double shrinking = 0.975;
/// Enough to shrink by 10^5; a sphere about many particles at one place would never have too few.
constexpr int most_spheres = 460;

constexpr std::uint32_t in_no_cell = std::numeric_limits<std::uint32_t>::max();

/// Into how many parts a cell is divided. Halves would put the nucleus of a round galaxy, in the middle of the box around it, into eight
/// parts.
constexpr std::size_t parts_of_cell = 27;

/// The cube at the lower corner of the box around some particles.
struct Cell {
  std::array<double, 3> low{}, high{};
  double weight = 0;

  /// Halves first: the difference of two coordinates may be too large for a double.
  double half_side() const { return std::max({high[0] / 2 - low[0] / 2, high[1] / 2 - low[1] / 2, high[2] / 2 - low[2] / 2}); }
  /// 0, 1 or 2: the third of the cube in which a coordinate is.
  std::size_t third_of(std::size_t d, double x) const {
    const double third = half_side() * (2.0 / 3.0);
    return x < low[d] + third ? 0 : x < low[d] + 2 * third ? 1 : 2;
  }
  /// False where its extent is down to rounding: all of its particles would be in one part.
  bool can_be_divided() const {
    for (std::size_t d = 0; d < 3; ++d)
      if (third_of(d, low[d]) != third_of(d, high[d])) return true;
    return false;
  }
  double log_density() const { return std::log2(weight) - 3 * std::log2(half_side()); }
  bool is_denser_than(const Cell& other) const {
    const double own = log_density(), of_other = other.log_density();
    return own > of_other || (own == of_other && weight > other.weight);
  }
  Double3 middle() const {
    // Which of 0 and -0 is the lower one depends on their order.
    const auto between = [&](std::size_t d) { return low[d] / 2 + high[d] / 2 + 0.0; };
    return {between(0), between(1), between(2)};
  }
  /// 0 where all particles are at one place.
  double side() const { return 2 * half_side(); }
};

/// Finds the cell of the highest density of mass among those with at least `least` particles; of number, where `all` has no mass.
///
/// The cube around all particles is divided into 27. Each part with enough particles becomes the cube around these and is divided again,
/// until none is left. So a particle far away costs a level or two, whatever its distance. Counts the particles once a level and takes four
/// bytes for each; their order does not matter: the result is the same on any number of ranks. Collective.
/// `least`: from 1 to the number of particles; a level has at most as many cells as their ratio.
/// `shift`: by how much of its side the first cube is extended downwards, which moves all borders of cells.
class DensestCell {
 public:
  DensestCell(const ParticleSet& particles, const Group& all, std::uint64_t least, double shift, const Communicator& comm)
      : particles_(particles), least_(least), comm_(comm), cell_of_(particles.size(), 0), weight_(particles.size(), 1) {
    if (all.mass > 0) set_weights(all);
    cells_.resize(1);
    std::uint64_t total = 0;
    for (const std::uint64_t w : weight_) total += w;
    cells_[0].weight = static_cast<double>(comm_.sum(total));
    find_boxes();
    best_ = cells_[0];
    for (double& low : cells_[0].low)
      if (const double lower = low - shift * best_.side(); std::isfinite(lower)) low = lower;
  }

  Cell find() {
    while (divide())
      for (const Cell& cell : cells_)
        if (cell.is_denser_than(best_)) best_ = cell;
    return best_;
  }

 private:
  /// Masses as integers, so that sums of them do not depend on an order.
  void set_weights(const Group& all) {
    const double most = comm_.max(particles_.mass.empty() ? 0.0 : *std::max_element(particles_.mass.begin(), particles_.mass.end()));
    const int power = 62 - std::ilogb(most) - 1 - static_cast<int>(std::bit_width(all.particles));
    for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = static_cast<std::uint64_t>(std::ldexp(particles_.mass[i], power));
  }

  std::size_t part_of(std::size_t i) const {
    const Cell& cell = cells_[cell_of_[i]];
    std::size_t part = cell_of_[i];
    for (std::size_t d = 0; d < 3; ++d) part = 3 * part + cell.third_of(d, particles_.position[3 * i + d]);
    return part;
  }

  /// Makes the cells of the next level. False when none has enough particles.
  bool divide() {
    std::vector<std::uint64_t> sums(2 * parts_of_cell * cells_.size(), 0);  // particles and weight of each part
    for (std::size_t i = 0; i < cell_of_.size(); ++i) {
      if (cell_of_[i] == in_no_cell) continue;
      const std::size_t part = part_of(i);
      ++sums[2 * part];
      sums[2 * part + 1] += weight_[i];
    }
    comm_.sum(std::span<std::uint64_t>(sums));
    std::vector<std::uint32_t> number(parts_of_cell * cells_.size(), in_no_cell);
    std::vector<Cell> next;
    for (std::size_t part = 0; part < number.size(); ++part) {
      if (sums[2 * part] < least_ || !cells_[part / parts_of_cell].can_be_divided()) continue;
      number[part] = static_cast<std::uint32_t>(next.size());
      next.push_back({});
      next.back().weight = static_cast<double>(sums[2 * part + 1]);
    }
    if (next.empty()) return false;
    for (std::size_t i = 0; i < cell_of_.size(); ++i)
      if (cell_of_[i] != in_no_cell) cell_of_[i] = number[part_of(i)];
    cells_ = std::move(next);
    find_boxes();
    return true;
  }

  void find_boxes() {
    std::vector<double> low(3 * cells_.size(), infinite), high(3 * cells_.size(), -infinite);
    for (std::size_t i = 0; i < cell_of_.size(); ++i) {
      if (cell_of_[i] == in_no_cell) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t at = std::size_t{3} * cell_of_[i] + d;
        double &l = low[at], &h = high[at];
        l = std::min(l, particles_.position[3 * i + d]);
        h = std::max(h, particles_.position[3 * i + d]);
      }
    }
    comm_.min(std::span<double>(low));
    comm_.max(std::span<double>(high));
    for (std::size_t c = 0; c < cells_.size(); ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        cells_[c].low[d] = low[3 * c + d];
        cells_[c].high[d] = high[3 * c + d];
      }
  }

  const ParticleSet& particles_;
  const std::uint64_t least_;
  const Communicator& comm_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> cell_of_;  ///< of each particle
  std::vector<std::uint64_t> weight_;
  Cell best_;
};

/// How many particles make a nucleus.
std::uint64_t nucleus_size(std::uint64_t particles) { return std::max(particles / 100, std::min<std::uint64_t>(particles, 32)); }

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
  // Borders of cells can cut a small nucleus into parts of which none is large enough. Those of the next division lie elsewhere.
  Cell cell = DensestCell(particles, all, least, 0, comm).find();
  for (const double shift : {0.11, 0.23}) {
    const Cell other = DensestCell(particles, all, least, shift, comm).find();
    if (other.is_denser_than(cell)) cell = other;
  }
  const Double3 middle = cell.middle();
  const double side = cell.side();
  if (!(side > 0)) return {middle, 0};
  // A large sphere has less noise, but a small nucleus beside a large galaxy can be lost from it.
  for (const double sides : {3.0, 1.5}) {
    const Sphere found = last_sphere(particles, all, {middle, sides * side}, least, comm);
    if (distance(found.middle, middle) <= 2 * side) return found;
  }
  return {middle, side};
}

double radius_of_nearest(const ParticleSet& particles, const Double3& middle, std::uint64_t number, const Communicator& comm) {
  std::vector<WeightedValue> distances(particles.size());
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i].value = distance(position_at(particles, i), middle);
  return OrderedValues(std::move(distances), comm).nth(number);
}

Sphere inner_half(const ParticleSet& particles, const Group& all, const Communicator& comm) {
  constexpr int most_moves = 200;
  constexpr double at_rest = 1e-3;  // of the radius
  const std::uint64_t half = std::max(all.particles / 2, nucleus_size(all.particles));
  Sphere sphere = densest_sphere(particles, all, comm);
  for (int k = 0; k < most_moves; ++k) {
    sphere.radius = radius_of_nearest(particles, sphere.middle, half, comm);
    const Double3 move = offset_in(sphere, particles, all, comm).mean;
    sphere.middle = sphere.middle + move;
    if (!(std::sqrt(dot(move, move)) > at_rest * sphere.radius)) break;
  }
  sphere.radius = radius_of_nearest(particles, sphere.middle, half, comm);
  return sphere;
}

/// The mean of the vectors of all particles, and the root of their mean squared distance from it.
template <class VectorOf>
std::pair<Double3, double> mean_and_scatter(const ParticleSet& particles, const Group& all, const Communicator& comm, VectorOf vector_of) {
  const Double3 mean = contents_of({}, particles, all, comm, [&](std::size_t i, const Double3&) { return vector_of(i); }).mean;
  const auto squares = contents_of({}, particles, all, comm, [&](std::size_t i, const Double3&) {
    const Double3 d = vector_of(i) - mean;
    return Double3{dot(d, d), 0, 0};
  });
  return {mean, std::sqrt(squares.mean.x)};
}

bool is_finite(const Double3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace

Centre find_centre(const ParticleSet& particles, const Group& all, const CentreChoice& choice, const Communicator& comm) {
  Sphere sphere{choice.position, infinite};
  if (choice.kind == CentreKind::mass) sphere.middle = offset_in({{}, infinite}, particles, all, comm).mean;
  if (choice.kind == CentreKind::densest) sphere = densest_sphere(particles, all, comm);
  if (choice.kind == CentreKind::inner) sphere = inner_half(particles, all, comm);
  const bool has_position = is_finite(sphere.middle);
  if (choice.velocity_radius)
    sphere.radius = *choice.velocity_radius;
  else if (choice.kind == CentreKind::given)
    sphere.radius = radius_of_nearest(particles, sphere.middle, std::max(all.particles / 10, nucleus_size(all.particles)), comm);
  const auto velocity_of = [&](std::size_t i, const Double3&) { return velocity_at(particles, i); };
  const Contents near = has_position ? contents_of(sphere, particles, all, comm, velocity_of) : Contents{};
  comm.agree([&] {
    if (!has_position || !is_finite(near.mean) || std::isnan(sphere.radius))
      throw DataError("positions, velocities or masses are so large that the centre of the particles is no finite number");
    if (near.particles == 0)
      throw ConfigError(fmt::format("there is no particle within {} of the centre whose velocity could be taken", sphere.radius));
  });
  return {sphere.middle, near.mean, near.particles, sphere.radius};
}

std::string note_on_centre(const ParticleSet& particles, const Group& all, const Centre& centre, const Communicator& comm) {
  constexpr double far = 0.3;
  const auto place = mean_and_scatter(particles, all, comm, [&](std::size_t i) { return position_at(particles, i); });
  const auto motion = mean_and_scatter(particles, all, comm, [&](std::size_t i) { return velocity_at(particles, i); });
  const double off = distance(centre.position, place.first), fast = distance(centre.velocity, motion.first);
  const bool is_far = off > far * place.second, is_fast = fast > far * motion.second;
  if (!is_far && !is_fast) return "";
  return fmt::format(
      "the centre {} from the mean of '{}': it can be a clump, or one of several galaxies. --centre inner and --centre mass look at more "
      "of "
      "the particles, and --centre-on at one component",
      is_far ? fmt::format("is {:.3g}, {:.0f} % of the rms distance,", off, 100 * off / place.second)
             : fmt::format("moves by {:.3g}, {:.0f} % of the rms velocity,", fast, 100 * fast / motion.second),
      all.name);
}

}  // namespace grove
