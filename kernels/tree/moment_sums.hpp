// Sums for the moments of a cell: extent, mass and centre of mass, multipole, and spread.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/gravity/cell.hpp"
#include "kernels/space/scalar.hpp"

namespace grove {

/// A bounding box in units of TreeScale::length, relative to an origin that the caller chooses.
struct Extent {
  Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

  GROVE_HD void add(const Double3& centre, double hx, double hy, double hz) {
    low = {smaller(low.x, centre.x - hx), smaller(low.y, centre.y - hy), smaller(low.z, centre.z - hz)};
    high = {larger(high.x, centre.x + hx), larger(high.y, centre.y + hy), larger(high.z, centre.z + hz)};
  }
  template <class Team>
  GROVE_HD void join(const Team& team) {
    double bound[6] = {-low.x, -low.y, -low.z, high.x, high.y, high.z};
    team.largest_each(bound);
    low = {-bound[0], -bound[1], -bound[2]};
    high = {bound[3], bound[4], bound[5]};
  }
};

// Boxes are made slightly larger than their contents, so that no particle is outside after rounding to FP32.
inline constexpr double outward = 1 + 1e-6;

/// Sets the members of a cell's geometry that follow from its extent about the centre of mass. `radius` is another upper bound of the
/// radius.
GROVE_HD inline void set_extent(CellGeometry& cell, const Extent& e, double radius) {
  const Double3 half = 0.5 * (e.high - e.low), offset = 0.5 * (e.high + e.low);
  const Double3 corner{half.x + fabs(offset.x), half.y + fabs(offset.y), half.z + fabs(offset.z)};
  cell.half_size[0] = static_cast<float>(half.x * outward);
  cell.half_size[1] = static_cast<float>(half.y * outward);
  cell.half_size[2] = static_cast<float>(half.z * outward);
  cell.offset[0] = static_cast<float>(offset.x);
  cell.offset[1] = static_cast<float>(offset.y);
  cell.offset[2] = static_cast<float>(offset.z);
  cell.longest_side = static_cast<float>(2 * larger(half.x, larger(half.y, half.z)));
  cell.radius = static_cast<float>(outward * smaller(radius, sqrt(dot(corner, corner))));
}

/// Distance from the origin to the farthest corner of the bounding box of a cell whose centre of mass is at d, scaled.
GROVE_HD inline double farthest_corner(const Double3& d, const CellGeometry& cell) {
  const Double3 corner{fabs(d.x + cell.offset[0]) + cell.half_size[0], fabs(d.y + cell.offset[1]) + cell.half_size[1],
                       fabs(d.z + cell.offset[2]) + cell.half_size[2]};
  return sqrt(dot(corner, corner));
}

/// Mass and centre of mass, summed relative to `origin`, so that a small cell far from the origin of coordinates loses no digits.
struct MassSum {
  Double3 origin;
  double mass = 0, count = 0;
  Double3 weighted{}, plain{};

  GROVE_HD void add(double m, double items, const Double3& x) {
    const Double3 d = x - origin;
    mass += m;
    count += items;
    weighted = weighted + m * d;
    plain = plain + items * d;
  }
  template <class Team>
  GROVE_HD void join(const Team& team) {
    double sum[8] = {mass, count, weighted.x, weighted.y, weighted.z, plain.x, plain.y, plain.z};
    team.sum_each(sum);
    mass = sum[0];
    count = sum[1];
    weighted = {sum[2], sum[3], sum[4]};
    plain = {sum[5], sum[6], sum[7]};
  }
  /// The centre of mass; the mean position if the mass is zero.
  GROVE_HD Double3 centre() const { return origin + (mass > 0 ? (1 / mass) * weighted : (1 / count) * plain); }
};

/// Copies a multipole, in 16-byte words if its length allows. Of every `step` words it copies the one at index `first`.
template <int stride>
GROVE_HD void copy_words(const float* from, float* to, int first, int step) {
  if constexpr (stride % 4 == 0) {
    for_terms<stride / 4>([&](auto w) {
      if (w % step == first) reinterpret_cast<Float4*>(to)[w] = reinterpret_cast<const Float4*>(from)[w];
    });
  } else {
    for_terms<stride>([&](auto w) {
      if (w % step == first) to[w] = from[w];
    });
  }
}

/// Sums over the points of a cell about its centre of mass. From them follows its fourth moment about any other centre.
template <class T>
struct RadialSums {
  T second{0}, third_x{0}, third_y{0}, third_z{0}, fourth{0};  ///< sum m d^2, sum m d^2 d, sum m d^4

  GROVE_HD void add_point(T m, T x, T y, T z) {
    const T d2 = x * x + y * y + z * z, md2 = m * d2;
    second += md2;
    third_x += md2 * x;
    third_y += md2 * y;
    third_z += md2 * z;
    fourth += md2 * d2;
  }
  /// Adds the sums `of` a cell with mass m and multipole terms M, whose centre of mass is at (x, y, z). Lengths in `of` are multiplied by
  /// `scale`.
  template <class Terms>
  GROVE_HD void add_child(const RadialSums& of, T scale, T m, const T (&M)[Terms::count], T x, T y, T z) {
    const auto term = [&](auto i) { return M[i]; };
    const T s2 = x * x + y * y + z * z, scale2 = scale * scale, child = scale2 * of.second;
    const T xy = value_of<Terms, Term{1, 1, 0}>(term), xz = value_of<Terms, Term{1, 0, 1}>(term), yz = value_of<Terms, Term{0, 1, 1}>(term);
    // The diagonal of Q. Harmonic terms give it only up to a multiple of the unit matrix; this multiple (`rest`) follows from the trace.
    const T xx = 2 * M[Terms::index_of({2, 0, 0})], yy = 2 * M[Terms::index_of({0, 2, 0})];
    T zz{0};
    if constexpr (Terms::holds(Term{0, 0, 2})) zz = 2 * M[Terms::index_of({0, 0, 2})];
    const T rest = (child - xx - yy - zz) * constant<T>(1.0 / 3);
    const T qx = (xx + rest) * x + xy * y + xz * z, qy = xy * x + (yy + rest) * y + yz * z, qz = xz * x + yz * y + (zz + rest) * z;
    const T tx = scale2 * scale * of.third_x, ty = scale2 * scale * of.third_y, tz = scale2 * scale * of.third_z;
    second += child + m * s2;
    third_x += tx + child * x + 2 * qx + m * s2 * x;
    third_y += ty + child * y + 2 * qy + m * s2 * y;
    third_z += tz + child * z + 2 * qz + m * s2 * z;
    fourth += scale2 * scale2 * of.fourth + 4 * (tx * x + ty * y + tz * z) + 2 * child * s2 + 4 * (qx * x + qy * y + qz * z) + m * s2 * s2;
  }
};

/// The RadialSums of a cell as stored while moments are computed: the third sums, and the second sum as w. The fourth sum is in
/// CellGeometry::spread.
using RadialRecord = Float4;

/// What a cell contributes to the moments of the cell above.
template <class Terms>
struct ChildMoments {
  CellGeometry geometry;
  std::uint32_t particle_count;
  float least_acceleration;
  alignas(Float4) float multipole[multipole_stride(Terms::form)];
  RadialRecord radial;
};

/// Sum of the terms of a multipole, in units of the cell's size: in FP64 for multipoles up to the quadrupole, in FP32 for those of higher
/// order.
template <class Terms>
struct MomentSum {
  static constexpr int stride = multipole_stride(Terms::form);
  static constexpr bool tells_spread = Terms::order >= 4;
  using T = std::conditional_t<Terms::order == 2, double, float>;
  T M[Terms::count] = {};
  RadialSums<T> radial;
  T per_unit;

  GROVE_HD explicit MomentSum(float radius) : per_unit(1 / static_cast<T>(expansion_unit(radius))) {}

  GROVE_HD T in_units(double x) const { return static_cast<T>(x * per_unit); }

  GROVE_HD void add_particle(double mass, const Double3& d) {
    const T m = static_cast<T>(mass), x = in_units(d.x), y = in_units(d.y), z = in_units(d.z);
    add_point<Terms>(m, x, y, z, M);
    if constexpr (tells_spread) radial.add_point(m, x, y, z);
  }
  /// Adds a child of this cell, whose centre of mass is at `d`.
  GROVE_HD void add_child(const ChildMoments<Terms>& of, const Double3& d) {
    const CellGeometry& child = of.geometry;
    const T m = static_cast<T>(child.mass), x = in_units(d.x), y = in_units(d.y), z = in_units(d.z);
    const T child_unit = static_cast<T>(expansion_unit(child.radius)), scale = child_unit * per_unit;
    T power[Terms::order + 1] = {1}, terms[Terms::count] = {m};
    for (int k = 1; k <= Terms::order; ++k) power[k] = power[k - 1] * scale;
    for_terms<Terms::count - implied_terms>([&](auto i) {
      constexpr int t = i + implied_terms;
      terms[t] = of.multipole[i] * power[Terms::term_of(t).order()];
    });
    add_shifted_multipole<Terms>(terms, x, y, z, M);
    if constexpr (tells_spread) {
      const T spread = child.spread / child_unit, spread2 = spread * spread;
      radial.template add_child<Terms>({of.radial.w, of.radial.x, of.radial.y, of.radial.z, m * spread2 * spread2}, scale, m, terms, x, y,
                                       z);
    }
  }
  /// Sums over the team and writes the terms of order 2 and higher, and the record.
  template <class Team>
  GROVE_HD void join_and_store(const Team& team, float* out, RadialRecord* record) {
    constexpr int terms = Terms::count - implied_terms, radial_sums = tells_spread ? 5 : 0;
    T sum[terms + radial_sums];
    for_terms<terms>([&](auto i) { sum[i] = M[i + implied_terms]; });
    if constexpr (tells_spread) {
      const T of_radial[radial_sums] = {radial.second, radial.third_x, radial.third_y, radial.third_z, radial.fourth};
      for_terms<radial_sums>([&](auto i) { sum[terms + i] = of_radial[i]; });
    }
    team.sum_each(sum);
    alignas(Float4) float stored[stride] = {};
    for_terms<terms>([&](auto i) { stored[i] = static_cast<float>(sum[i]); });
    copy_words<stride>(stored, out, team.rank(), Team::size);
    if constexpr (tells_spread) {
      radial = {sum[terms], sum[terms + 1], sum[terms + 2], sum[terms + 3], sum[terms + 4]};
      if (team.rank() == 0) *record = {radial.third_x, radial.third_y, radial.third_z, radial.second};
    }
  }

  /// The radius at which all of `mass` would have the same fourth moment, sum m d^4; `radius` if the terms do not give that moment.
  GROVE_HD float spread(float mass, float radius) const {
    if constexpr (!tells_spread) return radius;
    const double in_unit = sqrt(sqrt(radial.fourth > 0 && mass > 0 ? static_cast<double>(radial.fourth) / mass : 0.0));
    return mass > 0 ? smaller(radius, static_cast<float>(outward * in_unit / per_unit)) : radius;
  }
};

}  // namespace grove
