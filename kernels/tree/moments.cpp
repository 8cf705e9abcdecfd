#include "kernels/tree/moments.hpp"

#include "kernels/tree/moment_sums.hpp"

namespace grove {

namespace {

/// One thread for each leaf: most leaves have fewer particles than a team has lanes.
template <class Terms>
struct LeafMoments {
  const CellLinks* links;
  const Double4* particles;
  const float* magnitude;
  CellGeometry* geometry;
  float* multipole;
  RadialRecord* radial;  ///< [cells], where multipoles tell the spread
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

    MomentSum<Terms> moments(g.radius);
    for (std::uint32_t i = begin; i < end; ++i)
      moments.add_particle(particles[i].w * per_mass, per_length * (position_of(particles[i]) - centre));
    moments.join_and_store(SerialTeam{}, multipole + c * moments.stride, radial + c);
    g.spread = moments.spread(g.mass, g.radius);
    geometry[c] = g;
    least_acceleration[c] = least;
  }
};

template <class Terms>
struct ParentMoments {
  const CellLinks* links;
  CellGeometry* geometry;
  float* multipole;
  RadialRecord* radial;  ///< [cells], where multipoles tell the spread
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

    MomentSum<Terms> moments(g.radius);
    for (std::uint32_t k = begin; k < end; k += Team::size)
      moments.add_child(geometry[k], multipole + std::size_t{k} * moments.stride, radial + k,
                        per_length * (geometry[k].centre_of_mass - centre));
    moments.join_and_store(team, multipole + c * moments.stride, radial + c);
    g.spread = moments.spread(g.mass, g.radius);
    least = team.smallest(least);
    if (team.rank() != 0) return;
    geometry[c] = g;
    least_acceleration[c] = least;
  }
};

template <class Terms, class Space>
void compute_all(Space& space, const Double4* particles, const float* magnitude, const TreeScale& scale, Tree<Space>& tree) {
  Scratch<Space, RadialRecord> radial(space, MomentSum<Terms>::tells_spread ? tree.cell_count() : 0);
  space.for_each(tree.cell_count(), LeafMoments<Terms>{tree.links.data(), particles, magnitude, tree.geometry.data(), tree.multipole.data(),
                                                       radial.data(), tree.least_acceleration.data(), scale});
  for (int level = deepest_level - 1; level >= 0; --level) {
    const std::uint32_t begin = tree.level_offset[level];
    space.for_each_by_team(tree.level_offset[level + 1] - begin,
                           ParentMoments<Terms>{tree.links.data(), tree.geometry.data(), tree.multipole.data(), radial.data(),
                                                tree.least_acceleration.data(), begin, scale});
  }
}

template <int order, class Space>
void compute_of_order(Space& space, const Double4* particles, const float* magnitude, const TreeScale& scale, Tree<Space>& tree) {
  if (tree.form.harmonic)
    compute_all<HarmonicTerms<order>>(space, particles, magnitude, scale, tree);
  else
    compute_all<AllTerms<order>>(space, particles, magnitude, scale, tree);
}

}  // namespace

template <class Space>
void compute_moments(Space& space, View<const Double4> particles, View<const float> magnitude, const TreeScale& scale, Tree<Space>& tree) {
  const std::size_t stride = multipole_stride(tree.form);
  tree.geometry.resize_with_room(tree.cell_count(), tree.room);
  tree.multipole.resize_with_room(tree.cell_count() * stride, tree.room * stride);
  tree.least_acceleration.resize_discard(tree.cell_count());
  if (tree.form.order == 2)
    compute_all<AllTerms<2>>(space, particles.data, magnitude.data, scale, tree);
  else if (tree.form.order == 4)
    compute_of_order<4>(space, particles.data, magnitude.data, scale, tree);
  else
    compute_of_order<5>(space, particles.data, magnitude.data, scale, tree);
}

template void compute_moments(BackEnd&, View<const Double4>, View<const float>, const TreeScale&, Tree<BackEnd>&);

}  // namespace grove
