// What gravity knows of a cell: its mass, place, size and multipole. How cells form a tree is the matter of tree/tree.hpp.
//
// Lengths of float type are in units of `TreeScale::length`, masses in units of `TreeScale::mass`.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/gravity/multipole.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// What expansions need of a cell. All of it comes from the particles in the cell, not from the cube the keys name.
struct alignas(32) CellPlace {
  Double3 centre_of_mass;  ///< code units; the mean position where the mass is zero
  float mass = 0;
  float radius = 0;  ///< upper bound of the distance of any particle from the centre of mass
};

/// What opening criteria look at, likewise.
struct alignas(64) CellGeometry : CellPlace {
  float half_size[3] = {};  ///< of the bounding box
  float offset[3] = {};     ///< of the bounding box's centre from the centre of mass
  float longest_side = 0;   ///< of the bounding box
  float spread = 0;         ///< radius at which all of the mass would have the same fourth moment, sum m d^4; at most `radius`
};

/// Powers of two that bring lengths and masses near 1, so that FP32 can hold them and their powers in whatever units the user works.
struct TreeScale {
  double length = 1;
  double mass = 1;
};

/// The number of terms of order 0 and 1, which are not stored with a multipole: the monopole is CellGeometry::mass, the dipole is zero.
inline constexpr int implied_terms = term_count(1);

/// Floats that a cell's multipole takes: terms of order 2 and more, padded to whole 16-byte words where they are many.
GROVE_HD constexpr int multipole_stride(ExpansionForm form) {
  const int terms = form.terms() - implied_terms;
  return form.order == 2 ? terms : (terms + 3) / 4 * 4;
}

/// The unit of length of an expansion whose contents reach to `radius`: the power of two at or below it, 1 for a point. Expansions are kept
/// in units of their own, since FP32 could not hold the fourth power of both a box and its smallest cells.
GROVE_HD inline float expansion_unit(float radius) {
  constexpr std::uint32_t sign_and_exponent = 0xff800000U;
  return radius > 1e-30F ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(radius) & sign_and_exponent) : 1;
}

}  // namespace grove
