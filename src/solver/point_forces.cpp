#include "src/solver/point_forces.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "decomposition/domain/frame.hpp"
#include "decomposition/ranks/sparse_exchange.hpp"
#include "kernels/particles/work.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "src/solver/force_methods.hpp"
#include "src/solver/fp32_range.hpp"

namespace grove {

namespace {

/// Only the magnitudes of the first forces are used: the errors of the second ones are the same with any angle that was tried, up to 2.1.
constexpr double wider_for_points = 2.5;

/// Points are targets alone, so they have one class, with the measure of accelerations of all.
GravityLaw law_of_one_class(GravityParameters gravity, const GravityLaw& law) {
  gravity.softening = law.classes().longest();
  gravity.softening_of_type.clear();
  gravity.softening_between_types.clear();
  return GravityLaw(gravity);
}

/// The cube for the keys of points is at most so many times as long as that of the sources. Points outside are targets one by one, which
/// costs little so far away; points inside are told apart as well as the sources.
constexpr double most_enlarged = 64;

/// With the scale of the sources.
Frame frame_for(const std::vector<Double4>& points, const Frame& of_sources) {
  Frame frame = of_sources;
  const double half = 0.5 * of_sources.cube.edge;
  const Double3 centre = of_sources.cube.corner + Double3{half, half, half};
  double farthest = half;
  for (const Double4& p : points) {
    const Double3 d = position_of(p) - centre;
    farthest = std::max({farthest, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  const double longer = std::min(farthest * (1 + 1e-12), most_enlarged * half);
  frame.cube = {centre - Double3{longer, longer, longer}, 2 * longer};
  frame.has_outliers = true;
  return frame;
}

struct BeginPoints {
  std::uint64_t* id;
  std::uint8_t* type;
  std::uint32_t* work;
  GROVE_HD void operator()(std::size_t i) const {
    id[i] = i;
    type[i] = 0;
    work[i] = unknown_work;
  }
};

}  // namespace

template <class Space>
PointForces<Space>::PointForces(Space& space, Space& space_of_points, const Communicator& comm, const GravityParameters& gravity,
                                TransportWay way, Particles<Space>& sources)
    : space_(space),
      space_of_points_(space_of_points),
      comm_(comm),
      alone_(MPI_COMM_SELF),
      law_(gravity),
      first_law_(law_.needs_acceleration() ? law_.without_acceleration(wider_for_points) : law_),
      law_of_points_(law_of_one_class(gravity, law_)),
      sources_(sources),
      source_count_(comm.sum(std::uint64_t{sources.size()})),
      builder_(make_named_walker(gravity.method, space, law_)),
      walker_(make_named_walker(gravity.method, space_of_points, law_)),
      first_laws_(first_law_),
      laws_(law_),
      points_(space_of_points) {
  if (builder_)
    build_tree(way);
  else
    require_extent_of_direct(find_extent(space_, comm_, sources_));
  // Points are on another stream.
  space_.synchronize();
}

/// The form of its expansions is valid for both laws.
template <class Space>
void PointForces<Space>::build_tree(TransportWay way) {
  PhaseClock<Space> clock(space_);
  tree_ = std::make_unique<OwnTree<Space>>(space_, comm_, law_, *builder_, way);
  tree_of_points_ = std::make_unique<OwnTree<Space>>(space_of_points_, alone_, law_of_points_, *walker_, way);
  space_.arena().begin_step();
  tree_->find_frame(sources_, 0, true);
  tree_->exchange(first_law_, sources_, clock);
  const View<const float> magnitudes = tree_->build(first_law_, sources_, clock);
  tree_->find_moments(sources_, magnitudes, clock);
  clock.end();
  const ExpansionForm form = law_.expansion_form();
  first_laws_.set(first_law_, tree_->frame(), form);
  laws_.set(law_, tree_->frame(), form);
}

template <class Space>
std::vector<Double4> PointForces<Space>::at(const std::vector<Double4>& points) {
  const std::vector<std::uint64_t> counts = comm_.all_gather(std::uint64_t{points.size()});
  const std::vector<Double4> all = comm_.all_gather_vectors(std::span<const Double4>(points));
  if (all.empty()) return {};
  std::vector<Double4> forces;
  comm_.agree([&] {
    take(all);
    if (!tree_) return sum_directly();
    build_tree_of_points(all);
    walk(first_laws_);
  });
  // The sums over the ranks' sources, in the order of ranks, for this rank's points.
  const auto own_forces = [&] {
    comm_.agree([&] { forces = forces_by_point(); });
    if (comm_.size() == 1) return forces;
    const std::vector<Double4> parts = exchange_items(comm_, counts, std::span<const Double4>(forces));
    std::vector<Double4> sums(points.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Double4& sum = sums[i % sums.size()];
      sum = {sum.x + parts[i].x, sum.y + parts[i].y, sum.z + parts[i].z, sum.w + parts[i].w};
    }
    return sums;
  };
  if (tree_ && law_.needs_acceleration()) {
    std::vector<Double4> first;
    if (comm_.size() > 1) first = comm_.all_gather_vectors(std::span<const Double4>(own_forces()));
    comm_.agree([&] {
      if (comm_.size() > 1) set_forces(first);
      PhaseClock<Space> clock(space_of_points_);
      tree_of_points_->update_moments(points_, clock);
      clock.end();
      walk(laws_);
    });
  }
  return own_forces();
}

template <class Space>
void PointForces<Space>::take(const std::vector<Double4>& points) {
  const std::size_t n = points.size();
  points_.resize_discard(n);
  copy_from_host<Space, Double4>(space_of_points_, points, points_.position.view());
  space_of_points_.fill_bytes(points_.acceleration.data(), 0, n * sizeof(Double4));
  space_of_points_.fill_bytes(points_.velocity.data(), 0, n * sizeof(Double3));
  space_of_points_.for_each(n, BeginPoints{points_.id.data(), points_.type.data(), points_.work.data()});
  points_.has_acceleration = false;
}

template <class Space>
void PointForces<Space>::build_tree_of_points(const std::vector<Double4>& points) {
  PhaseClock<Space> clock(space_of_points_);
  space_of_points_.arena().begin_step();
  tree_of_points_->set_frame(frame_for(points, tree_->frame()));
  tree_of_points_->tree().others = source_count_;
  const View<const float> magnitudes = tree_of_points_->build(law_of_points_, points_, clock);
  tree_of_points_->find_moments(points_, magnitudes, clock);
  clock.end();
  ids_.resize(points_.size());
  copy_to_host<Space, std::uint64_t>(space_of_points_, points_.id.view(), ids_);
}

/// Sets the forces of this rank's sources on the points. Their pairs have the softening of the source.
template <class Space>
void PointForces<Space>::walk(const TreeLaws& laws) {
  space_of_points_.fill_bytes(points_.acceleration.data(), 0, points_.size() * sizeof(Double4));
  walker_->set_active(nullptr, {});
  walker_->clear_work();
  for (int c = 0; c < law_.classes().count(); ++c)
    walker_->walk(laws.of_pair(c, c), tree_->tree().view(sources_.position.data(), {c, c + 1}), WalkMode::other_tree);
}

template <class Space>
void PointForces<Space>::sum_directly() {
  ids_.clear();
  require_extent_of_direct(find_extent(space_of_points_, alone_, points_));
  add_direct_sum<Space>(space_of_points_, law_, {sources_.position.view(), sources_.id.view(), sources_.type.view()},
                        {points_.position.view(), points_.id.view(), points_.acceleration.view()});
}

/// In the order of all points.
template <class Space>
std::vector<Double4> PointForces<Space>::forces_by_point() {
  std::vector<Double4> sorted(points_.size());
  copy_to_host<Space, Double4>(space_of_points_, points_.acceleration.view(), sorted);
  if (ids_.empty()) return sorted;
  std::vector<Double4> by_point(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) by_point[ids_[i]] = sorted[i];
  return by_point;
}

template <class Space>
void PointForces<Space>::set_forces(const std::vector<Double4>& by_point) {
  std::vector<Double4> sorted(by_point.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = by_point[ids_[i]];
  copy_from_host<Space, Double4>(space_of_points_, sorted, points_.acceleration.view());
}

template class PointForces<BackEnd>;

}  // namespace grove
