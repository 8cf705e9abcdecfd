#include "kernels/moments.hpp"

#include <cmath>
#include <type_traits>

namespace grove {

namespace {

/// A bounding box in units of TreeScale::length, relative to an origin of the user's choice.
struct Extent {
  Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

  GROVE_HD void add(const Double3& centre, double hx, double hy, double hz) {
    low = {smaller(low.x, centre.x - hx), smaller(low.y, centre.y - hy), smaller(low.z, centre.z - hz)};
    high = {larger(high.x, centre.x + hx), larger(high.y, centre.y + hy), larger(high.z, centre.z + hz)};
  }
  template <class Team>
  GROVE_HD void join(const Team& team) {
    low = {team.smallest(low.x), team.smallest(low.y), team.smallest(low.z)};
    high = {team.largest(high.x), team.largest(high.y), team.largest(high.z)};
  }
};

// Boxes are kept a little larger than their contents: FP32 rounding of a box must not leave a particle outside.
constexpr double outward = 1 + 1e-6;

/// Fills the parts of a cell's geometry that follow from its extent about the centre of mass; `radius` is a bound already known.
GROVE_HD void set_extent(CellGeometry& cell, const Extent& e, double radius) {
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

/// Mass and centre of mass, summed relative to `origin` so that a small cell far from the coordinates' origin keeps its digits.
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
    mass = team.sum(mass);
    count = team.sum(count);
    weighted = {team.sum(weighted.x), team.sum(weighted.y), team.sum(weighted.z)};
    plain = {team.sum(plain.x), team.sum(plain.y), team.sum(plain.z)};
  }
  /// The centre of mass; the mean position where there is no mass.
  GROVE_HD Double3 centre() const { return origin + (mass > 0 ? (1 / mass) * weighted : (1 / count) * plain); }
};

/// Copies a multipole, in 16-byte words where it has such; of every `step` words the one numbered `first`.
template <int stride>
GROVE_HD void copy_words(const float* from, float* to, int first = 0, int step = 1) {
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

/// Terms of a multipole while they are summed, in units of the cell's own size: FP64 up to the quadrupole, FP32 for the small corrections
/// beyond.
template <int order>
struct MomentSum {
  using T = std::conditional_t<order == 2, double, float>;
  T M[term_count(order)] = {};
  T per_unit;

  GROVE_HD explicit MomentSum(float radius) : per_unit(1 / static_cast<T>(expansion_unit(radius))) {}

  GROVE_HD T in_units(double x) const { return static_cast<T>(x * per_unit); }

  GROVE_HD void add_particle(double mass, const Double3& d) {
    add_point<order>(static_cast<T>(mass), in_units(d.x), in_units(d.y), in_units(d.z), M);
  }
  /// Adds the multipole `from` of a cell inside this one.
  GROVE_HD void add_child(const CellGeometry& child, const float* from, const Double3& d) {
    alignas(Float4) float stored[multipole_stride(order)];
    copy_words<multipole_stride(order)>(from, stored);
    T power[order + 1] = {1}, terms[term_count(order)] = {static_cast<T>(child.mass)};
    for (int k = 1; k <= order; ++k) power[k] = power[k - 1] * static_cast<T>(expansion_unit(child.radius)) * per_unit;
    for_terms<term_count(order) - term_count(1)>([&](auto i) {
      constexpr int t = i + term_count(1);
      terms[t] = stored[i] * power[term_of(t).order()];
    });
    add_shifted_multipole<order>(terms, in_units(d.x), in_units(d.y), in_units(d.z), M);
  }
  /// Sums over the team and writes the terms of order 2 and more.
  template <class Team>
  GROVE_HD void join_and_store(const Team& team, float* out) {
    alignas(Float4) float stored[multipole_stride(order)] = {};
    for_terms<term_count(order) - term_count(1)>([&](auto i) {
      M[i + term_count(1)] = team.sum(M[i + term_count(1)]);
      stored[i] = static_cast<float>(M[i + term_count(1)]);
    });
    copy_words<multipole_stride(order)>(stored, out, team.rank(), Team::size);
  }

  /// The radius at which `mass` would have the fourth moment sum m d^4 that it has; that of all where the multipoles do not tell.
  GROVE_HD float spread(float mass, float radius) const {
    if constexpr (order < 4) return radius;
    const auto term = [&](int a, int b, int c) { return M[index_of({a, b, c})] * static_cast<T>(factorial(Term{a, b, c})); };
    const T fourth = term(4, 0, 0) + term(0, 4, 0) + term(0, 0, 4) + 2 * (term(2, 2, 0) + term(2, 0, 2) + term(0, 2, 2));
    const double in_unit = sqrt(sqrt(fourth > 0 && mass > 0 ? static_cast<double>(fourth) / mass : 0.0));
    return mass > 0 ? smaller(radius, static_cast<float>(outward * in_unit / per_unit)) : radius;
  }
};

/// A thread a leaf: most have far fewer particles than a team has lanes.
template <int order>
struct LeafMoments {
  const CellLinks* links;
  const Double4* particles;
  const float* magnitude;
  CellGeometry* geometry;
  float* multipole;
  float* least_acceleration;
  TreeScale scale;

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    if (cell.child_count > 0) return;
    const std::uint32_t begin = cell.first_particle, end = cell.first_particle + cell.particle_count;
    MassSum sum{position_of(particles[cell.first_particle])};
    for (std::uint32_t i = begin; i < end; ++i) sum.add(particles[i].w, 1, position_of(particles[i]));
    const Double3 centre = sum.centre();

    const double per_length = 1 / scale.length, per_mass = 1 / scale.mass;
    Extent extent;
    double radius2 = 0;
    float least = magnitude[begin];
    for (std::uint32_t i = begin; i < end; ++i) {
      const Double3 d = per_length * (position_of(particles[i]) - centre);
      extent.add(d, 0, 0, 0);
      radius2 = larger(radius2, dot(d, d));
      least = smaller(least, magnitude[i]);
    }
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass * per_mass);
    set_extent(g, extent, sqrt(radius2));

    MomentSum<order> moments(g.radius);
    for (std::uint32_t i = begin; i < end; ++i)
      moments.add_particle(particles[i].w * per_mass, per_length * (position_of(particles[i]) - centre));
    moments.join_and_store(TeamOfOne{}, multipole + c * multipole_stride(order));
    g.spread = moments.spread(g.mass, g.radius);
    geometry[c] = g;
    least_acceleration[c] = least;
  }
};

/// Distance from the origin to the farthest corner of the bounding box of a cell whose centre of mass is at d, scaled.
GROVE_HD double farthest_corner(const Double3& d, const CellGeometry& cell) {
  const Double3 corner{fabs(d.x + cell.offset[0]) + cell.half_size[0], fabs(d.y + cell.offset[1]) + cell.half_size[1],
                       fabs(d.z + cell.offset[2]) + cell.half_size[2]};
  return sqrt(dot(corner, corner));
}

template <int order>
struct ParentMoments {
  const CellLinks* links;
  CellGeometry* geometry;
  float* multipole;
  float* least_acceleration;
  std::uint32_t level_begin;
  TreeScale scale;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    const std::size_t c = level_begin + i;
    const CellLinks cell = links[c];
    if (cell.child_count == 0) return;
    const std::uint32_t begin = cell.first_child + static_cast<std::uint32_t>(team.rank()), end = cell.first_child + cell.child_count;
    MassSum sum{geometry[cell.first_child].centre_of_mass};
    for (std::uint32_t k = begin; k < end; k += Team::size) sum.add(geometry[k].mass, links[k].particle_count, geometry[k].centre_of_mass);
    sum.join(team);
    const Double3 centre = sum.centre();

    const double per_length = 1 / scale.length;
    Extent extent;
    double radius = 0;
    float least = 1e30F;
    for (std::uint32_t k = begin; k < end; k += Team::size) {
      const CellGeometry& child = geometry[k];
      const Double3 d = per_length * (child.centre_of_mass - centre);
      least = smaller(least, least_acceleration[k]);
      extent.add(d + Double3{child.offset[0], child.offset[1], child.offset[2]}, child.half_size[0], child.half_size[1],
                 child.half_size[2]);
      radius = larger(radius, smaller(sqrt(dot(d, d)) + child.radius, farthest_corner(d, child)));
    }
    extent.join(team);
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass);
    set_extent(g, extent, team.largest(radius));

    MomentSum<order> moments(g.radius);
    for (std::uint32_t k = begin; k < end; k += Team::size)
      moments.add_child(geometry[k], multipole + std::size_t{k} * multipole_stride(order),
                        per_length * (geometry[k].centre_of_mass - centre));
    moments.join_and_store(team, multipole + c * multipole_stride(order));
    g.spread = moments.spread(g.mass, g.radius);
    least = team.smallest(least);
    if (team.rank() != 0) return;
    geometry[c] = g;
    least_acceleration[c] = least;
  }
};

template <int order, class Space>
void compute_all(Space& space, const Double4* particles, const float* magnitude, const TreeScale& scale, Tree<Space>& tree) {
  space.for_each(tree.cell_count(), LeafMoments<order>{tree.links.data(), particles, magnitude, tree.geometry.data(), tree.multipole.data(),
                                                       tree.least_acceleration.data(), scale});
  for (int level = deepest_level - 1; level >= 0; --level) {
    const std::uint32_t begin = tree.level_offset[level];
    space.for_each_by_team(
        tree.level_offset[level + 1] - begin,
        ParentMoments<order>{tree.links.data(), tree.geometry.data(), tree.multipole.data(), tree.least_acceleration.data(), begin, scale});
  }
}

}  // namespace

template <class Space>
void compute_moments(Space& space, View<const Double4> particles, View<const float> magnitude, const TreeScale& scale, Tree<Space>& tree) {
  tree.geometry.resize_discard(tree.cell_count());
  tree.multipole.resize_discard(std::size_t{tree.cell_count()} * multipole_stride(tree.order));
  tree.least_acceleration.resize_discard(tree.cell_count());
  if (tree.order == 2)
    compute_all<2>(space, particles.data, magnitude.data, scale, tree);
  else if (tree.order == 4)
    compute_all<4>(space, particles.data, magnitude.data, scale, tree);
  else
    compute_all<5>(space, particles.data, magnitude.data, scale, tree);
}

template void compute_moments(BackEnd&, View<const Double4>, View<const float>, const TreeScale&, Tree<BackEnd>&);

}  // namespace grove
