// The radii at which the spherical parts of a galaxy are tabulated: even steps of their logarithm.
#pragma once

#include <algorithm>
#include <boost/math/interpolators/cardinal_quintic_b_spline.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace grove {

struct RadialGrid {
  static constexpr double spacing = 0.02;  ///< of ln r

  double log_first = 0;
  std::size_t count = 0;

  RadialGrid() = default;
  RadialGrid(double first, double last)
      : log_first(std::log(first)), count(static_cast<std::size_t>(std::ceil((std::log(last) - log_first) / spacing)) + 1) {}

  double log_radius(std::size_t k) const { return log_first + spacing * static_cast<double>(k); }
  double radius(std::size_t k) const { return std::exp(log_radius(k)); }
  double log_last() const { return log_radius(count - 1); }
};

/// A function of ln r through its values at the radii of a grid, with two continuous derivatives; constant slope beyond both ends.
class RadialSpline {
 public:
  RadialSpline(const RadialGrid& grid, const std::vector<double>& values)
      : first_(grid.log_first), last_(grid.log_last() - 1e-9), spline_(values, first_, RadialGrid::spacing) {}

  double operator()(double log_radius) const {
    const double inside = within(log_radius);
    return spline_(inside) + (log_radius - inside) * (log_radius == inside ? 0.0 : spline_.prime(inside));
  }
  double slope(double log_radius) const { return spline_.prime(within(log_radius)); }
  double curvature(double log_radius) const { return spline_.double_prime(within(log_radius)); }

 private:
  double within(double log_radius) const { return std::clamp(log_radius, first_, last_); }  // the spline refuses rounding beyond

  double first_, last_;
  boost::math::interpolators::cardinal_quintic_b_spline<double> spline_;
};

}  // namespace grove
