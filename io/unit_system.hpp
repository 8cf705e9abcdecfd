// The units in which a file's numbers are meant.
#pragma once

namespace grove {

/// Code units in cgs. All 1 stands for N-body units, which have no physical scale. The unit of time is length / velocity.
struct UnitSystem {
  double length_in_cm = 1;
  double mass_in_g = 1;
  double velocity_in_cm_per_s = 1;

  double time_in_s() const { return length_in_cm / velocity_in_cm_per_s; }
};

}  // namespace grove
