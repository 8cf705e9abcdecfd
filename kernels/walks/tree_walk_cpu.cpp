// The walk of `tree` on the CPU: a thread walks for one group, and the inner loops run over SIMD vectors of its targets.
#include <vector>

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
};

template <class Opening, class Softening>
class GroupWalk {
 public:
  GroupWalk(const WalkConstants& c, const Opening& opening, const Softening& softening) : c_(c), opening_(opening), softening_(softening) {}

  void run(std::size_t group) {
    const std::uint32_t first = c_.targets.group_start[group], count = c_.targets.group_start[group + 1] - first;
    group_.load(c_.targets.particles.data, first, count, c_.targets.group_least_acceleration[group], c_.units);
    collect_sources();
    group_.sum(softening_, lists_, [](auto&&...) {});
    group_.store(c_.targets.acceleration.data, c_.targets.active.particle, c_.units, c_.mode);
    add_work(c_.targets.work[group]);
  }

 private:
  /// Walks the source tree for the group and lists the cells and particles that act on it.
  void collect_sources() {
    lists_.clear();
    stack_.clear();
    opening_tests_ = 0;
    for (std::uint32_t i = c_.sources.root_count; i-- > 0;) stack_.push_back(c_.sources.root(i));
    while (!stack_.empty()) {
      const std::uint32_t cell = stack_.back();
      stack_.pop_back();
      ++opening_tests_;
      const CellGeometry& g = c_.sources.geometry[cell];
      const CellLinks& links = c_.sources.links[cell];
      // A cell without contents was accepted by the rank that sent it, for a box around these targets.
      if (accept(opening_, g, group_.box(), c_.units.per_length, c_.support2) || links.particle_count == 0) {
        if (g.mass > 0) list_cell(cell);
      } else if (links.child_count > 0) {
        for (std::uint32_t k = links.child_count; k-- > 0;) stack_.push_back(links.first_child + k);
      } else {
        for (std::uint32_t i = 0; i < links.particle_count; ++i) list_particle(links.first_particle + i);
      }
    }
  }

  void list_cell(std::uint32_t cell) {
    const CellGeometry& g = c_.sources.geometry[cell];
    const Double3 centre = group_.box().centre;
    lists_.cells.push_back(make_cell_source<WalkTerms>(
        c_.units.offset(g.centre_of_mass.x, centre.x), c_.units.offset(g.centre_of_mass.y, centre.y),
        c_.units.offset(g.centre_of_mass.z, centre.z), g.mass, c_.sources.multipole + std::size_t{cell} * multipole_stride(WalkTerms::form),
        expansion_unit(g.radius)));
  }

  void list_particle(std::uint32_t i) { group_.list_particle(c_.sources.particles, i, c_.mode == WalkMode::own_tree, c_.units, lists_); }

  void add_work(GroupWork& out) const {
    const GroupWork before = c_.mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + static_cast<std::uint32_t>(lists_.particle_count()),
           before.cell_particle + static_cast<std::uint32_t>(lists_.cells.size()), before.opening_tests + opening_tests_, 0};
  }

  const WalkConstants& c_;
  const Opening& opening_;
  const Softening& softening_;
  std::vector<std::uint32_t> stack_;
  SourceLists lists_;
  TargetVectors<largest_group> group_;
  std::uint32_t opening_tests_ = 0;
};

}  // namespace

template <>
void walk_tree(HostSpace&, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  if (targets.group_count() == 0 || sources.root_count == 0) return;
  check_form(sources, WalkTerms::form);
  const WalkConstants c{sources, targets, law.units, law.support2, mode};
  law.visit([&](const auto& opening, const auto& softening) {
#pragma omp parallel
    {
      GroupWalk walk(c, opening, softening);
#pragma omp for schedule(dynamic, 16)
      for (std::int64_t g = 0; g < static_cast<std::int64_t>(targets.walked_count()); ++g)
        walk.run(targets.walked_group(static_cast<std::size_t>(g)));
    }
  });
}

}  // namespace grove
