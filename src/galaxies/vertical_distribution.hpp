// Motion across the plane of a disc at one radius.
#pragma once

#include <vector>

#include "src/galaxies/height_law.hpp"
#include "src/galaxies/random.hpp"

namespace grove {

/// Heights and vertical velocities of a disc of given vertical law in equilibrium in a potential across its plane: f(E_z) by Abel's
/// inversion.
class VerticalDistribution {
 public:
  /// `heights` from 0, `potential` there less that in the plane.
  VerticalDistribution(const std::vector<double>& heights, const double* potential, const HeightLaw& law);

  /// |z| <= the highest of the heights, and a velocity. False: none is found.
  [[nodiscard]] bool draw(RandomStream& random, double& z, double& vz) const;
  /// Dispersion of vz over all heights.
  double dispersion() const { return dispersion_; }

 private:
  double potential_at(double z) const;
  double value(double energy) const;

  std::vector<double> heights_, over_z2_;
  HeightLaw law_;
  std::vector<double> energy_, log_f_;
  double dispersion_ = 0;
};

}  // namespace grove
