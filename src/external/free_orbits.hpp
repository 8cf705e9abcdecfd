// Paths of potentials that move as points in the others, with dynamical friction.
#pragma once

#include <memory>
#include <vector>

#include "src/external/external_info.hpp"

namespace grove {

/// Value of `orbit` of a free potential.
inline constexpr const char* free_orbit = "free";

/// Solves the equations of motion of all free centres together (Dormand & Prince 1980, relative error 1e-10 a step), with steps that depend
/// on no other times: so a path has the same bits however its times are asked for.
class FreeOrbits {
 public:
  /// `sections`: those that are there. At `begin`, free ones are at their x, y, z with vx, vy, vz. Throws ConfigError for keys of a section
  /// that do not fit together.
  FreeOrbits(const std::vector<ExternalParameters>& sections, double G, double begin);
  ~FreeOrbits();

  /// Adds points to the free ones of `paths`, which are those of the sections, until they go beyond `time`. Throws DataError where an orbit
  /// cannot be followed.
  void reach(double time, std::vector<Orbit>& paths);

 private:
  class Motion;
  std::unique_ptr<Motion> motion_;  ///< null: none is free
};

}  // namespace grove
