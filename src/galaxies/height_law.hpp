// How the density of a disc falls with the height above its plane.
#pragma once

#include <cmath>
#include <numbers>

#include "src/galaxies/galaxy_parameters.hpp"

namespace grove {

/// sech^2(z / scale), or exp(-|z| / scale). Code units.
struct HeightLaw {
  double scale = 1;
  bool is_sech2 = true;

  HeightLaw(double height, bool sech2) : scale(height), is_sech2(sech2) {}
  explicit HeightLaw(const ComponentParameters& disc)
      : scale(disc.number("height") * disc.number("scale_length")), is_sech2(disc.text("vertical") == "sech2") {}

  /// Density over that in the plane, and its derivative, for z >= 0.
  double density(double z) const {
    const double x = z / scale;
    if (!is_sech2) return std::exp(-x);
    const double cosh = std::cosh(x);
    return 1 / (cosh * cosh);
  }
  double slope(double z) const { return density(z) / scale * (is_sech2 ? -2 * std::tanh(z / scale) : -1.0); }
  /// The part of the mass within |z|, and the height within which a part lies.
  double part_within(double z) const {
    const double x = std::abs(z) / scale;
    return is_sech2 ? std::tanh(x) : -std::expm1(-x);
  }
  double height_with(double part) const { return scale * (is_sech2 ? std::atanh(part) : -std::log1p(-part)); }
  /// Mean |z|.
  double mean() const { return scale * (is_sech2 ? std::numbers::ln2 : 1.0); }
};

}  // namespace grove
