// The action of one source on one target: the inner loops of every walk, for both back ends.
//
// `T` is float on the device, a SIMD vector of floats on the CPU, double in direct summation. Offsets are relative to the centre of the
// target group, in units of TreeScale. The negative potential is summed, so that all terms are positive.
#pragma once

#include "kernels/gravity/multipole.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

/// Acceleration and negative potential during summation.
template <class T>
struct Force {
  T x{0}, y{0}, z{0}, potential{0};
};

/// Number of sources whose forces are summed in plain FP32 before the sum is added to a CompensatedForce. It is small enough that rounding
/// errors, each of 2^-24 of the sum, do not accumulate, and large enough that the compensation costs almost no time.
inline constexpr std::uint32_t sources_per_block = 256;

/// A sum of many forces with compensation: `excess` is what rounding has added to it (Kahan 1965).
template <class T>
struct CompensatedForce {
  Force<T> sum, excess;

  /// Adds `block`, and sets it to zero.
  GROVE_HD void take(Force<T>& block) {
    take(block.x, sum.x, excess.x);
    take(block.y, sum.y, excess.y);
    take(block.z, sum.z, excess.z);
    take(block.potential, sum.potential, excess.potential);
  }

 private:
  GROVE_HD static void take(T& term, T& total, T& too_much) {
    const T corrected = term - too_much, next = total + corrected;
    too_much = (next - total) - corrected;
    total = next;
    term = T(0);
  }
};

/// A cell in the form that the inner loop needs: 3 Q and tr Q / 2, where Q = sum m d d are the second moments.
struct alignas(16) CellSource {
  float x, y, z, mass;
  float xx, xy, xz, yy;
  float yz, zz, half_trace, unused;
};

/// Makes the source from the multipole terms `q` of order 2, in units of `unit`: Q / 2 on the diagonal and Q off the diagonal. Harmonic
/// terms hold Q minus Q_zz times the unit matrix, which gives the same force if the potential satisfies Laplace's equation.
template <class Terms>
GROVE_HD inline CellSource make_cell_source(float x, float y, float z, float mass, const float* q, float unit) {
  const float u2 = unit * unit, three = 3 * u2, six = 6 * u2, zz = Terms::holds(Term{0, 0, 2}) ? q[5] : 0;
  return {x, y, z, mass, six * q[0], three * q[1], three * q[2], six * q[3], three * q[4], six * zz, u2 * (q[0] + q[3] + zz), 0};
}

/// Adds a point of mass `mass` at the offset (dx, dy, dz) to the force on a target, with r2 = softening.squared(dx, dy, dz). `apart`: r2 is
/// above NewtonKernel::smallest().
template <bool apart, class Softening, class T>
GROVE_HD void add_particle_at(const Softening& softening, T dx, T dy, T dz, T r2, T mass, Force<T>& force) {
  T f, p;
  if constexpr (apart)
    softening.point_apart(r2, f, p);
  else
    softening.point(r2, f, p);
  const T mf = mass * f;
  force.x += mf * dx;
  force.y += mf * dy;
  force.z += mf * dz;
  force.potential += mass * p;
}

/// Adds a point of mass `mass` at (sx, sy, sz) to the force on the target at (tx, ty, tz).
template <class Softening, class T>
GROVE_HD void add_particle(const Softening& softening, T sx, T sy, T sz, T mass, T tx, T ty, T tz, Force<T>& force) {
  const T dx = sx - tx, dy = sy - ty, dz = sz - tz;
  add_particle_at<false>(softening, dx, dy, dz, softening.squared(dx, dy, dz), mass, force);
}

/// The same for the offset (dx, dy, dz), also for distances below NewtonKernel::smallest(): 1 / r^3 need not fit into FP32, but the force
/// must. Without softening, points at distance zero do not act.
template <class Softening>
GROVE_HD void add_close_particle(const Softening& softening, float dx, float dy, float dz, float mass, Force<float>& force) {
  if constexpr (Softening::zero_at_zero) {
    const bool tiny = dx * dx + dy * dy + dz * dz <= NewtonKernel::smallest<float>();
    const float per_unit = tiny ? 0x1p60F : 1.0F;
    dx *= per_unit, dy *= per_unit, dz *= per_unit;
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (!(r2 > 0)) return;
    const float per_r = reciprocal_sqrt(r2), potential = mass * (per_r * per_unit), f = potential * (per_r * per_unit);
    force.x += f * (dx * per_r);
    force.y += f * (dy * per_r);
    force.z += f * (dz * per_r);
    force.potential += potential;
  } else {
    add_particle_at<false>(softening, dx, dy, dz, softening.squared(dx, dy, dz), mass, force);
  }
}

/// Adds a cell's monopole and quadrupole. With u = 1 / sqrt(softening.squared()) and d = source - target:
/// -phi = m u - (tr Q / 2) u^3 + (3/2) dQd u^5; the force is its gradient.
template <class Softening, class T>
GROVE_HD void add_cell(const Softening& softening, const CellSource& s, T tx, T ty, T tz, Force<T>& force) {
  const T dx = T(s.x) - tx, dy = T(s.y) - ty, dz = T(s.z) - tz;
  const T u = reciprocal_sqrt(softening.squared(dx, dy, dz));
  const T u2 = u * u, u3 = u * u2, u5 = u3 * u2;
  const T vx = T(s.xx) * dx + T(s.xy) * dy + T(s.xz) * dz;
  const T vy = T(s.xy) * dx + T(s.yy) * dy + T(s.yz) * dz;
  const T vz = T(s.xz) * dx + T(s.yz) * dy + T(s.zz) * dz;
  const T k = (vx * dx + vy * dy + vz * dz) * u2;
  const T radial = u3 * (T(s.mass) + u2 * (T(2.5F) * k - T(3) * T(s.half_trace)));
  force.x += radial * dx - u5 * vx;
  force.y += radial * dy - u5 * vy;
  force.z += radial * dz - u5 * vz;
  force.potential += T(s.mass) * u + u3 * (T(0.5F) * k - T(s.half_trace));
}

}  // namespace grove
