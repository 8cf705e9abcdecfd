// Gravity at points without particles, by the tree of the particles, which is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/solver/force_solver.hpp"
#include "src/solver/own_tree.hpp"
#include "src/solver/walkers.hpp"

namespace grove {

/// The gravity of sources that stay where they are. Their tree is built once, or for methods that walk no trees the sources are summed.
/// Each set of points has a small tree of its own, with which that of the sources is walked: what a call costs hardly depends on the number
/// of sources.
///
/// The tree has the domains of all ranks, but nothing is sent of it: each rank finds the forces of its own sources on the points of all
/// ranks, and each gets the sums for its own points.
template <class Space>
class PointForces {
 public:
  /// Takes the particles of all ranks. `space`: that of `sources`, which change rank and order now, and stay as they are later.
  /// `space_of_points`: another one on the same device. All arguments except `gravity` must outlive it. Collective. Throws AgreedError for
  /// what does not fit into FP32; positions must be finite.
  PointForces(Space& space, Space& space_of_points, const Communicator& comm, const GravityParameters& gravity, TransportWay way,
              Particles<Space>& sources);

  /// Acceleration and potential at this rank's `points` (x, y, z; w is 0), in their order. They depend on the points of all ranks, and not
  /// on earlier calls. Every rank holds what belongs to all points for a moment. Collective. Throws AgreedError.
  std::vector<Double4> at(const std::vector<Double4>& points);

 private:
  void build_tree(TransportWay way);
  void take(const std::vector<Double4>& points);
  void build_tree_of_points(const std::vector<Double4>& points);
  void walk(const TreeLaws& laws);
  void sum_directly();
  std::vector<Double4> forces_by_point();
  void set_forces(const std::vector<Double4>& by_point);

  Space &space_, &space_of_points_;
  const Communicator& comm_;
  const Communicator alone_;  ///< each rank has the same tree of points, which is its own
  const GravityLaw law_;
  const GravityLaw first_law_;  ///< with an opening criterion that needs no accelerations; the same if that of the law needs none
  const GravityLaw law_of_points_;
  Particles<Space>& sources_;
  std::uint64_t source_count_ = 0;                   ///< of all ranks
  std::unique_ptr<Walker<Space>> builder_, walker_;  ///< of the tree of the sources, of that of the points; null: summed directly
  std::unique_ptr<OwnTree<Space>> tree_;             ///< of the sources
  std::unique_ptr<OwnTree<Space>> tree_of_points_;
  TreeLaws first_laws_, laws_;
  Particles<Space> points_;  ///< without mass; their ids are their places in the list of all points
  std::vector<std::uint64_t> ids_;
};

}  // namespace grove
