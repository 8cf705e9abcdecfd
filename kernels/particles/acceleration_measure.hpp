// The magnitude of acceleration that decides how exact the force on a particle must be.
#pragma once

#include "kernels/space/scalar.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// What opening criteria take for the magnitude of a particle's acceleration, so that they need not be exact where large forces cancel:
/// |a|, but at least a share of a = (phi^2 / GM) (1 - (phi eps / GM)^2)^(1/2). That is the acceleration which all mass at one distance
/// would give to a particle with the potential phi. Without softening it is no more than the sum of the magnitudes of all contributions,
/// the measure of Dehnen (2014, section 3.3), since (sum m / r)^2 <= (sum m) (sum m / r^2).
class AccelerationMeasure {
 public:
  AccelerationMeasure() = default;
  /// The unit of the results, GM of all particles, and the largest softening; code units.
  constexpr AccelerationMeasure(double unit, double GM, double softening)
      : per_unit_(1 / unit), per_GM_(GM > 0 && 1 / GM < 1e300 ? 1 / GM : 0), softening_(softening) {}

  /// Where forces do not cancel, phi^2 / GM is a few times |a|. docs/development/constants.md has what the share costs in accuracy.
  static constexpr double least_share = 0.05;

  /// `field`: acceleration and potential. In FP64, since with some values of G or some units the square of |a| is out of the range of FP32.
  /// No more than one root, and no division: over all particles, a GPU spends its time on these.
  GROVE_HD float operator()(const Double4& field) const {
    const Double3 a = per_unit_ * position_of(field);
    const double share = per_GM_ * field.w, softened = share * softening_, softened2 = softened * softened;
    const double least = least_share * (per_unit_ * field.w) * share;
    return static_cast<float>(sqrt(larger(dot(a, a), softened2 < 1 ? least * least * (1 - softened2) : 0)));
  }

 private:
  double per_unit_ = 1, per_GM_ = 0, softening_ = 0;
};

}  // namespace grove
