// Local expansions of the walk of `fmm`: about the targets' centre, with lengths in units of the targets' size.
//
// With s = expansion_unit(target radius), U(x) = (1 / s) sum L_n (x / s)^n / n!. Products of a local term n and a multipole term k are
// kept up to the order |n| + |k| = `order`.
#pragma once

#include <type_traits>

#include "kernels/gravity/cell.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/gravity/multipole.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

/// The terms of expansions up to `order` with a softening kernel.
template <int order, class Softening>
using ExpansionTerms = std::conditional_t<Softening::harmonic, HarmonicTerms<order>, AllTerms<order>>;

/// Number of floats of a stored local expansion: its terms, padded to whole 16-byte words.
GROVE_HD constexpr int local_stride(ExpansionForm form) { return (form.terms() + 3) / 4 * 4; }

/// Adds to L a cell of mass `mass` whose multipole terms `moment(k)` are in units of `cell_unit`; (x, y, z) is the targets' centre minus
/// the cell's centre of mass.
template <class Terms, class Softening, class T, class Moment>
GROVE_HD inline void add_cell_to_local(const Softening& softening, T x, T y, T z, T mass, Moment moment, T cell_unit, float unit,
                                       T (&L)[Terms::count]) {
  constexpr int order = Terms::order;
  T radial[order + 1], D[Terms::count], ratio[order + 1];
  const T per_unit = T(1 / unit), unlimited = cell_unit * per_unit;
  // A cell in the expansion has a radius of less than farthest_local target radii. A cell whose particles are all at one point has the
  // unit 1 and no moments; powers of that unit could be infinite.
  constexpr float most_units = 2 * farthest_local;
  const T cell_units = select(unlimited < T(most_units), unlimited, T(most_units));
  radial[0] = T(unit) * reciprocal_sqrt(softening.squared(x, y, z));
  const T u2 = radial[0] * radial[0];
  ratio[0] = T(1);
  for_terms<order>([&](auto m) {
    radial[m + 1] = T(-(2 * m + 1)) * u2 * radial[m];
    ratio[m + 1] = ratio[m] * cell_units;
  });
  derivatives<Terms>(x * per_unit, y * per_unit, z * per_unit, radial, D);
  add_multipole_to_local<Terms>(
      mass, [&](auto k) { return moment(k) * ratio[Terms::term_of(k).order()]; }, D, L);
}

/// Adds the expansion `from(n)` of unit `from_unit` to L, which has the unit `unit`. The centre of L lies at offset d (scaled) from the
/// centre of `from`.
///
/// The expansion is shifted in its own unit: in a much smaller unit, FP32 could not hold the powers of the offset. The radius of targets
/// about their centre is at most twice that of the cell above about its own centre, so their unit is at most four times as large. Only
/// targets that are all at one point can have a larger unit, 1 (see expansion_unit()). They need only the potential and its gradient;
/// higher terms might not fit into FP32.
template <class Terms, class From>
GROVE_HD inline void add_parent_local(From from, float from_unit, float dx, float dy, float dz, float unit, float (&L)[Terms::count]) {
  float power[Terms::order + 1], shifted[Terms::count] = {};
  const float per_from = 1 / from_unit, ratio = unit * per_from;
  power[0] = ratio;
  for_terms<Terms::order>([&](auto m) { power[m + 1] = m > 0 && ratio > 4 ? 0 : power[m] * ratio; });
  add_shifted_local<Terms>(from, dx * per_from, dy * per_from, dz * per_from, shifted);
  for_terms<Terms::count>([&](auto n) { L[n] += shifted[n] * power[Terms::term_of(n).order()]; });
}

/// Adds the force of the expansion `local(n)` at offset (x, y, z), scaled, from its centre.
template <class Terms, class T, class Local>
GROVE_HD inline void add_local_force(Local local, float unit, T x, T y, T z, Force<T>& force) {
  const T per_unit = T(1 / unit);
  T u, gx, gy, gz;
  evaluate_local<Terms>(local, x * per_unit, y * per_unit, z * per_unit, u, gx, gy, gz);
  const T per_unit2 = per_unit * per_unit;
  force.x += gx * per_unit2;
  force.y += gy * per_unit2;
  force.z += gz * per_unit2;
  force.potential += u * per_unit;
}

}  // namespace grove
