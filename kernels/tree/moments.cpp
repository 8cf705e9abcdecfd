#include "kernels/tree/moments.hpp"

#include "kernels/space/atomic.hpp"
#include "kernels/space/read_now.hpp"
#include "kernels/tree/moment_sums.hpp"

namespace grove {

namespace {

/// How the cells above a cell are found, for the levels that are climbed.
struct Climb {
  std::uint32_t* parent;   ///< no_cell for the root
  std::uint32_t* arrived;  ///< children that have their moments
};

struct PrepareClimb {
  const CellLinks* links;
  Climb climb;
  std::uint32_t lowest;  ///< first cell of the lowest level that is climbed from
  GROVE_HD void operator()(std::size_t c) const {
    climb.arrived[c] = 0;
    if (c == 0) climb.parent[c] = no_cell;
    if (c >= lowest) return;
    for (std::uint32_t k = 0; k < links[c].child_count; ++k) climb.parent[links[c].first_child + k] = static_cast<std::uint32_t>(c);
  }
};

/// From the first level with at least this many cells down, every level has a launch of its own. Through the levels above, where launches
/// are mostly latency, teams climb in one.
constexpr std::uint32_t large_level = 4096;
/// A level with at least this many cells has smaller teams: sums over the lanes of larger teams would be more work than the lanes save.
constexpr std::uint32_t very_large_level = 65536;
constexpr int small_team = 2;
constexpr int most_children = 8;  ///< of a cell
/// Threads in a block, one for each leaf. They need many registers, and a multiprocessor wastes fewer of its registers with small blocks.
constexpr unsigned leaves_at_once = 64;

/// Sums the particles of a leaf, or the children of a cell.
template <class Terms>
struct CellMoments {
  const CellLinks* links;
  const Double4* particles;
  LastAccelerations last_acceleration;
  CellGeometry* geometry;
  float* multipole;
  RadialRecord* radial;  ///< [cells], if multipoles give the spread
  float* least_acceleration;
  TreeScale scale;

  template <class Team>
  GROVE_HD void sum_particles(const Team& team, std::uint32_t c) const {
    const std::uint32_t first = links[c].first_particle, end = first + links[c].particle_count;
    const std::uint32_t begin = first + static_cast<std::uint32_t>(team.rank());
    MassSum sum{position_of(particles[first])};
    for (std::uint32_t i = begin; i < end; i += Team::size) sum.add(particles[i].w, 1, position_of(particles[i]));
    sum.join(team);
    const Double3 centre = sum.centre();

    const double per_length = 1 / scale.length, per_mass = 1 / scale.mass;
    Extent extent;
    double radius2 = 0;
    float least = last_acceleration(first);
    for (std::uint32_t i = begin; i < end; i += Team::size) {
      const Double3 d = per_length * (position_of(particles[i]) - centre);
      extent.add(d, 0, 0, 0);
      radius2 = larger(radius2, dot(d, d));
      least = smaller(least, last_acceleration(i));
    }
    extent.join(team);
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass * per_mass);
    set_extent(g, extent, sqrt(team.largest(radius2)));

    MomentSum<Terms> moments(g.radius);
    for (std::uint32_t i = begin; i < end; i += Team::size)
      moments.add_particle(particles[i].w * per_mass, per_length * (position_of(particles[i]) - centre));
    store(team, c, g, team.smallest(least), moments);
  }

  template <class Team>
  GROVE_HD void sum_children(const Team& team, std::uint32_t c) const {
    const std::uint32_t first = links[c].first_child, count = links[c].child_count, rank = static_cast<std::uint32_t>(team.rank());
    // If the team has a member for each child, every member reads all data of its child at once: a level with few cells takes as long as
    // the reads that wait for each other.
    constexpr bool one_each = Team::size >= most_children;
    ChildMoments<Terms> own;
    if constexpr (one_each) own = child<true>(first + smaller(rank, count - 1));
    const auto for_each_child = [&](auto&& f) {
      if constexpr (one_each) {
        if (rank < count) f(own);
      } else {
        for (std::uint32_t k = rank; k < count; k += Team::size) f(child<false>(first + k));
      }
    };
    MassSum sum{geometry[first].centre_of_mass};
    for_each_child([&](const ChildMoments<Terms>& k) { sum.add(k.geometry.mass, k.particle_count, k.geometry.centre_of_mass); });
    sum.join(team);
    const Double3 centre = sum.centre();

    const double per_length = 1 / scale.length;
    Extent extent;
    double radius = 0;
    float least = 1e30F;
    for_each_child([&](const ChildMoments<Terms>& k) {
      const CellGeometry& g = k.geometry;
      const Double3 d = per_length * (g.centre_of_mass - centre);
      least = smaller(least, k.least_acceleration);
      extent.add(d + Double3{g.offset[0], g.offset[1], g.offset[2]}, g.half_size[0], g.half_size[1], g.half_size[2]);
      radius = larger(radius, smaller(sqrt(dot(d, d)) + g.radius, farthest_corner(d, g)));
    });
    extent.join(team);
    CellGeometry g;
    g.centre_of_mass = centre;
    g.mass = static_cast<float>(sum.mass);
    set_extent(g, extent, team.largest(radius));

    MomentSum<Terms> moments(g.radius);
    for_each_child([&](const ChildMoments<Terms>& k) { moments.add_child(k, per_length * (k.geometry.centre_of_mass - centre)); });
    store(team, c, g, team.smallest(least), moments);
  }

  /// Reads what cell k contributes to the moments of the cell above: all of it now, or each part when it is needed.
  template <bool now>
  GROVE_HD ChildMoments<Terms> child(std::uint32_t k) const {
    const auto read = [](const auto* from) {
      if constexpr (now)
        return read_now(from);
      else
        return *from;
    };
    constexpr int stride = MomentSum<Terms>::stride;
    const float* const of_k = multipole + std::size_t{k} * stride;
    ChildMoments<Terms> child;
    child.geometry = read(geometry + k);
    child.particle_count = read(&links[k].particle_count);
    child.least_acceleration = read(least_acceleration + k);
    if constexpr (stride % 4 == 0)
      for_terms<stride / 4>(
          [&](auto w) { reinterpret_cast<Float4*>(child.multipole)[w] = read(reinterpret_cast<const Float4*>(of_k) + w); });
    else
      for_terms<stride>([&](auto w) { child.multipole[w] = of_k[w]; });
    if constexpr (MomentSum<Terms>::tells_spread) child.radial = read(radial + k);
    return child;
  }

  /// Adds the spread to `g` and writes all data of cell c. Each member of the team has a part of `moments`.
  template <class Team>
  GROVE_HD void store(const Team& team, std::uint32_t c, CellGeometry& g, float least, MomentSum<Terms>& moments) const {
    moments.join_and_store(team, multipole + std::size_t{c} * moments.stride, radial + c);
    g.spread = moments.spread(g.mass, g.radius);
    if (team.rank() != 0) return;
    geometry[c] = g;
    least_acceleration[c] = least;
  }
};

/// All leaves, except those with more than largest_leaf particles. A single lane sums each leaf: with so few particles, sums over the lanes
/// of a team would be most of the work.
template <class Terms>
struct LeafMoments {
  CellMoments<Terms> cells;

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks& links = cells.links[c];
    if (links.child_count == 0 && links.particle_count <= largest_leaf) cells.sum_particles(SerialTeam{}, static_cast<std::uint32_t>(c));
  }
};

/// The other cells of a level, which begin at `first`. Their children have their moments.
template <class Terms>
struct LevelMoments {
  CellMoments<Terms> cells;
  std::uint32_t first;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    const std::uint32_t c = first + static_cast<std::uint32_t>(i);
    const CellLinks& links = cells.links[c];
    if (links.child_count > 0)
      cells.sum_children(team, c);
    else if (links.particle_count > largest_leaf)
      cells.sum_particles(team, c);
  }
};

/// A team sums a leaf, or a cell of the lowest level, and then climbs: the team that finishes the last child of a cell continues with the
/// cell. No team waits for another. Which team sums a cell depends on timing; the sums do not.
template <class Terms>
struct ClimbingMoments {
  CellMoments<Terms> cells;
  Climb climb;
  std::uint32_t lowest;  ///< first cell of the lowest level, whose children have their moments; without a large level, the end of the cells
  bool has_small_leaves;  ///< LeafMoments have summed these

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t first) const {
    const auto start = static_cast<std::uint32_t>(first);
    const CellLinks& links = cells.links[start];
    if (links.child_count > 0 && start < lowest) return;
    std::uint32_t above = climb.parent[start];
    if (links.child_count > 0)
      cells.sum_children(team, start);
    else if (!has_small_leaves || links.particle_count > largest_leaf)
      cells.sum_particles(team, start);
    while (above != no_cell) {
      const std::uint32_t c = above, children = cells.links[c].child_count;
      above = climb.parent[c];
      if (arrive(team, climb.arrived[c]) + 1 < children) return;
      if (team.rank() == 0) climb.arrived[c] = 0;  // all have arrived: for the next time
      cells.sum_children(team, c);
    }
  }
};

/// Work of teams for `count` items and, in the same launch, for groups. The launch that this saves matters if there are few of both.
template <class Work>
struct BesideGroups {
  Work work;
  std::size_t count;
  LeastInGroups groups;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    if (i < count)
      work(team, i);
    else
      groups(team, i - count);
  }
};

/// The number of levels above the first large one, or of all levels if there is none.
template <class Space>
int levels_to_climb(const Tree<Space>& tree) {
  int levels = 0;
  while (levels <= deepest_level && tree.level_offset[levels + 1] - tree.level_offset[levels] < large_level) ++levels;
  return levels;
}

template <class Space>
bool has_large_level(const Tree<Space>& tree) {
  return levels_to_climb(tree) <= deepest_level;
}

/// For the first `count` cells.
template <class Space>
void find_parents(Space& space, Tree<Space>& tree, std::uint32_t count, std::uint32_t lowest) {
  tree.parent.resize_discard(count);
  tree.arrived.resize_discard(count);
  space.for_each(count, PrepareClimb{tree.links.data(), {tree.parent.data(), tree.arrived.data()}, lowest});
  tree.knows_parents = true;
}

template <class Terms, class Space>
void compute_all(Space& space, const Double4* particles, const LastAccelerations& last_acceleration, const TreeScale& scale,
                 Tree<Space>& tree, const LeastInGroups& groups) {
  const std::size_t count = tree.cell_count();
  Scratch<Space, RadialRecord> radial(space, MomentSum<Terms>::tells_spread ? count : 0);
  const CellMoments<Terms> cells{tree.links.data(),
                                 particles,
                                 last_acceleration,
                                 tree.geometry.data(),
                                 tree.multipole.data(),
                                 radial.data(),
                                 tree.least_acceleration.data(),
                                 scale};
  const int climbed_levels = levels_to_climb(tree);
  const bool is_large = climbed_levels <= deepest_level;
  if (is_large) {
    space.template for_each<leaves_at_once>(count, LeafMoments<Terms>{cells});
    for (int l = deepest_level; l >= climbed_levels; --l) {
      const std::uint32_t begin = tree.level_offset[l], size = tree.level_offset[l + 1] - begin;
      const LevelMoments<Terms> level{cells, begin};
      if (size < very_large_level)
        space.for_each_by_team(size, level);
      else
        space.template for_each_by_team<small_team>(size, level);
    }
  }
  const std::uint32_t climbed = tree.level_offset[climbed_levels], lowest = is_large ? tree.level_offset[climbed_levels - 1] : climbed;
  if (!tree.knows_parents) find_parents(space, tree, climbed, lowest);
  const ClimbingMoments<Terms> climbing{cells, {tree.parent.data(), tree.arrived.data()}, lowest, is_large};
  space.for_each_by_team(climbed + groups.count(), BesideGroups<ClimbingMoments<Terms>>{climbing, climbed, groups});
}

template <int order, class Space>
void compute_of_order(Space& space, const Double4* particles, const LastAccelerations& last_acceleration, const TreeScale& scale,
                      Tree<Space>& tree, const LeastInGroups& groups) {
  if (tree.form.harmonic)
    compute_all<HarmonicTerms<order>>(space, particles, last_acceleration, scale, tree, groups);
  else
    compute_all<AllTerms<order>>(space, particles, last_acceleration, scale, tree, groups);
}

}  // namespace

template <class Space>
void compute_moments(Space& space, View<const Double4> particles, const LastAccelerations& last_acceleration, const TreeScale& scale,
                     Tree<Space>& tree, LeastInGroups groups) {
  const std::size_t stride = multipole_stride(tree.form);
  tree.geometry.resize_with_room(tree.cell_count(), tree.room);
  tree.multipole.resize_with_room(tree.cell_count() * stride, tree.room * stride);
  tree.least_acceleration.resize_discard(tree.cell_count());
  // Groups may set the magnitudes that leaves read (LastAccelerations::take()), so they come first. In large trees a common launch would
  // have few threads, because cells need many registers.
  if (last_acceleration.is_to_be_taken() || has_large_level(tree)) {
    space.for_each_by_team(groups.count(), groups);
    groups = {};
  }
  if (tree.form.order == 2)
    compute_all<AllTerms<2>>(space, particles.data, last_acceleration, scale, tree, groups);
  else if (tree.form.order == 4)
    compute_of_order<4>(space, particles.data, last_acceleration, scale, tree, groups);
  else
    compute_of_order<5>(space, particles.data, last_acceleration, scale, tree, groups);
}

template void compute_moments(BackEnd&, View<const Double4>, const LastAccelerations&, const TreeScale&, Tree<BackEnd>&, LeastInGroups);

}  // namespace grove
