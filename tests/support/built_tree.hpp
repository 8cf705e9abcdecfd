// Particles with recognisable fields, and the tree over them built in the steps of a force evaluation; with copies of it all on the host.
#pragma once

#include <numeric>
#include <vector>

#include "decomposition/domain/frame.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_sort.hpp"
#include "kernels/tree/fmm_targets.hpp"
#include "kernels/tree/moments.hpp"
#include "kernels/tree/target_groups.hpp"
#include "kernels/tree/tree_build.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "tests/support/particle_systems.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {

/// One particle with all its fields.
struct TestParticle {
  Double4 position;
  Double4 acceleration;
  Double3 velocity;
  std::uint64_t id = 0;
  std::uint32_t work = 1;
  std::uint8_t type = 1;
};

/// All fields but position follow from the id, so that a field that was left behind shows.
inline TestParticle record_of(std::uint64_t id, const Double4& position) {
  const double x = static_cast<double>(id);
  return {position,
          {x, 2 * x, 3 * x, 4 * x},
          {-x, 0.5 * x, 7 * x},
          id,
          static_cast<std::uint32_t>(1 + id % 89),
          static_cast<std::uint8_t>(id % 6)};
}

/// Sets all fields; work is `record_of`'s.
inline void set_particles(BackEnd& space, Particles<BackEnd>& particles, const std::vector<Double4>& position,
                          const std::vector<std::uint64_t>& id) {
  const std::size_t n = id.size();
  std::vector<Double4> acceleration(n);
  std::vector<Double3> velocity(n);
  std::vector<std::uint32_t> work(n);
  std::vector<std::uint8_t> type(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TestParticle r = record_of(id[i], position[i]);
    acceleration[i] = r.acceleration;
    velocity[i] = r.velocity;
    work[i] = r.work;
    type[i] = r.type;
  }
  particles.resize_discard(n);
  copy_from_host<BackEnd, Double4>(space, position, particles.position.view());
  copy_from_host<BackEnd, Double4>(space, acceleration, particles.acceleration.view());
  copy_from_host<BackEnd, Double3>(space, velocity, particles.velocity.view());
  copy_from_host<BackEnd, std::uint64_t>(space, id, particles.id.view());
  copy_from_host<BackEnd, std::uint32_t>(space, work, particles.work.view());
  copy_from_host<BackEnd, std::uint8_t>(space, type, particles.type.view());
}

/// Particle i has id i.
inline void set_particles(BackEnd& space, Particles<BackEnd>& particles, const std::vector<Double4>& position) {
  std::vector<std::uint64_t> id(position.size());
  std::iota(id.begin(), id.end(), std::uint64_t{0});
  set_particles(space, particles, position, id);
}

/// Takes the particles i of `system`, the same on every rank, for which owner(i) is this rank. Particle i has id i.
template <class Owner>
void take_share(BackEnd& space, const Communicator& comm, const std::vector<Double4>& system, Particles<BackEnd>& particles, Owner owner) {
  std::vector<Double4> position;
  std::vector<std::uint64_t> id;
  for (std::size_t i = 0; i < system.size(); ++i)
    if (owner(i) == static_cast<std::size_t>(comm.rank())) position.push_back(system[i]), id.push_back(i);
  set_particles(space, particles, position, id);
}
/// The ranks take particles by turns.
inline void take_by_turns(BackEnd& space, const Communicator& comm, const std::vector<Double4>& system, Particles<BackEnd>& particles) {
  take_share(space, comm, system, particles, [&](std::size_t i) { return i % static_cast<std::size_t>(comm.size()); });
}

/// The smallest last acceleration in each group, by itself.
inline void find_least_in_groups(BackEnd& space, View<const std::uint32_t> group_start, const LastAccelerations& last_acceleration,
                                 StepBuffer<BackEnd, float>& least) {
  LeastInGroups groups{group_start, nullptr, last_acceleration};
  least.resize_discard(groups.count());
  groups.least = least.data();
  space.for_each_by_team(groups.count(), groups);
}

/// A tree over `position`, particle i of which has id i before sorting.
struct BuiltTree {
  Frame frame;
  Particles<BackEnd> particles;
  Buffer<BackEnd, std::uint64_t> key;  ///< of each particle, sorted
  Tree<BackEnd> tree;
  StepBuffer<BackEnd, std::uint32_t> group_start;
  Buffer<BackEnd, float> last_acceleration;  ///< magnitude of each particle's, scaled; `record_of`'s, in units of 1, until set
  StepBuffer<BackEnd, float> group_least_acceleration;

  /// The frame is that of the particles alone, unless one is given; `order` is that of the multipoles.
  BuiltTree(BackEnd& space, const std::vector<Double4>& position, const Frame* given = nullptr, ExpansionForm form = {})
      : particles(space), key(space), tree(space, form), group_start(space), last_acceleration(space), group_least_acceleration(space) {
    set_particles(space, particles, position);
    frame = given ? *given : find_frame(space, Communicator(MPI_COMM_SELF), particles);
    key.resize_discard(particles.size());
    const SortInput<BackEnd> input(space, particles, {frame.cube}, AccelerationMeasure{}, key.view());
    const View<const float> magnitude = sort_particles<BackEnd>(space, input, particles);
    last_acceleration = upload(space, download<float>(space, magnitude));
    build_tree<BackEnd>(space, key.view(), tree, particles.tree_level.view());
    choose_target_groups<BackEnd>(space, tree, key.view(), largest_group, particles.tree_level.view());
    separate_outliers<BackEnd>(space, led_positions(particles, 0), frame.cube, particles.tree_level.view());
    list_target_groups<BackEnd>(space, particles.tree_level.view(), group_start);
    find_moments(space);
  }

  /// tree_level with the groups of the walk of `fmm`.
  Buffer<BackEnd, std::uint8_t> levels_for_fmm(BackEnd& space) const {
    std::vector<std::uint8_t> levels = download(space, particles.tree_level);
    for (std::uint8_t& level : levels) level = static_cast<std::uint8_t>(level_in(level));
    auto tree_level = upload(space, levels);
    choose_target_groups<BackEnd>(space, tree, key.view(), largest_fmm_group<BackEnd>, tree_level.view());
    return tree_level;
  }
  /// The targets of the walk of `fmm`.
  void find_targets(BackEnd& space, FmmTargets<BackEnd>& targets) const {
    targets.build(space, tree, levels_for_fmm(space).view(), particles.work.view());
  }

  /// Sets what criteria of relative error look at, given by id.
  void set_last_acceleration(BackEnd& space, double G, const std::vector<Double4>& by_id) {
    const double unit = G * frame.scale.mass / (frame.scale.length * frame.scale.length);
    std::vector<float> sorted;
    for (const std::uint64_t i : download(space, particles.id)) {
      const Double3 a = (1 / unit) * position_of(by_id[i]);
      sorted.push_back(static_cast<float>(std::sqrt(dot(a, a))));
    }
    last_acceleration = upload(space, sorted);
    find_moments(space);
  }

  /// Of all cells, from the positions and last accelerations as they now are.
  void find_moments(BackEnd& space) {
    LeastInGroups groups{group_start.view(), nullptr, last_acceleration.view()};
    group_least_acceleration.resize_discard(groups.count());
    groups.least = group_least_acceleration.data();
    compute_moments<BackEnd>(space, particles.position.view(), last_acceleration.view(), frame.scale, tree, groups);
  }

  TreeView view() const { return tree.view(particles.position.data()); }
};

/// A built tree on the host.
struct HostTree {
  std::vector<CellLinks> links;
  std::vector<CellGeometry> geometry;
  std::vector<float> multipole, least_acceleration;
  ExpansionForm form;
  LevelOffsets level_offset;
  std::vector<Double4> position;
  std::vector<std::uint64_t> key, id;
  std::vector<std::uint32_t> group_start;
  Frame frame;

  HostTree(BackEnd& space, const BuiltTree& built)
      : links(download(space, built.tree.links)),
        geometry(download(space, built.tree.geometry)),
        multipole(download(space, built.tree.multipole)),
        least_acceleration(download(space, built.tree.least_acceleration)),
        form(built.tree.form),
        level_offset(built.tree.level_offset),
        position(download(space, built.particles.position)),
        key(download(space, built.key)),
        id(download(space, built.particles.id)),
        group_start(download(space, built.group_start)),
        frame(built.frame) {}

  int level_of(std::uint32_t cell) const {
    int level = 0;
    while (cell >= level_offset[static_cast<std::size_t>(level) + 1]) ++level;
    return level;
  }
};

}  // namespace grove::tests
