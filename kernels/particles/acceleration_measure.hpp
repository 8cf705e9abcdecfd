// How exact the force on a particle must be.
#pragma once

#include "kernels/space/scalar.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// What opening criteria take for the magnitude of a particle's acceleration, so that they need not be exact where large forces cancel:
/// |a|, but at least a share of a = (phi^2 / GM) (1 - (phi eps / GM)^2)^(1/2). That is the acceleration which all mass at one distance
/// would give to a particle with the potential phi. Without softening it is no more than the sum of the magnitudes of all contributions,
/// the measure of Dehnen (2014, section 3.3), since (sum m / r)^2 <= (sum m) (sum m / r^2).
struct AccelerationMeasure {
  double unit = 1;       ///< of the results; code units
  double GM = 0;         ///< of all particles; code units
  double softening = 0;  ///< the largest; code units

  /// Where forces do not cancel, phi^2 / GM is a few times |a|. docs/architecture.md has what the share costs in accuracy.
  static constexpr double least_share = 0.05;

  /// `field`: acceleration and potential. In FP64, since with some values of G or some units the square of |a| is out of the range of FP32.
  GROVE_HD float operator()(const Double4& field) const {
    const Double3 a = (1 / unit) * position_of(field);
    const double share = GM > 0 ? field.w / GM : 0, softened = share * softening;
    const double least = softened * softened < 1 ? least_share * (field.w / unit) * share * sqrt(1 - softened * softened) : 0;
    return static_cast<float>(larger(sqrt(dot(a, a)), least));
  }
};

}  // namespace grove
