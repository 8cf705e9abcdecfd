// Softening kernels: force and potential of a unit point mass as functions of the squared distance.
//
// To add one: write a struct like those below and put it into SofteningKernels. The constructor takes the softening length eps, for which
// the potential at the centre is -1 / eps, as Plummer's: a kernel of finite support has a radius of its own (3 eps for Wendland's). Nowhere
// may the force exceed that of a point mass. `T` is float, double or a SIMD vector of floats, of which select() drops what the other branch
// gives, NaN, too. The struct has these members:
//
// - squared(dx, dy, dz) is the squared distance that the functions below take as r2; beyond support(), multipole terms also use it. It is
// never less than the true squared distance. As a single expression it takes one fused multiply-add for each coordinate.
// - point(r2, f, p) sets f so that the acceleration is f * (source - target), and p so that the potential is -p.
// - point_apart(r2, f, p) does the same for r2 above NewtonKernel::smallest(). It need not handle smaller r2, for which results do not fit
// into T.
// - support() is the distance beyond which multipoles give the softened force.
// - harmonic says whether expansions assume that the potential satisfies Laplace's equation beyond the support.
// - least_length is the smallest softening length, scaled, for which the results of point() fit into FP32 at all distances.
// - zero_at_zero says whether point() gives f = p = 0 at r2 = 0, so that a particle may be its own source.
#pragma once

#include <tuple>

#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/space/scalar.hpp"

namespace grove {

/// No softening. A pair at distance zero does not interact. In FP32, a pair closer than 1e-12 TreeScale::length does not interact either,
/// because 1 / r^3 does not fit into FP32: walks compute the forces of such pairs with add_close_particle().
struct NewtonKernel {
  static constexpr const char* name = "none";
  static constexpr bool harmonic = true;
  static constexpr bool zero_at_zero = true;
  static constexpr double least_length = 0;
  /// Squared distance below which 1 / r^3 does not fit into T.
  template <class T>
  GROVE_HD static constexpr auto smallest() {
    if constexpr (std::is_same_v<T, double>)
      return 1e-200;
    else
      return 1e-24F;
  }
  explicit NewtonKernel(double) {}
  double support() const { return 0; }

  template <class T>
  GROVE_HD void point(T r2, T& f, T& p) const {
    p = select(r2 > T(smallest<T>()), reciprocal_sqrt(r2), T(0));
    f = p * p * p;
  }
  template <class T>
  GROVE_HD void point_apart(T r2, T& f, T& p) const {
    p = reciprocal_sqrt(r2);
    f = p * p * p;
  }
  template <class T>
  GROVE_HD T squared(T dx, T dy, T dz) const {
    return dx * dx + dy * dy + dz * dz;
  }
};

/// Plummer 1911; Aarseth 1963: phi = -1 / sqrt(r^2 + eps^2), at all distances and for all moments.
struct PlummerKernel {
  static constexpr const char* name = "plummer";
  static constexpr bool harmonic = false;
  static constexpr bool zero_at_zero = false;
  static constexpr double least_length = 2e-13;  // its third power, 8e-39, has an inverse of 1.25e38
  Constant eps2;
  explicit PlummerKernel(double softening) : eps2(softening * softening) {}
  double support() const { return 0; }

  template <class T>
  GROVE_HD void point(T r2, T& f, T& p) const {
    p = reciprocal_sqrt(r2);
    f = p * p * p;
  }
  template <class T>
  GROVE_HD void point_apart(T r2, T& f, T& p) const {
    point(r2, f, p);
  }
  template <class T>
  GROVE_HD T squared(T dx, T dy, T dz) const {
    return dx * dx + (dy * dy + (dz * dz + eps2.template as<T>()));
  }
};

/// Plummer's softening where distant cells are many softening lengths away: expansions assume that the potential satisfies Laplace's
/// equation, and so have fewer terms. At a distance d, the second derivatives then lack a trace of 3 m eps^2 / d^5. For a point at a
/// distance b from the centre of its expansion, the force m / d^2 has a relative error of 3 b eps^2 / d^3, to lowest order. The opening
/// criterion includes `lacking_trace` b eps^2 / d^3 in its estimate, which is a bound for all orders. The errors of many cells have the
/// same sign: see GravityLaw::form_for_cells().
struct SmallPlummerKernel : PlummerKernel {
  static constexpr bool harmonic = true;
  static constexpr double lacking_trace = 9;
};

/// Wendland C2 (Wendland 1995; as in Schaller et al. 2024, SWIFT): Newtonian beyond H = 3 eps, potential -1 / eps at the centre.
struct WendlandC2Kernel {
  static constexpr const char* name = "wendland_c2";
  static constexpr bool harmonic = true;
  static constexpr bool zero_at_zero = false;
  static constexpr double least_length = 2e-13;  // 14 / H^3 is 6.5e37
  /// Closer pairs are treated as if they were at this squared distance, far inside of H.
  template <class T>
  GROVE_HD static constexpr auto closest() {
    if constexpr (std::is_same_v<T, double>)
      return 1e-200;
    else
      return 1e-36F;
  }
  Constant h, per_h;
  explicit WendlandC2Kernel(double softening) : h(3 * softening), per_h(1 / h.exact) {}
  double support() const { return h.exact; }

  template <class T>
  GROVE_HD void point(T r2, T& f, T& p) const {
    const T least = T(closest<T>());
    point_apart(select(r2 > least, r2, least), f, p);
  }
  template <class T>
  GROVE_HD void point_apart(T r2, T& f, T& p) const {
    const T inverse = reciprocal_sqrt(r2);
    const T scale = per_h.template as<T>();
    const T u = r2 * inverse * scale;
    const T u2 = u * u;
    const T inner_p = T(3) + u2 * (T(-7) + u2 * (T(21) + u * (T(-28) + u * (T(15) - T(3) * u))));
    const T inner_f = T(14) + u2 * (T(-84) + u * (T(140) + u * (T(-90) + T(21) * u)));
    p = select(u < T(1), inner_p * scale, inverse);
    f = select(u < T(1), inner_f * scale * scale * scale, inverse * inverse * inverse);
  }
  template <class T>
  GROVE_HD T squared(T dx, T dy, T dz) const {
    return dx * dx + dy * dy + dz * dz;
  }
};

/// The kernels; their names are the values of gravity.softening_kernel. With a softening length of zero, NewtonKernel replaces any of them.
using SofteningKernels = std::tuple<PlummerKernel, WendlandC2Kernel>;

}  // namespace grove
