// Points at which a field is asked for: particles without mass in a class of their own, so that trees are walked for them alone.
#pragma once

#include <vector>

#include "kernels/gravity/softening_classes.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Their particle type.
inline constexpr int point_type = particle_type_count;
/// Their softening: the smallest, so that the one of their pairs is that of the particle.
inline constexpr double softening_of_points = -1;

/// Softening lengths by type, with points. `of_type`: those of the particles' types; empty: all have `softening`.
inline std::vector<double> with_points(std::vector<double> of_type, double softening) {
  of_type.resize(particle_type_count, softening);
  of_type.push_back(softening_of_points);
  return of_type;
}

/// Whether there are points; they are the first class.
inline bool has_points(const SofteningClasses& classes) { return classes.length.front() < 0; }

}  // namespace grove
