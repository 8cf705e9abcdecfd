// The table of criteria for the time step of a particle.
//
// To add one, write a struct like these and put it into StepCriteria: info(), and step(), the longest step that the force on a particle
// allows. A wrong acceleration gives a wrong step, not an error: the check for numbers that are not finite comes with the forces.
#pragma once

#include <cmath>
#include <string>
#include <tuple>

#include "kernels/space/vector.hpp"

namespace grove {

struct StepCriterionInfo {
  std::string name;     ///< value of time.criterion
  std::string meaning;  ///< one line
  std::string source;   ///< the paper, author year
};

/// sqrt(2 accuracy softening / |a|): the time in which a particle at rest falls through a part of its softening length.
struct SofteningCriterion {
  static StepCriterionInfo info() {
    return {.name = "softening", .meaning = "sqrt(2 accuracy softening / acceleration)", .source = "Power et al. 2003, eq. 5"};
  }
  static constexpr bool needs_softening = true;
  /// `force`: acceleration, and the potential in w.
  GROVE_HD static double step(const Double4& force, double softening, double accuracy) {
    const Double3 a = position_of(force);
    return sqrt(2 * accuracy * softening / sqrt(dot(a, a)));
  }
};

/// accuracy sqrt(|phi|) / |a|: a part of the time in which the acceleration would change the velocity by the escape speed. An external
/// potential may be 0 anywhere: it says nothing of that speed.
struct PotentialCriterion {
  static StepCriterionInfo info() {
    return {
        .name = "potential", .meaning = "accuracy sqrt(|potential|) / acceleration; needs no softening", .source = "Dehnen & Read 2011"};
  }
  static constexpr bool needs_softening = false;
  GROVE_HD static double step(const Double4& force, double, double accuracy) {
    const Double3 a = position_of(force);
    return accuracy * sqrt(fabs(force.w) / dot(a, a));
  }
};

/// All criteria, the default first.
using StepCriteria = std::tuple<SofteningCriterion, PotentialCriterion>;

}  // namespace grove
