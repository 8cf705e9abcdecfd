// The mass of a component's model by radius: r of a sphere, R in the plane of a disc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "src/galaxies/galaxy_model.hpp"

namespace grove {

/// Radii of a component at small steps, with the model's mass inside of each.
class ModelMass {
 public:
  explicit ModelMass(const GalaxyComponent& component) {
    // In half-mass radii.
    constexpr double first = 1e-8, last = 1e4, step = 0.01;
    double inside = 0, before = 0;
    for (double u = std::log(first * component.plan.half_mass_radius); u < std::log(last * component.plan.half_mass_radius); u += step) {
      const double r = std::exp(u);
      const double per_log_radius = component.disc ? 2 * std::numbers::pi * r * r * component.disc->surface_density(r)
                                                   : 4 * std::numbers::pi * r * r * r * component.sphere->density(r);
      inside += 0.5 * step * (before + per_log_radius);
      before = per_log_radius;
      radius_.push_back(r);
      inside_.push_back(inside);
    }
  }

  double total() const { return inside_.back(); }
  /// The radius with a part, from 0 to 1, of the mass inside.
  double radius_with(double part) const {
    const auto next = std::upper_bound(inside_.begin(), inside_.end() - 1, part * total());
    const auto k = std::max<std::ptrdiff_t>(next - inside_.begin(), 1);
    const double above = inside_[static_cast<std::size_t>(k)], below = inside_[static_cast<std::size_t>(k) - 1];
    const double weight = above > below ? std::clamp((part * total() - below) / (above - below), 0.0, 1.0) : 0;
    return radius_[static_cast<std::size_t>(k) - 1] * std::pow(radius_[1] / radius_[0], weight);
  }
  /// Mean of a function of the radius over the mass between two radii.
  template <class Function>
  double mean(double inner, double outer, const Function& function) const {
    double sum = 0, mass = 0;
    for (std::size_t k = 1; k < radius_.size(); ++k) {
      if (radius_[k] <= inner || radius_[k - 1] >= outer) continue;
      const double here = inside_[k] - inside_[k - 1];
      sum += here * function(std::sqrt(radius_[k] * radius_[k - 1]));
      mass += here;
    }
    return sum / mass;
  }

 private:
  std::vector<double> radius_, inside_;
};

}  // namespace grove
