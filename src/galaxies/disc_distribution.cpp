#include "src/galaxies/disc_distribution.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "src/galaxies/parallel_for.hpp"

namespace grove {
namespace {

/// Normal deviates for which guiding radii are tabulated: -limit .. limit.
constexpr std::size_t deviates = 73;
constexpr double deviate_limit = 4.5;
/// The outermost parts of a disc are not colder than this part of the circular velocity.
constexpr double coldest = 0.03;
/// After so many, surface density and thickness are within about 1 % of what is wanted.
constexpr int corrections = 8;
/// In scale lengths: what lies beyond is 0.3 % of the disc, and is not corrected.
constexpr double corrected_to = 8;
constexpr std::size_t vertical_each = 4;  // radii of the grid

double normal_part(double deviate) { return 0.5 * std::erfc(-deviate / std::numbers::sqrt2); }

}  // namespace

DiscDistribution::DiscDistribution(const ComponentParameters& disc, const PlanePotential& plane, double G)
    : grid_(plane.grid),
      mass_(disc.number("mass")),
      length_(disc.number("scale_length")),
      G_(G),
      counter_rotating_(disc.number("counter_rotating")),
      circular_velocity2_(plane.circular_velocity2),
      potential_(plane.potential) {
  const HeightLaw law(disc);
  const std::size_t heights = plane.heights.size();
  const auto at_height =
      static_cast<std::size_t>(std::lower_bound(plane.heights.begin(), plane.heights.end(), law.scale) - plane.heights.begin());
  if (!find_frequencies(plane, at_height)) return;
  find_dispersions(disc.number("toomre_q"), disc.number("q_radius") * length_);
  correct();
  const std::size_t rows = grid_.count / vertical_each + 1;
  std::vector<std::optional<VerticalDistribution>> made(rows);
  parallel_for(rows, 1, [&](std::size_t row) {
    const std::size_t n = std::min(row * vertical_each, grid_.count - 1);
    made[row].emplace(plane.heights, &plane.above_plane[n * heights], HeightLaw(law.scale * height_factor_[n], law.is_sech2));
  });
  for (std::optional<VerticalDistribution>& one : made) vertical_.push_back(std::move(*one));
  for (std::size_t n = 0; n < grid_.count; ++n) vertical_dispersion_.push_back(vertical_[n / vertical_each].dispersion());
}

double DiscDistribution::at(const Column& column, double R) const {
  const double place = std::clamp(grid_.place(R), 0.0, static_cast<double>(grid_.count - 1));
  const std::size_t n = std::min(static_cast<std::size_t>(place), grid_.count - 2);
  const double weight = place - static_cast<double>(n);
  return (1 - weight) * column[n] + weight * column[n + 1];
}

double DiscDistribution::surface_density(double R) const {
  return mass_ / (2 * std::numbers::pi * length_ * length_) * std::exp(-R / length_);
}

double DiscDistribution::toomre_q(double R) const {
  return radial_dispersion(R) * epicyclic_frequency(R) / (3.36 * G_ * surface_density(R));
}

/// The vertical one is that of a particle that rises to the scale height.
bool DiscDistribution::find_frequencies(const PlanePotential& plane, std::size_t at_height) {
  const double height = plane.heights[at_height];
  for (std::size_t n = 0; n < grid_.count; ++n) {
    const double R = grid_.radius(n), v2 = circular_velocity2_[n], above = plane.above_plane[n * plane.heights.size() + at_height];
    epicyclic2_.push_back((2 * v2 + plane.slope_of_velocity2[n]) / (R * R));
    vertical_frequency_.push_back(std::sqrt(2 * above) / height);
    if (unstable_at_ || (v2 > 0 && epicyclic2_[n] > 0 && above > 0)) continue;
    unstable_at_ = R;
  }
  return !unstable_at_;
}

void DiscDistribution::find_dispersions(double toomre_q, double q_radius) {
  // sigma_R^2 falls like the surface density (van der Kruit & Searle 1981).
  const double there = toomre_q * 3.36 * G_ * surface_density(q_radius) / epicyclic_frequency(q_radius);
  const double floor = coldest * circular_velocity(q_radius), above_floor = std::sqrt(std::max(0.0, there * there - floor * floor));
  for (std::size_t n = 0; n < grid_.count; ++n) {
    const double falling = above_floor * std::exp(0.5 * (q_radius - grid_.radius(n)) / length_);
    sigma_wanted_.push_back(std::hypot(falling, coldest * std::sqrt(circular_velocity2_[n])));
  }
}

/// Surface density at the radius n that comes from guiding radius k: [n][k].
DiscDistribution::Column DiscDistribution::weights_of_guiding_radii() const {
  Column weights(grid_.count * grid_.count);
  parallel_for(grid_.count, 8, [&](std::size_t n) {
    const double R = grid_.radius(n);
    for (std::size_t k = 0; k < grid_.count; ++k) {
      const double Rc = grid_.radius(k), v2 = circular_velocity2_[k], v = std::sqrt(v2), sigma = sigma_[k];
      const double momentum = Rc * v;
      const double excess = potential_[n] - potential_[k] + 0.5 * (momentum * momentum / (R * R) - v2);
      // dL / dx with the place x on the grid; N is that of a cold disc times the correction.
      const double dL =
          Rc * Rc * epicyclic2_[k] / (2 * v / Rc) / Rc * grid_.scale * std::cosh(grid_.spacing * (static_cast<double>(k) + 0.5));
      const double cold = surface_density(Rc) * (v / Rc) / (std::numbers::pi * std::sqrt(epicyclic2_[k]) * sigma * sigma);
      weights[n * grid_.count + k] = density_[k] * cold * std::sqrt(2 * std::numbers::pi) * sigma *
                                     std::exp(-std::max(excess, 0.0) / (sigma * sigma)) * dL / R * grid_.spacing;
    }
  });
  return weights;
}

void DiscDistribution::correct() {
  sigma_ = sigma_wanted_;
  density_.assign(grid_.count, 1);
  height_factor_.assign(grid_.count, 1);
  Column weights;
  for (int round = 0; round <= corrections; ++round) {
    weights = weights_of_guiding_radii();
    // Wanted over found, at each radius.
    Column of_density(grid_.count), of_energy(grid_.count), of_height(grid_.count);
    double all_energy = 0, excess = 0;
    for (std::size_t n = 0; n < grid_.count; ++n) {
      double mass = 0, energy = 0, height = 0;
      for (std::size_t k = 0; k < grid_.count; ++k) {
        const double w = weights[n * grid_.count + k];
        mass += w;
        energy += w * sigma_[k] * sigma_[k];
        height += w * height_factor_[k] * std::sqrt(vertical_frequency_[k] / vertical_frequency_[n]);
      }
      const double R = grid_.radius(n), x = grid_.spacing * (static_cast<double>(n) + 0.5);
      const double part = surface_density(R) * std::sinh(x) * std::cosh(x), wanted = sigma_wanted_[n] * sigma_wanted_[n];
      all_energy += part * (circular_velocity2_[n] + wanted);
      excess += part * std::abs(energy / mass - wanted);
      of_density[n] = surface_density(R) / mass;
      of_energy[n] = sigma_wanted_[n] * sigma_wanted_[n] * mass / energy;
      of_height[n] = mass / height;
    }
    misfit_ = excess / all_energy;
    if (round == corrections) break;
    // A guiding radius is corrected by the mean over the radii that its particles reach (Richardson 1972, Lucy 1974).
    for (std::size_t k = 0; k < grid_.count; ++k) {
      double all = 0, density = 0, energy = 0, height = 0;
      for (std::size_t n = 0; n < grid_.count; ++n) {
        const double x = grid_.spacing * (static_cast<double>(n) + 0.5), area = std::sinh(x) * std::cosh(x);
        const double w = weights[n * grid_.count + k] * area;
        all += w;
        density += w * of_density[n];
        energy += w * of_energy[n];
        height += w * of_height[n];
      }
      if (k > 0 && grid_.radius(k) > corrected_to * length_) {
        density_[k] = density_[k - 1];
        sigma_[k] = sigma_wanted_[k] * sigma_[k - 1] / sigma_wanted_[k - 1];
        height_factor_[k] = height_factor_[k - 1];
        continue;
      }
      density_[k] *= density / all;
      // Where hot particles from further in are as many as a radius has itself, no dispersion of its own would do.
      sigma_[k] = std::clamp(sigma_[k] * std::sqrt(energy / all), 0.6 * sigma_wanted_[k], 1.4 * sigma_wanted_[k]);
      height_factor_[k] *= height / all;
    }
  }
  tabulate_guiding_radii(weights);
}

void DiscDistribution::tabulate_guiding_radii(const Column& weights) {
  guiding_.resize(grid_.count * deviates);
  parallel_for(grid_.count, 8, [&](std::size_t n) {
    const double* const w = &weights[n * grid_.count];
    double all = 0;
    for (std::size_t k = 0; k < grid_.count; ++k) all += w[k];
    double inside = 0;
    std::size_t k = 0;
    for (std::size_t d = 0; d < deviates; ++d) {
      const double part = all * normal_part(deviate_limit * (2.0 * static_cast<double>(d) / (deviates - 1) - 1));
      while (k + 1 < grid_.count && inside + w[k] < part) inside += w[k++];
      guiding_[n * deviates + d] = static_cast<float>(static_cast<double>(k) - 0.5 + std::clamp((part - inside) / w[k], 0.0, 1.0));
    }
  });
}

bool DiscDistribution::draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const {
  // The mass inside a radius is a gamma distribution of shape 2: the sum of two exponential deviates.
  const double R = -length_ * (std::log(random.uniform()) + std::log(random.uniform()));
  const double place = std::clamp(grid_.place(R), 0.0, static_cast<double>(grid_.count - 1) - 1e-9);
  const auto n = static_cast<std::size_t>(place);
  const double deviate = std::clamp((random.normal() / deviate_limit + 1) * 0.5, 0.0, 1.0) * (deviates - 1);
  const std::size_t d = std::min(static_cast<std::size_t>(deviate), deviates - 2);
  const double across = place - static_cast<double>(n), along = deviate - static_cast<double>(d);
  const auto guiding = [&](std::size_t row) {
    const float* const g = &guiding_[row * deviates + d];
    return (1 - along) * static_cast<double>(g[0]) + along * static_cast<double>(g[1]);
  };
  const double guiding_place =
      std::clamp((1 - across) * guiding(n) + across * guiding(n + 1), -0.499, static_cast<double>(grid_.count - 1));
  const double Rc = grid_.scale * std::sinh(grid_.spacing * (guiding_place + 0.5));
  const double radial = at(sigma_, Rc) * random.normal();
  double azimuthal = Rc * circular_velocity(Rc) / R;
  if (random.uniform() < counter_rotating_) azimuthal = -azimuthal;
  const auto row = std::min(static_cast<std::size_t>(std::lround(std::max(guiding_place, 0.0) / vertical_each)), vertical_.size() - 1);
  double z = 0, vz = 0;
  const bool is_found = vertical_[row].draw(random, z, vz);
  const double swing = std::sqrt(at(vertical_frequency_, Rc) / at(vertical_frequency_, R));
  const double phi = 2 * std::numbers::pi * random.uniform(), cosine = std::cos(phi), sine = std::sin(phi);
  position[0] = R * cosine;
  position[1] = R * sine;
  position[2] = z * swing;
  velocity[0] = radial * cosine - azimuthal * sine;
  velocity[1] = radial * sine + azimuthal * cosine;
  velocity[2] = vz / swing;
  return is_found;
}

}  // namespace grove
