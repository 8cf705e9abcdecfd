#include "kernels/moments.hpp"

#include <cmath>

namespace grove {

namespace {

/// A bounding box in units of TreeScale::length, relative to an origin of the user's choice.
struct Extent {
  Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

  GROVE_HD void add(const Double3& centre, double hx, double hy, double hz) {
    low = {smaller(low.x, centre.x - hx), smaller(low.y, centre.y - hy), smaller(low.z, centre.z - hz)};
    high = {larger(high.x, centre.x + hx), larger(high.y, centre.y + hy), larger(high.z, centre.z + hz)};
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
  /// The centre of mass; the mean position where there is no mass.
  GROVE_HD Double3 centre() const { return origin + (mass > 0 ? (1 / mass) * weighted : (1 / count) * plain); }
};

/// The radius at which the mass would have the fourth moment sum m d^4 that it has; that of all where the multipoles do not tell.
template <int order>
GROVE_HD float spread_of(const double (&M)[term_count(order)], float radius) {
  if constexpr (order < 4) return radius;
  const auto term = [&](int a, int b, int c) { return M[index_of({a, b, c})] * factorial(Term{a, b, c}); };
  const double fourth = term(4, 0, 0) + term(0, 4, 0) + term(0, 0, 4) + 2 * (term(2, 2, 0) + term(2, 0, 2) + term(0, 2, 2));
  return M[0] > 0 ? smaller(radius, static_cast<float>(outward * sqrt(sqrt((fourth > 0 ? fourth : 0) / M[0])))) : radius;
}

/// Writes the terms of order 2 and more, in units of the cell's own size.
template <int order>
GROVE_HD void store_multipole(const double (&M)[term_count(order)], float radius, float* out) {
  double power[order + 1] = {1};
  for (int k = 1; k <= order; ++k) power[k] = power[k - 1] / expansion_unit(radius);
  for_terms<term_count(order) - term_count(1)>([&](auto i) {
    constexpr int t = i + term_count(1);
    out[i] = static_cast<float>(M[t] * power[term_of(t).order()]);
  });
}

/// Reads them back; `M` gets the mass, and no dipole.
template <int order>
GROVE_HD void load_multipole(const float* from, float mass, float radius, double (&M)[term_count(order)]) {
  double power[order + 1] = {1};
  for (int k = 1; k <= order; ++k) power[k] = power[k - 1] * expansion_unit(radius);
  M[0] = mass;
  M[1] = M[2] = M[3] = 0;
  for_terms<term_count(order) - term_count(1)>([&](auto i) {
    constexpr int t = i + term_count(1);
    M[t] = from[i] * power[term_of(t).order()];
  });
}

template <int order>
struct LeafMoments {
  const CellLinks* links;
  const Double4* particles;
  const Double4* acceleration;
  CellGeometry* geometry;
  float* multipole;
  float* least_acceleration;
  TreeScale scale;
  double per_acceleration;

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    if (cell.child_count > 0) return;
    const std::uint32_t end = cell.first_particle + cell.particle_count;
    MassSum sum{position_of(particles[cell.first_particle])};
    for (std::uint32_t i = cell.first_particle; i < end; ++i) sum.add(particles[i].w, 1, position_of(particles[i]));
    const Double3 centre = sum.centre();

    const double per_length = 1 / scale.length, per_mass = 1 / scale.mass;
    double M[term_count(order)] = {};
    Extent extent;
    double radius2 = 0, least2 = 1e300;
    for (std::uint32_t i = cell.first_particle; i < end; ++i) {
      const Double3 d = per_length * (position_of(particles[i]) - centre), a = per_acceleration * position_of(acceleration[i]);
      add_point<order>(particles[i].w * per_mass, d, M);
      extent.add(d, 0, 0, 0);
      radius2 = larger(radius2, dot(d, d));
      least2 = smaller(least2, dot(a, a));
    }
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass * per_mass);
    set_extent(g, extent, sqrt(radius2));
    g.spread = spread_of<order>(M, g.radius);
    geometry[c] = g;
    store_multipole<order>(M, g.radius, multipole + c * multipole_stride(order));
    least_acceleration[c] = static_cast<float>(sqrt(least2));
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

  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t c = level_begin + i;
    const CellLinks cell = links[c];
    if (cell.child_count == 0) return;
    const std::uint32_t end = cell.first_child + cell.child_count;
    MassSum sum{geometry[cell.first_child].centre_of_mass};
    for (std::uint32_t k = cell.first_child; k < end; ++k) sum.add(geometry[k].mass, links[k].particle_count, geometry[k].centre_of_mass);
    const Double3 centre = sum.centre();

    double M[term_count(order)] = {};
    Extent extent;
    double radius = 0;
    float least = 1e30F;
    for (std::uint32_t k = cell.first_child; k < end; ++k) {
      const CellGeometry& child = geometry[k];
      const Double3 d = (1 / scale.length) * (child.centre_of_mass - centre);
      double from[term_count(order)];
      load_multipole<order>(multipole + k * multipole_stride(order), child.mass, child.radius, from);
      add_shifted_multipole<order>(from, d, M);
      least = smaller(least, least_acceleration[k]);
      extent.add(d + Double3{child.offset[0], child.offset[1], child.offset[2]}, child.half_size[0], child.half_size[1],
                 child.half_size[2]);
      radius = larger(radius, smaller(sqrt(dot(d, d)) + child.radius, farthest_corner(d, child)));
    }
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass);
    set_extent(g, extent, radius);
    g.spread = spread_of<order>(M, g.radius);
    geometry[c] = g;
    store_multipole<order>(M, g.radius, multipole + c * multipole_stride(order));
    least_acceleration[c] = least;
  }
};

template <int order, class Space>
void compute_all(Space& space, const Double4* particles, const Double4* acceleration, double per_acceleration, const TreeScale& scale,
                 Tree<Space>& tree) {
  space.for_each(tree.cell_count(), LeafMoments<order>{tree.links.data(), particles, acceleration, tree.geometry.data(),
                                                       tree.multipole.data(), tree.least_acceleration.data(), scale, per_acceleration});
  for (int level = deepest_level - 1; level >= 0; --level) {
    const std::uint32_t begin = tree.level_offset[level];
    space.for_each(
        tree.level_offset[level + 1] - begin,
        ParentMoments<order>{tree.links.data(), tree.geometry.data(), tree.multipole.data(), tree.least_acceleration.data(), begin, scale});
  }
}

}  // namespace

template <class Space>
void compute_moments(Space& space, View<const Double4> particles, View<const Double4> acceleration, double acceleration_unit,
                     const TreeScale& scale, Tree<Space>& tree) {
  if (tree.order == 2)
    compute_all<2>(space, particles.data, acceleration.data, 1 / acceleration_unit, scale, tree);
  else if (tree.order == 4)
    compute_all<4>(space, particles.data, acceleration.data, 1 / acceleration_unit, scale, tree);
  else
    compute_all<5>(space, particles.data, acceleration.data, 1 / acceleration_unit, scale, tree);
}

template void compute_moments(BackEnd&, View<const Double4>, View<const Double4>, double, const TreeScale&, Tree<BackEnd>&);

}  // namespace grove
