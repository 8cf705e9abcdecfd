#include "src/galaxies/spherical_potential.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <utility>

namespace grove {
namespace {

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

std::vector<double> log_gradient_of(const RadialGrid& grid, const std::vector<double>& force) {
  std::vector<double> log_gradient;
  for (std::size_t k = 0; k < grid.count; ++k) log_gradient.push_back(std::log(force[k]) + grid.log_radius(k));
  return log_gradient;
}

/// The integral of the gradient from the centre to each radius. Below the first it is a power of the radius, which is not steeper than what
/// has a finite depth.
std::vector<double> integral_of(const RadialGrid& grid, const std::vector<double>& log_gradient) {
  const RadialSpline spline(grid, log_gradient);
  constexpr double flattest = 0.1;
  std::vector<double> sums{std::exp(log_gradient[0]) / std::max(spline.slope(grid.log_first), flattest)};
  for (std::size_t k = 1; k < grid.count; ++k)
    sums.push_back(sums.back() + boost::math::quadrature::gauss<double, 7>::integrate([&](double u) { return std::exp(spline(u)); },
                                                                                      grid.log_radius(k - 1), grid.log_radius(k)));
  return sums;
}

std::vector<double> rest_of(const std::vector<double>& above, double far) {
  // From the outside inwards, so that small values keep their digits.
  std::vector<double> below(above.size(), far);
  for (std::size_t k = above.size() - 1; k-- > 0;) below[k] = below[k + 1] + (above[k + 1] - above[k]);
  return below;
}

}  // namespace

SphericalPotential::SphericalPotential(const RadialGrid& grid, const std::vector<double>& force)
    // Beyond the last radius there is no mass.
    : SphericalPotential(grid, log_gradient_of(grid, force), force.back() * std::exp(grid.log_last())) {}

SphericalPotential::SphericalPotential(const RadialGrid& grid, const std::vector<double>& log_gradient, double far)
    : grid_(grid),
      above_(integral_of(grid, log_gradient)),
      log_gradient_(grid, log_gradient),
      log_above_(grid, logarithms(above_)),
      log_below_(grid, logarithms(rest_of(above_, far))),
      depth_(above_.back() + far) {}

double SphericalPotential::below_infinity(double log_radius) const { return std::exp(log_below_(log_radius)); }

double SphericalPotential::log_radius_at(double energy) const {
  const auto next = std::lower_bound(above_.begin() + 1, above_.end() - 1, energy);
  const auto k = static_cast<std::size_t>(next - above_.begin());
  double low = grid_.log_radius(k - 1), high = grid_.log_radius(k);
  double u = low + RadialGrid::spacing * (energy - above_[k - 1]) / (above_[k] - above_[k - 1]);
  for (int i = 0; i < 4; ++i) u = std::clamp(u - (above_centre(u) - energy) / gradient(u), low, high);
  return u;
}

}  // namespace grove
