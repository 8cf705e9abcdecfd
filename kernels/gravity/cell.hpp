// The data of a cell that gravity needs: its mass, place, size and multipole. See tree/tree.hpp for how cells form a tree.
//
// Lengths of float type are in units of `TreeScale::length`, masses in units of `TreeScale::mass`.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/gravity/multipole.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// The data of a cell that expansions need. It is computed from the particles in the cell, not from the cube of the cell's key.
struct alignas(32) CellPlace {
  Double3 centre_of_mass;  ///< code units; the mean position if the mass is zero
  float mass = 0;
  float radius = 0;  ///< upper bound of the distance of any particle from the centre of mass
};

/// The data of a cell that opening criteria need. It is also computed from the particles.
struct alignas(64) CellGeometry : CellPlace {
  float half_size[3] = {};  ///< of the bounding box
  float offset[3] = {};     ///< of the bounding box's centre from the centre of mass
  float longest_side = 0;   ///< of the bounding box
  float spread = 0;         ///< if all its mass were at this radius, the fourth moment, sum m d^4, would be the same; at most `radius`
};

/// The units of length and mass of a tree, in code units: powers of two. In these units lengths and masses are near 1, so FP32 can hold
/// them and their powers for any choice of code units.
struct TreeScale {
  double length = 1;
  double mass = 1;

  /// The powers of two nearest to a length and a mass; 1 for a value that is not finite and positive.
  static TreeScale near(double length, double mass) { return {power_of_two_near(length), power_of_two_near(mass)}; }

 private:
  static double power_of_two_near(double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1; }
};

/// The number of terms of order 0 and 1. They are not stored with a multipole: the monopole is CellGeometry::mass, the dipole is zero.
inline constexpr int implied_terms = term_count(1);

/// Number of floats of a cell's multipole: its terms of order 2 and higher. Multipoles of order 4 and 5 are padded to whole 16-byte words.
GROVE_HD constexpr int multipole_stride(ExpansionForm form) {
  const int terms = form.terms() - implied_terms;
  return form.order == 2 ? terms : (terms + 3) / 4 * 4;
}

/// The unit of length of an expansion whose particles lie within `radius`: the largest power of two not above `radius`; 1 for a point.
/// Each expansion has its own unit, because FP32 cannot hold the fourth powers of both the box size and the smallest cells.
GROVE_HD inline float expansion_unit(float radius) {
  constexpr std::uint32_t sign_and_exponent = 0xff800000U;
  return radius > 1e-30F ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(radius) & sign_and_exponent) : 1;
}

}  // namespace grove
