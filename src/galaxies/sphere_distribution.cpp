#include "src/galaxies/sphere_distribution.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "src/galaxies/parallel_for.hpp"

namespace grove {
namespace {

constexpr std::size_t energies = 800, speeds_each = 4;
/// Of the mass: where less is further out, there is no particle.
constexpr double nothing = 1e-11;

/// ln of the density that the isotropic formula takes: r^(2 beta) rho, or (1 + r^2 / radius^2) rho.
std::vector<double> log_augmented(const SphereMass& sphere, const RadialGrid& grid, const Anisotropy& anisotropy) {
  std::vector<double> values;
  double last_slope = -1;
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double u = grid.log_radius(k), r = std::exp(u), rho = sphere.density[k];
    double value = std::log(rho) + 2 * anisotropy.beta * u;
    if (anisotropy.radius > 0) value += std::log1p(r * r / (anisotropy.radius * anisotropy.radius));
    // Beyond its edge a component has no density, but its logarithm must stay smooth.
    if (!(rho > 1e-280)) value = values.empty() ? -600 : values.back() + last_slope;
    if (!values.empty()) last_slope = value - values.back();
    values.push_back(value);
  }
  return values;
}

/// Cosine of the angle to the radius, with the distribution (1 - cosine^2)^(-beta), beta <= 1/2.
double draw_cosine(RandomStream& random, double beta) {
  if (beta == 0) return 2 * random.uniform() - 1;
  for (;;) {  // one in two is taken
    // Even angles have the distribution (1 - cosine^2)^(-1/2).
    const double angle = std::numbers::pi * (random.uniform() - 0.5);
    if (random.uniform() < std::pow(std::cos(angle), 1 - 2 * beta)) return std::sin(angle);
  }
}

}  // namespace

SphereDistribution::SphereDistribution(const SphereMass& sphere, const SphericalPotential& potential, const Anisotropy& anisotropy)
    : potential_(potential), anisotropy_(anisotropy), density_(sphere.density) {
  const RadialGrid& grid = potential_.grid();
  double inside = sphere.shells.core;
  for (const double m : sphere.shells.mass) mass_inside_.push_back(inside += m);
  for (double& m : mass_inside_) m /= inside;
  core_ = sphere.shells.core / inside;

  const RadialSpline log_density(grid, log_augmented(sphere, grid, anisotropy));
  std::size_t last = grid.count - 1;
  while (last > 1 && mass_inside_[last - 1] > 1 - nothing) --last;
  const auto ratio_at = [&](double u) { return std::log(potential_.above_centre(u) / potential_.below_infinity(u)); };
  first_ = ratio_at(std::max(grid.log_first, std::log(sphere.first_radius)));
  step_ = (ratio_at(grid.log_radius(last)) - first_) / (energies - 1);
  log_f_.resize(energies);
  std::vector<char> is_negative(energies, 0);
  parallel_for(energies, 8, [&](std::size_t i) {
    const double ratio = std::exp(first_ + step_ * static_cast<double>(i));
    const double f = inverted(log_density, potential_.log_radius_at(potential_.depth() * ratio / (1 + ratio)));
    is_negative[i] = f > 0 ? 0 : 1;
    log_f_[i] = std::isfinite(f) ? std::log(std::max(f, 1e-300)) : f;
  });
  is_finite_ = std::all_of(log_f_.begin(), log_f_.end(), [](double f) { return std::isfinite(f); });
  if (!is_finite_) return;
  // A single value may be below 0 by rounding.
  for (std::size_t i = 0; i + 1 < energies && !negative_at_; ++i)
    if (is_negative[i] && is_negative[i + 1]) negative_at_ = potential_.depth() / (1 + std::exp(first_ + step_ * static_cast<double>(i)));
  if (negative_at_) return;

  speeds_.resize(grid.count / speeds_each + 2);
  parallel_for(speeds_.size(), 8,
               [&](std::size_t k) { speeds_[k] = speeds_at(grid.log_first + RadialGrid::spacing * static_cast<double>(speeds_each * k)); });

  // Jeans: rho sigma^2 with the weight of the anisotropy, from the outside inwards.
  dispersion2_.assign(grid.count, 0);
  double integral = 0;
  for (std::size_t k = grid.count - 1; k-- > 0;) {
    const auto per_log_radius = [&](double u) { return std::exp(log_density(u)) * potential_.gradient(u); };
    integral += boost::math::quadrature::gauss<double, 7>::integrate(per_log_radius, grid.log_radius(k), grid.log_radius(k + 1));
    dispersion2_[k] = integral / std::exp(log_density(grid.log_radius(k)));
  }
}

// f(E) = C d/dE of the integral over (E - psi)^(-lambda) d(density) / d psi, with lambda = 1/2 - beta. Integrated over ln r, where
// ln r = u + x^(1 / (1 - lambda)) takes out the singularity.
double SphereDistribution::inverted(const RadialSpline& log_density, double log_radius) const {
  const double beta = anisotropy_.beta, lambda = 0.5 - beta, power = 1 / (1 - lambda);
  const double end = potential_.grid().log_last(), energy = potential_.above_centre(log_radius);
  const auto term = [&](double x) {
    const double away = std::pow(x, power), u = log_radius + away;
    const double slope = log_density.slope(u);
    const double bend = slope * slope + log_density.curvature(u) - slope * potential_.slope_of_gradient(u);
    // Near the lower end the difference of potentials is a difference of nearly equal numbers.
    const double difference = away < 1e-6 ? away * potential_.gradient(log_radius) : potential_.above_centre(u) - energy;
    const double kernel = std::pow(difference, -lambda) * power * std::pow(x, power - 1);
    return std::exp(log_density(u)) * bend / potential_.gradient(u) * kernel;
  };
  // Pieces that grow with the distance.
  double sum = 0, from = 0;
  for (double to = 0.05; from < end - log_radius; to *= 1.7) {
    to = std::min(to, end - log_radius);
    sum += boost::math::quadrature::gauss<double, 15>::integrate(term, std::pow(from, 1 / power), std::pow(to, 1 / power));
    from = to;
  }
  const double pi = std::numbers::pi;
  return sum * std::pow(2.0, beta) / (std::pow(2 * pi, 1.5) * std::tgamma(1 - lambda) * std::tgamma(1 - beta));
}

double SphereDistribution::value(double above_centre) const {
  const double below = potential_.depth() - above_centre;
  if (!(below > 0)) return 0;
  const double place = (std::log(above_centre / below) - first_) / step_;
  if (place >= static_cast<double>(energies - 1)) return 0;
  if (place <= 0) return std::exp(log_f_[0]);
  const auto i = static_cast<std::size_t>(place);
  const double weight = place - static_cast<double>(i);
  return std::exp((1 - weight) * log_f_[i] + weight * log_f_[i + 1]);
}

double SphereDistribution::speed_distribution(double above_centre, double speed) const {
  const double f = value(above_centre + 0.5 * speed * speed);
  return f * (anisotropy_.beta == 0 ? speed * speed : std::pow(speed, 2 - 2 * anisotropy_.beta));
}

SphereDistribution::Speeds SphereDistribution::speeds_at(double log_radius) const {
  constexpr int tried = 200;
  const double above = potential_.above_centre(log_radius);
  Speeds speeds{std::sqrt(2 * potential_.below_infinity(log_radius)), 0};
  // The second time over the range in which there are speeds.
  for (int pass = 0; pass < 2; ++pass) {
    const double range = speeds.fastest;
    double highest = 0;
    for (int i = 1; i < tried; ++i) highest = std::max(highest, speed_distribution(above, range * i / tried));
    int last = tried - 1;
    while (last > 1 && speed_distribution(above, range * last / tried) < 1e-9 * highest) --last;
    speeds = {range * (last + 1) / tried, 1.03 * highest};
  }
  return speeds;
}

double SphereDistribution::draw_radius(double part) const {
  const RadialGrid& grid = potential_.grid();
  if (part < core_) return std::exp(grid.log_first - 0.5 * RadialGrid::spacing) * std::cbrt(part / core_);
  const auto next = std::lower_bound(mass_inside_.begin(), mass_inside_.end() - 1, part);
  const auto k = static_cast<std::size_t>(next - mass_inside_.begin());
  const double before = k > 0 ? mass_inside_[k - 1] : core_, shell = mass_inside_[k] - before;
  return std::exp(grid.log_radius(k) + RadialGrid::spacing * (shell > 0 ? (part - before) / shell - 0.5 : 0));
}

bool SphereDistribution::draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const {
  const double r = draw_radius(random.uniform());
  double outward[3];
  random.isotropic(1, outward);
  const double u = std::max(std::log(r), potential_.grid().log_first);
  const double place = (u - potential_.grid().log_first) / (RadialGrid::spacing * speeds_each);
  const std::size_t k = std::min(static_cast<std::size_t>(place), speeds_.size() - 2);
  const double fastest = std::max(speeds_[k].fastest, speeds_[k + 1].fastest),
               bound = 1.05 * std::max(speeds_[k].bound, speeds_[k + 1].bound);
  const double above = potential_.above_centre(u);
  double speed = 0;
  bool is_found = false;
  for (int trial = 0; trial < most_trials && !is_found; ++trial) {
    speed = fastest * random.uniform();
    is_found = bound * random.uniform() < speed_distribution(above, speed);
  }
  const double cosine = draw_cosine(random, anisotropy_.beta);
  const double radial = speed * cosine;
  double tangential = speed * std::sqrt((1 - cosine) * (1 + cosine));
  if (anisotropy_.radius > 0) tangential /= std::sqrt(1 + r * r / (anisotropy_.radius * anisotropy_.radius));
  double across[3], along = 0;
  random.isotropic(1, across);
  for (int d = 0; d < 3; ++d) along += across[d] * outward[d];
  double length = 0;
  for (int d = 0; d < 3; ++d) {
    across[d] -= along * outward[d];
    length += across[d] * across[d];
  }
  for (int d = 0; d < 3; ++d) {
    position[d] = r * outward[d];
    velocity[d] = radial * outward[d] + tangential * across[d] / std::sqrt(length);
  }
  return is_found;
}

double SphereDistribution::between_radii(const std::vector<double>& column, double log_radius) const {
  const RadialGrid& grid = potential_.grid();
  const double place = std::clamp((log_radius - grid.log_first) / RadialGrid::spacing, 0.0, static_cast<double>(column.size() - 2));
  const auto k = static_cast<std::size_t>(place);
  const double weight = place - static_cast<double>(k);
  return (1 - weight) * column[k] + weight * column[k + 1];
}

double SphereDistribution::density(double radius) const {
  const double log_radius = std::log(radius);
  return log_radius > potential_.grid().log_last() ? 0 : between_radii(density_, log_radius);
}

double SphereDistribution::radial_dispersion(double log_radius) const { return std::sqrt(between_radii(dispersion2_, log_radius)); }

double SphereDistribution::anisotropy_at(double radius) const {
  return anisotropy_.radius > 0 ? radius * radius / (radius * radius + anisotropy_.radius * anisotropy_.radius) : anisotropy_.beta;
}

}  // namespace grove
