// The columns of a profile: each is a row of a table, from which text, CSV, HDF5 and JSON are made.
#pragma once

#include <span>
#include <string>

#include "kernels/base/units.hpp"
#include "src/analysis/shells.hpp"

namespace grove {

/// One shell or ring, and what columns are computed from.
struct ShellView {
  double inner = 0, middle = 0, outer = 0;  ///< radii
  double G = 1;
  double external_v2 = 0;    ///< square of the circular velocity that external potentials add at the outer radius
  double median_height = 0;  ///< of a ring
  const ShellMoments& moments;
};

/// All in code units.
struct ProfileColumn {
  const char* name;
  FieldUnit unit;
  const char* meaning;
  double (*value)(const ShellView& shell);  ///< NaN where the shell does not have it: a mean without particles
  bool in_text = true;                      ///< shown in the table for a terminal, which has no room for all
};

/// The order of the quantities in ShellMoments.
enum SphereQuantity : std::size_t { v_radial, v_theta, v_phi };
/// cos2 and sin2: of twice the angle in the plane.
enum DiscQuantity : std::size_t { disc_v_radial, disc_v_phi, disc_v_z, disc_z, disc_cos2, disc_sin2 };

/// The columns of spherical shells and, with `is_disc`, of rings in the plane of a disc.
std::span<const ProfileColumn> profile_columns(bool is_disc);

/// "length", "mass length^-3", "velocity"; empty for numbers without unit.
std::string unit_text(const FieldUnit& unit);

}  // namespace grove
