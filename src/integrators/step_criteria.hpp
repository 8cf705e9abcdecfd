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
  std::string name;         ///< value of time.criterion
  std::string meaning;      ///< one line
  std::string source;       ///< the paper, author year
  bool needs_past = false;  ///< step() looks at the last step
};

/// What is known of a particle, in code units.
struct StepClues {
  Double4 force;     ///< acceleration, and the potential in w
  double softening;  ///< of its component
  Double3 change{};  ///< of the acceleration over the last step
  double way = 0;    ///< that it may have gone in this step; 0: there was none
};

/// sqrt(2 accuracy softening / |a|): the time in which a particle at rest falls through a part of its softening length.
struct SofteningCriterion {
  static StepCriterionInfo info() {
    return {.name = "softening", .meaning = "sqrt(2 accuracy softening / acceleration)", .source = "Power et al. 2003, eq. 5"};
  }
  static constexpr bool needs_softening = true;
  static constexpr bool needs_past = false;
  GROVE_HD static double step(const StepClues& particle, double accuracy) {
    const Double3 a = position_of(particle.force);
    return sqrt(2 * accuracy * particle.softening / sqrt(dot(a, a)));
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
  static constexpr bool needs_past = false;
  GROVE_HD static double step(const StepClues& particle, double accuracy) {
    const Double3 a = position_of(particle.force);
    return accuracy * sqrt(fabs(particle.force.w) / dot(a, a));
  }
};

/// sqrt(accuracy / T), where T is the change of the acceleration along the way of the last step, over that way: the tidal tensor in this
/// direction. On a circular orbit 1 / sqrt(T) is that of the angular velocity. The way is |v| h + |a| h^2 / 2: that of a particle at rest
/// is not 0, so that errors of forces do not count there. Before there was a step, the potential says how long the first one is.
struct TidalCriterion {
  static StepCriterionInfo info() {
    return {.name = "tidal",
            .meaning = "sqrt(accuracy / tidal force per length), along the last step; needs no softening",
            .source = "Dehnen & Read 2011; Grudic & Hopkins 2020",
            .needs_past = true};
  }
  static constexpr bool needs_softening = false;
  static constexpr bool needs_past = true;
  GROVE_HD static double step(const StepClues& particle, double accuracy) {
    if (!(particle.way > 0)) return PotentialCriterion::step(particle, sqrt(accuracy));
    return sqrt(accuracy * particle.way / sqrt(dot(particle.change, particle.change)));
  }
};

/// All criteria, the default first.
using StepCriteria = std::tuple<SofteningCriterion, PotentialCriterion, TidalCriterion>;

}  // namespace grove
