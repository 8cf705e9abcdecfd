// The approximate equilibrium of a thin exponential disc in a spherical halo, after Hernquist 1993, ApJS 86, 389.
//
// The disc has surface density ~ exp(-R / scale_length) and, at every radius, density ~ sech^2(z / height). Its velocities are Gaussian,
// with moments from the Jeans equations in the epicyclic approximation and a radial dispersion that Toomre's Q sets. The halo is one of the
// isotropic spheres; its speeds are increased by what the disc adds to the dispersion in the spherical Jeans equation. This is not an exact
// equilibrium: the disc rotates as if it had no thickness, the halo sees a spherical disc, and epicycles are small compared with the radius
// only outside about half a scale length.
#pragma once

#include "src/generators/spheres.hpp"

namespace grove {

/// Code units. The mass of the halo is that of its particles, inside its cut-off; its G is that of both.
struct DiscParameters {
  double mass = 0;
  double scale_length = 1;
  double height = 0.1;
  double toomre_q = 1.5;
  SphereParameters halo;
  SphereProfile halo_profile;
};

/// Mean and dispersions of the velocities in the disc at one radius, code units.
struct DiscMotion {
  double rotation;  ///< mean azimuthal velocity: below the circular one by the asymmetric drift
  double sigma_radial, sigma_azimuthal, sigma_vertical;
};

/// Properties of disc and halo at a radius, computed anew at each call; code units.
class DiscEquilibrium {
 public:
  /// Radius at which Q is `toomre_q`, in scale lengths. Q is near its minimum there, since the squared dispersion falls like the surface
  /// density.
  static constexpr double q_radius = 2.0;

  explicit DiscEquilibrium(const DiscParameters& parameters);

  double surface_density(double radius) const;
  /// Squared circular velocity: Freeman's disc (Binney & Tremaine 2008, eq. 2.165) and the halo.
  double circular_velocity2(double radius) const;
  double epicyclic_frequency2(double radius) const;
  DiscMotion motion(double radius) const;
  /// Factor by which the disc increases the speeds of the halo.
  double halo_speed_factor(double radius) const;

 private:
  double halo_mass(double radius) const;
  /// Dependence of the squared radial dispersion on radius: Hernquist's softened exponential (his eq. 2.20).
  double dispersion_profile(double radius) const;
  double sigma_radial2(double radius) const;
  double sigma_vertical2(double radius) const;

  DiscParameters p_;
  double halo_total_mass_;  ///< without a cut-off
  double dispersion2_;      ///< squared radial dispersion where dispersion_profile() is 1
};

}  // namespace grove
