#include "decomposition/domain/frame.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/particles/particle_keys.hpp"
#include "kernels/particles/rungs.hpp"

namespace grove {

namespace {

/// Extremes and sums of a rank's particles, from which the cube is found.
struct Spread {
  double low[3], least_mass, high[3], largest_mass;
  double mass, count, work;
  double zero;  ///< NaN if a number is not finite
};
using SpreadRow = Row<double, sizeof(Spread) / sizeof(double)>;
using JoinSpreads = JoinRangesAndSums<4>;

struct SpreadOf {
  LedPositions position;
  WorkOfStep work;  ///< without a pointer: not needed
  GROVE_HD SpreadRow operator()(std::size_t i) const {
    const Double4 p = position(i);
    return {{p.x, p.y, p.z, p.w, p.x, p.y, p.z, p.w, p.w, 1, work.work ? static_cast<double>(work(i)) : 0,
             0 * p.x + 0 * p.y + 0 * p.z + 0 * p.w}};
  }
};

constexpr double none = 1e300;
constexpr SpreadRow of_nothing{{none, none, none, none, -none, -none, -none, -none, 0, 0, 0, 0}};

/// The Spread of each rank. Collective.
template <class Space>
std::vector<SpreadRow> spread_of_ranks(Space& space, const Communicator& comm, std::size_t count, const SpreadOf& spread) {
  return comm.all_gather(space.reduce_rows(count, of_nothing, spread, JoinSpreads{}));
}

double longest_side(const Spread& all) {
  double longest = 0;
  for (int k = 0; k < 3; ++k) longest = std::max(longest, all.high[k] - all.low[k]);
  return longest;
}

/// Copies the entries of the sample that are particles of this rank.
struct PickSample {
  LedPositions position;
  std::uint64_t all, sample_size;
  std::uint64_t first_picked, first_held;  ///< first entry of this rank in the sample; index of its first particle over all ranks
  Double4* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = position((first_picked + i) * all / sample_size - first_held); }
};

constexpr std::uint64_t sample_for_cube = 1024;

/// Half edge of a cube with outliers, in median distances from the median position: enough key cells remain inside the median distance, and
/// few particles of an extended halo are outside (docs/development/constants.md).
constexpr double outlier_factor = 1024;
/// The same in units of the distance that 99 % do not exceed, if that is larger: a distant companion is no outlier.
constexpr double companion_factor = 4;

/// Positions of evenly spaced particles of all ranks, in rank order, on every rank. `shares` [ranks]: the particles of each rank.
template <class Space>
std::vector<Double4> sample_positions(Space& space, const Communicator& comm, const LedPositions& position,
                                      std::span<const Frame::Share> shares) {
  std::vector<std::uint64_t> begin{0};
  for (const Frame::Share& share : shares) begin.push_back(begin.back() + static_cast<std::uint64_t>(share.count));
  const std::uint64_t all = begin.back(), size = std::min(all, sample_for_cube);
  const auto me = static_cast<std::size_t>(comm.rank());
  // The first entry whose particle, entry * all / size, is not before `particle`.
  const auto first_entry = [&](std::uint64_t particle) { return (particle * size + all - 1) / all; };
  const std::uint64_t first = first_entry(begin[me]), count = first_entry(begin[me + 1]) - first;
  Scratch<Space, Double4> picked(space, count);
  space.for_each(count, PickSample{position, all, size, first, begin[me], picked.data()});
  std::vector<Double4> mine(count);
  space.copy_to_host(mine.data(), picked.data(), count * sizeof(Double4));
  return comm.all_gather_vectors(std::span<const Double4>(mine));
}

/// The value that `fraction` of the values do not exceed. Reorders them.
double quantile(std::vector<double>& values, double fraction) {
  const auto rank = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

/// A cube around all particles except outliers.
struct Core {
  Double3 centre;
  double half;  ///< half of its edge; 0 if nearly all particles are at one point
};

/// Found from medians, which outliers cannot change.
Core core_of(const std::vector<Double4>& sample) {
  const auto values_of = [&](auto value) {
    std::vector<double> values;
    values.reserve(sample.size());
    for (const Double4& p : sample) values.push_back(value(p));
    return values;
  };
  std::vector<double> x = values_of([](const Double4&p) { return p.x; }), y = values_of([](const Double4&p) { return p.y; }),
                      z = values_of([](const Double4&p) { return p.z; });
  const Double3 centre{quantile(x, 0.5), quantile(y, 0.5), quantile(z, 0.5)};
  std::vector<double> distance = values_of([&](const Double4& p) {
    const Double3 d = position_of(p) - centre;
    return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  });
  return {centre, std::max(outlier_factor * quantile(distance, 0.5), companion_factor * quantile(distance, 0.99))};
}

/// A cube that replaces another one is larger than needed by this factor, so that particles stay inside for some steps.
constexpr double cube_margin = 1.1;
/// A new cube is found when the extent of the particles has changed by more than these factors. With outliers, which only a sample shows,
/// also after some trees.
constexpr double smallest_change = 0.8, largest_change = 1.25;
constexpr int most_trees_with_outliers = 32;

/// Whether the cube of `previous` can be kept for particles in a box with this centre and half this longest side.
bool still_fits(const Frame& previous, const Double3& centre, double half) {
  if (previous.shares.empty() || 2 * half < smallest_change * previous.extent || 2 * half > largest_change * previous.extent) return false;
  if (previous.has_outliers) return previous.steps_kept < most_trees_with_outliers;
  const KeyCube& cube = previous.cube;
  bool holds = true;
  for (const double x : {centre.x - half - cube.corner.x, centre.y - half - cube.corner.y, centre.z - half - cube.corner.z})
    holds = holds && x >= 0 && x + 2 * half <= cube.edge;
  return holds;
}

/// Whether the cube of `previous` is close to that of the core.
bool is_close_to(const Frame& previous, const Core& core) {
  if (previous.shares.empty() || !previous.has_outliers) return false;
  const KeyCube& cube = previous.cube;
  const double half = 0.5 * cube.edge, wanted = cube_margin * core.half;
  const Double3 d = cube.corner + Double3{half, half, half} - core.centre;
  return half > smallest_change * wanted && half < largest_change * wanted &&
         std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) < (1 - smallest_change) * wanted;
}

}  // namespace

template <class Space>
double find_extent(Space& space, const Communicator& comm, const Particles<Space>& particles) {
  SpreadRow of_all = of_nothing;
  const SpreadOf spread{led_positions(particles, 0), {nullptr}};
  for (const SpreadRow& of_rank : spread_of_ranks(space, comm, particles.size(), spread)) of_all = join(of_all, of_rank, JoinSpreads{});
  return longest_side(std::bit_cast<Spread>(of_all));
}

template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles, const Frame& previous, double lead) {
  // One rank on the CPU has no domain borders, and a new cube is cheap there.
  const bool keeps = comm.size() > 1 || Space::on_gpu;
  // Summed here in rank order: the order of an MPI library may differ each time.
  SpreadRow of_all = of_nothing;
  const LedPositions position = led_positions(particles, lead);
  const SpreadOf spread{position, comm.size() > 1 ? work_of_step(particles) : WorkOfStep{}};
  Frame frame;
  frame.lead = lead;
  for (const SpreadRow& of_rank : spread_of_ranks(space, comm, particles.size(), spread)) {
    of_all = join(of_all, of_rank, JoinSpreads{});
    const auto share = std::bit_cast<Spread>(of_rank);
    frame.shares.push_back({share.count, share.work});
  }
  const auto all = std::bit_cast<Spread>(of_all);
  frame.is_finite = all.zero == 0;
  if (all.count == 0 || !frame.is_finite) return frame;

  Double3 centre{0.5 * (all.low[0] + all.high[0]), 0.5 * (all.low[1] + all.high[1]), 0.5 * (all.low[2] + all.high[2])};
  frame.extent = longest_side(all);
  double half = 0.5 * frame.extent;
  frame.mass = all.mass;
  frame.common_mass = all.least_mass == all.largest_mass ? all.least_mass : 0;
  const bool fits = keeps && still_fits(previous, centre, half);
  bool is_kept = fits;
  int steps_kept = previous.steps_kept + 1;
  if (!is_kept && half > 0) {
    const Core core = core_of(sample_positions(space, comm, position, frame.shares));
    if (core.half > 0 && half > core.half) {
      half = core.half;
      centre = core.centre;
      frame.has_outliers = true;
      is_kept = keeps && is_close_to(previous, core);
      steps_kept = 0;
    }
  }
  if (is_kept) {
    frame.cube = previous.cube;
    frame.has_outliers = previous.has_outliers;
    if (fits) frame.extent = previous.extent;
    frame.steps_kept = steps_kept;
  } else {
    // All at one point: any cube around it.
    if (half == 0) half = std::max({std::abs(centre.x), std::abs(centre.y), std::abs(centre.z)}) * 1e-6;
    if (half == 0) half = 1;
    half *= 1 + 1e-12;  // the highest coordinate must be inside
    if (keeps && !previous.shares.empty()) half *= cube_margin;
    frame.cube = {centre - Double3{half, half, half}, 2 * half};
  }
  frame.scale = TreeScale::near(frame.cube.edge, all.mass);
  return frame;
}

template double find_extent(BackEnd&, const Communicator&, const Particles<BackEnd>&);
template Frame find_frame(BackEnd&, const Communicator&, const Particles<BackEnd>&, const Frame&, double);

}  // namespace grove
