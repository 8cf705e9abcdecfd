// The walk of `tree` on the CPU. A thread walks for one group. It tests a SIMD vector of cells at a time, and the inner loops run over SIMD
// vectors of targets.
#include <atomic>
#include <bit>

#include "kernels/gravity/cell_lanes.hpp"
#include "kernels/walks/cell_queue.hpp"
#include "kernels/walks/target_vectors.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace {

struct WalkConstants {
  TreeView sources;
  WalkTargets targets;
  GravityUnits units;
  float support2;
  WalkMode mode;
  std::atomic<bool>& lacks_cells;
};

template <class Opening, class Softening>
class GroupWalk {
 public:
  GroupWalk(const WalkConstants& c, const Opening& opening, const Softening& softening)
      : c_(c), opening_(opening), softening_(softening), queue_(c.sources) {}

  void run(std::size_t group) {
    const std::uint32_t first = c_.targets.group_start[group], count = c_.targets.group_start[group + 1] - first;
    group_.load(c_.targets.particles.data, first, count, c_.targets.group_least_acceleration[group], c_.units);
    collect_sources();
    group_.sum(softening_, lists_, [](auto&&...) {});
    group_.store(c_.targets.acceleration.data, c_.targets.active, c_.units, c_.mode);
    store_work({static_cast<std::uint32_t>(lists_.particle_count()), static_cast<std::uint32_t>(lists_.cells.size()), opening_tests_, 0},
               c_.mode, c_.targets.work[group]);
  }

 private:
  /// Walks the source tree for the group and lists the cells and particles that act on it.
  void collect_sources() {
    lists_.clear();
    opening_tests_ = 0;
    const CellLinks* const links = c_.sources.links;
    queue_.start_with_roots();
    while (!queue_.is_empty()) {
      const CellBatch batch = queue_.take();
      opening_tests_ += static_cast<std::uint32_t>(std::popcount(batch.filled));
      const CellLanes cells(c_.sources.geometry, batch.cell, group_.box().centre, c_.units.per_length);
      const std::uint32_t accepted = FloatVector::bits_of(accept(opening_, cells, cells.place(), group_.box(), c_.support2));
      const std::uint32_t rejected =
          batch.where(batch.filled & ~accepted, links, [](const CellLinks& cell) { return cell.particle_count > 0; });
      const std::uint32_t opened = batch.where(rejected, links, [](const CellLinks& cell) { return cell.child_count > 0; });
      const std::uint32_t with_mass = FloatVector::bits_of(cells.mass > FloatVector(0));
      if ((batch.filled & with_mass & ~accepted & ~rejected) != 0) c_.lacks_cells.store(true, std::memory_order_relaxed);
      for_each_bit(batch.filled & ~rejected & with_mass, [&](int l) { list_cell(batch.cell[l]); });
      for_each_bit(rejected & ~opened, [&](int l) { list_particles(links[batch.cell[l]]); });
      queue_.add_children(batch, opened, 0);
    }
  }

  void list_cell(std::uint32_t cell) { lists_.cells.push_back(cell_source<WalkTerms>(c_.sources, cell, group_.box().centre, c_.units)); }

  void list_particles(const CellLinks& cell) {
    group_.list_particles(c_.sources.particles, cell.first_particle, cell.particle_count, c_.mode == WalkMode::own_tree, lists_);
  }

  const WalkConstants& c_;
  const Opening& opening_;
  const Softening& softening_;
  CellQueue queue_;
  SourceLists lists_;
  TargetVectors<largest_group> group_;
  std::uint32_t opening_tests_ = 0;
};

}  // namespace

template <>
void walk_tree(HostSpace&, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  if (targets.group_count() == 0 || sources.root_count == 0) return;
  check_form(sources, WalkTerms::form);
  std::atomic<bool> lacks = false;
  const WalkConstants c{sources, targets, law.units, law.support2, mode, lacks};
  law.visit([&](const auto& opening, const auto& softening) {
#pragma omp parallel
    {
      GroupWalk walk(c, opening, softening);
#pragma omp for schedule(dynamic, 1)
      for (std::int64_t g = 0; g < static_cast<std::int64_t>(targets.walked_count()); ++g)
        walk.run(targets.walked_group(static_cast<std::size_t>(g)));
    }
  });
  if (lacks && targets.lacks_cells) *targets.lacks_cells = 1;
}

}  // namespace grove
