// Opening criteria: may the multipole of a cell replace its particles, for every target in a box?
//
// To add one: write a struct like those below and put it into OpeningCriteria. It has these members:
//
// - accepts(): may the multipole be evaluated at each target? It must be monotone: a cell accepted for a box is accepted for every box
// inside it. Essential trees rely on this: they are cut for boxes around many target groups.
// - accepts_local(), for method fmm: may the multipole be added to the local expansion about the targets' centre?
// - forbids_local(), for method fmm: must the cell and everything inside it be kept out of that expansion? It is called for cells that
// were not accepted and are small compared with their distance.
// - names: the values of gravity.opening that choose it. Its constructor knows which of them was given.
// - needs_acceleration: whether it uses the targets' accelerations of an earlier force evaluation.
//
// On the CPU these functions test a SIMD vector of cells at a time (CellLanes): T is a float or a vector of floats, and the results are
// bools or masks. Therefore they have no branches that depend on cells.
#pragma once

#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "kernels/gravity/cell.hpp"
#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// Boxes of targets are enlarged by this factor. Otherwise rounding could put a target outside its box, and so at a nonzero distance from
/// its own cell.
inline constexpr float target_margin = 1 + 2e-6F;

/// The targets of an opening test: their bounding box.
struct TargetBox {
  Double3 centre;      ///< code units
  float half_size[3];  ///< units of TreeScale::length, with target_margin
  float radius = 0;    ///< largest distance of a target from the centre about which forces are expanded, scaled; for the walk of fmm
  float least_acceleration = 0;  ///< smallest last acceleration of a target, scaled, without G; 0 if unknown
};

/// Position of a cell's centre of mass relative to the targets' centre, in units of TreeScale::length.
template <class T>
struct CellOffset {
  T x, y, z;
};

GROVE_HD inline CellOffset<float> offset_of(const CellGeometry& cell, const TargetBox& target, double per_length) {
  return {static_cast<float>((cell.centre_of_mass.x - target.centre.x) * per_length),
          static_cast<float>((cell.centre_of_mass.y - target.centre.y) * per_length),
          static_cast<float>((cell.centre_of_mass.z - target.centre.z) * per_length)};
}

/// Distances between a cell and a target box, in units of TreeScale::length; 0 where they overlap.
template <class T>
struct Separation {
  T centre_of_mass2;  ///< squared distance of the cell's centre of mass from the target box
  T box2;             ///< squared distance between the bounding boxes of the cell's particles and of the targets
};

/// Distance and sizes of a cell and of targets with a local expansion, in units of TreeScale::length.
template <class T>
struct CentreSeparation {
  T distance2;  ///< squared distance of the cell's centre of mass from the targets' centre
  T extent;     ///< sum of the cell's radius and the targets' radius
};

/// Expansions converge for extent < distance. If the extent exceeds this fraction of the distance, they converge too slowly to be used.
inline constexpr float convergence_limit = 0.9F;

template <class T>
GROVE_HD T positive_part(T x) {
  return select(x > T(0), x, T(0));
}

template <class Cell, class T>
GROVE_HD Separation<T> separation(const Cell& cell, const CellOffset<T>& at, const TargetBox& target) {
  const T d[3] = {at.x, at.y, at.z};
  Separation<T> s{T(0), T(0)};
  for (int k = 0; k < 3; ++k) {
    const T com = positive_part(absolute(d[k]) - T(target.half_size[k]));
    const T box = positive_part(absolute(d[k] + cell.offset[k]) - T(target.half_size[k]) - cell.half_size[k]);
    s.centre_of_mass2 += com * com;
    s.box2 += box * box;
  }
  return s;
}

/// The criteria with an opening angle: l / theta < d, where l is the longest side of the box around the cell's particles. Also a base for
/// others, which are `geometric` unless they have an accepts() of their own.
///
/// - geometric (Barnes & Hut 1986): d is the distance from the targets to the cell's centre of mass.
/// - barnes (Barnes 1994, as in Bedorf, Gaburov & Portegies Zwart 2012, eq. 3): d is that distance less the one between the centre of the
/// cell's box and its centre of mass.
/// - minimal_distance (Salmon & Warren 1994): d is the distance from the targets to the nearest edge of the cell's box.
///
/// Their common test for local expansions: a cell smaller than the targets counts as being as large as they are, so that the targets take
/// at most half of the angle. Why half: an expansion of order 4 that extends to a fraction x of the distance of a mass has a relative error
/// of 5 x^4. For x = theta / 2 this equals the error of a quadrupole for two equal masses that are l = theta d apart, in line with the
/// target (5 / 16 theta^4). For x = theta, a black hole's force on the stars around it would be wrong by a tenth. Also, the parts of cells
/// cut by a domain border are often smaller than the targets, and would make errors grow with the number of ranks.
struct AngleOpening {
  static constexpr const char *geometric = "geometric", *barnes = "barnes", *minimal_distance = "minimal_distance";
  static constexpr std::array names{geometric, barnes, minimal_distance};
  static constexpr bool needs_acceleration = false;
  float per_theta;
  bool is_minimal, is_barnes;

  explicit AngleOpening(const GravityParameters& p)
      : per_theta(static_cast<float>(1 / p.theta)), is_minimal(p.opening == minimal_distance), is_barnes(p.opening == barnes) {}

  template <class Cell, class T>
  GROVE_HD auto accepts(const Cell& cell, const Separation<T>& s, const TargetBox&) const {
    const T* const o = cell.offset;
    const T from_centre = is_barnes ? square_root(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) : T(0);
    const T opening = cell.longest_side * T(per_theta) + from_centre;
    return (is_minimal ? s.box2 : s.centre_of_mass2) > opening * opening;
  }
  template <class Cell, class T>
  GROVE_HD auto accepts_local(const Cell&, const CentreSeparation<T>& s, const TargetBox& target, int) const {
    const T opening = larger(s.extent, T(2 * target.radius)) * T(per_theta);
    return opening * opening < s.distance2;
  }
  template <class Cell, class T>
  GROVE_HD auto forbids_local(const Cell&, const CentreSeparation<T>& s, const TargetBox&, int) const {
    return s.distance2 < T(0);  // never
  }
};

/// Bounds the estimated error of the cell's force, relative to the smallest last acceleration of the targets (Springel 2005, eq. 18; Dehnen
/// 2014): M / d^2 (b / d)^n / (1 - b / d) <= tolerance |a|. The left side is the sum of all terms of order n and higher, if each term is
/// b / d times the previous one. In accepts(), d is the distance from the targets to the cell's centre of mass, b is the spread of the
/// cell's mass, and n = 3, since the quadrupole is included. In accepts_local(), b is that spread plus the targets' radius, and n is the
/// order of the expansions. With SmallPlummerKernel, M / d^2 (b / d) (9 eps^2 / d^2) / (1 - b / d) is added to the left side. The first
/// forces of a run use 1.25 theta instead: see GravityLaw::without_acceleration().
struct RelativeOpening {
  static constexpr const char* name = "relative";
  static constexpr std::array names{name};
  static constexpr bool needs_acceleration = true;
  float tolerance;
  float trace = 0;  ///< 9 eps^2, scaled, with SmallPlummerKernel; see GravityLaw::at()
  explicit RelativeOpening(const GravityParameters& p) : tolerance(static_cast<float>(p.tolerance)) {}

  template <class Cell, class T>
  GROVE_HD auto accepts(const Cell& cell, const Separation<T>& s, const TargetBox& target) const {
    return cell.radius * cell.radius < T(convergence_limit * convergence_limit) * s.centre_of_mass2 &&
           is_small(cell.mass, cell.spread, s.centre_of_mass2, 3, target);
  }
  template <class Cell, class T>
  GROVE_HD auto accepts_local(const Cell& cell, const CentreSeparation<T>& s, const TargetBox& target, int order) const {
    return is_small(cell.mass, cell.spread + T(target.radius), s.distance2, order, target);
  }
  /// Whether the targets' part of the error, with only their radius as b, is too large. Opening a distant cell does not reduce this part:
  /// the parts of its children have the same sum.
  template <class Cell, class T>
  GROVE_HD auto forbids_local(const Cell& cell, const CentreSeparation<T>& s, const TargetBox& target, int order) const {
    return !is_small(cell.mass, T(target.radius), s.distance2, order, target);
  }

 private:
  /// Whether the error is within the tolerance; `order` is 3, 4 or 5.
  template <class T>
  GROVE_HD auto is_small(T mass, T b, T distance2, int order, const TargetBox& target) const {
    const T per_d = reciprocal_sqrt(distance2), ratio = b * per_d, ratio2 = ratio * ratio;
    const T power = ratio2 * (order > 3 ? ratio2 : T(1)) * (order != 4 ? ratio : T(1));
    const T per_d2 = per_d * per_d;
    return mass * per_d2 * (power + T(trace) * per_d2 * ratio) <= T(tolerance * target.least_acceleration) * (T(1) - ratio);
  }
};

/// All criteria; their names are the allowed values of gravity.opening.
using OpeningCriteria = std::tuple<AngleOpening, RelativeOpening>;

/// Squared distance, scaled, below which the fifth power of 1 / d in a multipole could exceed the range of FP32.
inline constexpr float nearest_cell2 = 4e-15F;

/// In half sizes of the target box. Offsets from its centre are rounded to 2^-24 of them in FP32: this close, a multipole is wrong by 4e-6.
/// Particles have residuals.
inline constexpr float nearest_in_half_sizes = 1.0F / 64;

/// The least squared distance, scaled, of a cell from the target box at which its multipole can be evaluated. `support2`: see accept().
GROVE_HD inline float nearest_multipole2(const TargetBox& target, float support2) {
  const float nearest = nearest_in_half_sizes * larger(target.half_size[0], larger(target.half_size[1], target.half_size[2]));
  return larger(larger(support2, nearest_cell2), nearest * nearest);
}

/// The test for a multipole at each target. With any criterion, a cell is opened if it is so close that rounding shows, or within the
/// support of the softening (`support2`: squared, scaled), where multipoles do not give the softened force.
template <class Opening, class Cell, class T>
GROVE_HD auto accept(const Opening& opening, const Cell& cell, const CellOffset<T>& at, const TargetBox& target, float support2) {
  const Separation<T> s = separation(cell, at, target);
  return s.box2 > T(nearest_multipole2(target, support2)) && opening.accepts(cell, s, target);
}
template <class Opening>
GROVE_HD bool accept(const Opening& opening, const CellGeometry& cell, const TargetBox& target, double per_length, float support2) {
  return accept(opening, cell, offset_of(cell, target, per_length), target, support2);
}

/// Beyond this many target radii, the terms of a local expansion could exceed the range of FP32. The multipoles of such cells are evaluated
/// at each target instead.
inline constexpr float farthest_local = 8192;

/// What the walk of fmm does with a cell at a target; `Answer` is bool or a mask.
template <class Answer>
struct LocalVerdict {
  Answer accepted;   ///< the cell goes into the target's local expansion
  Answer forbidden;  ///< neither this cell nor anything inside it may go into that expansion
};

/// The test for a local expansion about target.centre; target.half_size is not used. With any criterion, cell and targets must be far
/// enough apart for the expansions to converge, and every particle of the cell must be farther than `support` (scaled) from every target.
template <int order, class Opening, class Cell, class T>
GROVE_HD auto judge_local(const Opening& opening, const Cell& cell, const CellOffset<T>& at, const TargetBox& target, float support) {
  const CentreSeparation<T> s{at.x * at.x + at.y * at.y + at.z * at.z, cell.radius + T(target.radius)};
  const T reach = larger(s.extent * T(1 / convergence_limit), s.extent + T(support));
  const float farthest = farthest_local * target.radius;
  const auto accepted =
      reach * reach < s.distance2 && s.distance2 < T(farthest * farthest) && opening.accepts_local(cell, s, target, order);
  const auto forbidden = !accepted && T(4) * cell.radius * cell.radius < s.distance2 && opening.forbids_local(cell, s, target, order);
  return LocalVerdict<std::decay_t<decltype(accepted)>>{accepted, forbidden};
}
template <int order, class Opening>
GROVE_HD LocalVerdict<bool> judge_local(const Opening& opening, const CellGeometry& cell, const TargetBox& target, double per_length,
                                        float support) {
  return judge_local<order>(opening, cell, offset_of(cell, target, per_length), target, support);
}

}  // namespace grove
