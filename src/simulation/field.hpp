// The field of particles at any points, whatever the back end.
#pragma once

#include <span>
#include <vector>

namespace grove {

/// Forces at places without particles, in their order. Code units.
struct FieldValues {
  std::vector<double> acceleration;  ///< [3 * points]
  std::vector<double> potential;     ///< [points], per unit mass
};

/// The gravity of particles that stay where they are, and the external potentials of a simulation. What the particles need is done once.
class Field {
 public:
  virtual ~Field() = default;

  /// At this rank's `points` [3 * any number], with external potentials of that time. They do not depend on earlier calls. Every rank holds
  /// the values of all ranks' points for a moment. Collective. Throws AgreedError.
  virtual FieldValues at(std::span<const double> points, double time) = 0;
};

}  // namespace grove
