// The walk of `fmm` on the CPU: threads share the target cells of a level, then the groups. Multipoles go into a local expansion a SIMD
// vector of source cells at a time; particles act on SIMD vectors of targets.
#include <vector>

#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/target_vectors.hpp"

namespace grove {

namespace {

constexpr int width = FloatVector::width;

/// A local expansion and its centre.
template <class Terms>
struct LocalExpansion {
  Double3 centre;
  float unit;
  float L[Terms::count];
};

template <class Terms>
struct FmmConstants {
  TreeView sources;
  FmmTargetView targets;
  FmmWalkTargets data;
  GravityUnits units;
  float support, support2;
  WalkMode mode;
  std::vector<std::vector<std::uint32_t>>& lists;  ///< [target cells] source cells handed down
  std::vector<LocalExpansion<Terms>>& local;       ///< [target cells]
  GroupWork* cell_work;
};

/// One thread's walk; memory is re-used from target to target.
template <class Terms, class Opening, class Softening>
class TargetWalk {
 public:
  TargetWalk(const FmmConstants<Terms>& c, const Opening& opening, const Softening& softening)
      : c_(c), opening_(opening), softening_(softening) {}

  void run_cell(std::uint32_t target) {
    const std::uint32_t cell = c_.targets.cell[target];
    const CellGeometry& g = c_.data.own_tree.geometry[cell];
    TargetBox box{};
    box.centre = g.centre_of_mass;
    box.radius = g.radius;
    box.least_acceleration = c_.data.least_acceleration[cell];
    std::vector<std::uint32_t>& list = c_.lists[target];
    list.clear();
    walk(c_.targets.parent[target], box, [&](std::uint32_t source, const CellLinks& links, const CellGeometry& s) {
      if (s.radius >= box.radius && links.child_count > 0) return true;
      list.push_back(source);
      return false;
    });
    LocalExpansion<Terms>& local = c_.local[target];
    local.centre = box.centre;
    local.unit = expansion_unit(box.radius);
    expand(c_.targets.parent[target], local);
    add_work(c_.cell_work[target], 0, 0);
  }

  void run_group(std::uint32_t group) {
    const std::uint32_t first = c_.targets.group_start[group], count = c_.targets.group_start[group + 1] - first;
    group_.load(c_.data.particles.data, first, count, c_.data.group_least_acceleration[group], c_.units);
    lists_.clear();
    walk(c_.targets.group_parent[group], group_.box(), [&](std::uint32_t source, const CellLinks& links, const CellGeometry& s) {
      // A cell without contents was accepted by the rank that sent it, for a box around these targets.
      if (links.particle_count == 0 ||
          (links.particle_count > fmm_walk::few_particles && accept(opening_, s, group_.box(), c_.units.per_length, c_.support2))) {
        list_cell(source);
        return false;
      }
      if (links.child_count > 0) return true;
      for (std::uint32_t i = 0; i < links.particle_count; ++i) list_particle(links.first_particle + i);
      return false;
    });
    LocalExpansion<Terms> local;
    local.centre = group_.box().centre;
    local.unit = expansion_unit(group_.box().radius);
    expand(c_.targets.group_parent[group], local);
    group_.sum(softening_, lists_, [&](FloatVector x, FloatVector y, FloatVector z, Force<FloatVector>& force) {
      add_local_force<Terms>([&](auto i) { return FloatVector(local.L[i]); }, local.unit, x, y, z, force);
    });
    group_.store(c_.data.acceleration.data, c_.data.active.particle, c_.units, c_.mode);
    add_work(c_.data.work[group], lists_.particle_count(), lists_.cells.size());
  }

 private:
  static constexpr int terms = Terms::count, stored_moments = multipole_stride(Terms::form);

  /// Tests the cells that the parent handed down, or the roots. Calls `rejected(cell, links, geometry)` for each cell that does not go into
  /// the local expansion; it returns whether to open the cell.
  template <class Rejected>
  void walk(std::uint32_t parent, const TargetBox& box, Rejected rejected) {
    accepted_.clear();
    stack_.clear();
    opening_tests_ = 0;
    if (parent == no_parent)
      for (std::uint32_t i = 0; i < c_.sources.root_count; ++i) stack_.push_back(c_.sources.root(i));
    else
      stack_.assign(c_.lists[parent].begin(), c_.lists[parent].end());
    while (!stack_.empty()) {
      const std::uint32_t cell = stack_.back() & ~fmm_walk::forbidden_bit;
      std::uint32_t forbidden = stack_.back() & fmm_walk::forbidden_bit;
      stack_.pop_back();
      ++opening_tests_;
      const CellGeometry& g = c_.sources.geometry[cell];
      if (!(g.mass > 0)) continue;
      if (!forbidden) {
        const LocalVerdict verdict = judge_local<Terms::order>(opening_, g, box, c_.units.per_length, c_.support);
        if (verdict.accepted) {
          accepted_.push_back(cell);
          continue;
        }
        if (verdict.forbidden) forbidden = fmm_walk::forbidden_bit;
      }
      const CellLinks& links = c_.sources.links[cell];
      if (rejected(cell, links, g))
        for (std::uint32_t k = links.child_count; k-- > 0;) stack_.push_back((links.first_child + k) | forbidden);
    }
  }

  /// Sets local.L to the sum of two parts: the expansions of the accepted cells about local.centre, and the parent's expansion shifted
  /// there.
  void expand(std::uint32_t parent, LocalExpansion<Terms>& local) {
    FloatVector sum[terms];
    for (int i = 0; i < terms; ++i) sum[i] = FloatVector(0);
    for (std::size_t first = 0; first < accepted_.size(); first += width) add_cells(first, local, sum);
    for (int i = 0; i < terms; ++i) {
      alignas(FloatVector::alignment) float lanes[width];
      sum[i].store(lanes);
      local.L[i] = 0;
      for (int l = 0; l < width; ++l) local.L[i] += lanes[l];
    }
    if (parent == no_parent) return;
    const LocalExpansion<Terms>& from = c_.local[parent];
    add_parent_local<Terms>([&](auto i) { return from.L[i]; }, from.unit, c_.units.offset(local.centre.x, from.centre.x),
                            c_.units.offset(local.centre.y, from.centre.y), c_.units.offset(local.centre.z, from.centre.z), local.unit,
                            local.L);
  }

  /// M2L of the accepted cells [first, first + width); lanes past the last cell repeat it without mass.
  void add_cells(std::size_t first, const LocalExpansion<Terms>& local, FloatVector (&sum)[terms]) {
    alignas(FloatVector::alignment) float x[width], y[width], z[width], mass[width], unit[width], moment[stored_moments][width];
    for (int l = 0; l < width; ++l) {
      const bool filled = first + static_cast<std::size_t>(l) < accepted_.size();
      const std::uint32_t cell = accepted_[filled ? first + static_cast<std::size_t>(l) : accepted_.size() - 1];
      const CellGeometry& g = c_.sources.geometry[cell];
      x[l] = c_.units.offset(local.centre.x, g.centre_of_mass.x);
      y[l] = c_.units.offset(local.centre.y, g.centre_of_mass.y);
      z[l] = c_.units.offset(local.centre.z, g.centre_of_mass.z);
      mass[l] = filled ? g.mass : 0;
      unit[l] = expansion_unit(g.radius);
      const float* const m = c_.sources.multipole + std::size_t{cell} * stored_moments;
      for (int k = 0; k < terms - implied_terms; ++k) moment[k][l] = filled ? m[k] : 0;
    }
    add_cell_to_local<Terms>(
        softening_, FloatVector::load(x), FloatVector::load(y), FloatVector::load(z), FloatVector::load(mass),
        [&](auto k) { return FloatVector::load(moment[k - implied_terms]); }, FloatVector::load(unit), local.unit, sum);
  }

  void list_cell(std::uint32_t cell) {
    const CellGeometry& g = c_.sources.geometry[cell];
    const Double3 centre = group_.box().centre;
    lists_.cells.push_back(make_cell_source<Terms>(c_.units.offset(g.centre_of_mass.x, centre.x),
                                                   c_.units.offset(g.centre_of_mass.y, centre.y),
                                                   c_.units.offset(g.centre_of_mass.z, centre.z), g.mass,
                                                   c_.sources.multipole + std::size_t{cell} * stored_moments, expansion_unit(g.radius)));
  }

  void list_particle(std::uint32_t i) { group_.list_particle(c_.sources.particles, i, c_.mode == WalkMode::own_tree, c_.units, lists_); }

  void add_work(GroupWork& out, std::size_t particles, std::size_t cells) const {
    const GroupWork before = c_.mode == WalkMode::own_tree ? GroupWork{} : out;
    out = {before.particle_particle + static_cast<std::uint32_t>(particles), before.cell_particle + static_cast<std::uint32_t>(cells),
           before.opening_tests + opening_tests_, before.cell_cell + static_cast<std::uint32_t>(accepted_.size())};
  }

  const FmmConstants<Terms>& c_;
  const Opening& opening_;
  const Softening& softening_;
  std::vector<std::uint32_t> stack_, accepted_;
  SourceLists lists_;
  TargetVectors<largest_fmm_group> group_;
  std::uint32_t opening_tests_ = 0;
};

/// All levels, then the groups; threads share the targets of each.
template <class Terms, class Opening, class Softening>
void run(const FmmConstants<Terms>& c, const LevelOffsets& level_offset, const Opening& opening, const Softening& softening) {
  const ActiveTargets& active = c.data.active;
  const std::int64_t groups = active.some() ? static_cast<std::int64_t>(active.groups.size) : c.targets.group_count;
#pragma omp parallel
  {
    TargetWalk<Terms, Opening, Softening> walk(c, opening, softening);
    for (int level = 0; level <= deepest_level; ++level) {
      const std::int64_t begin = level_offset[level], end = level_offset[level + 1];
#pragma omp for schedule(dynamic, 4)
      for (std::int64_t t = begin; t < end; ++t)
        if (c.data.active.wants_cell(static_cast<std::uint32_t>(t))) walk.run_cell(static_cast<std::uint32_t>(t));
    }
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t g = 0; g < groups; ++g) walk.run_group(active.some() ? active.groups[g] : static_cast<std::uint32_t>(g));
  }
}

}  // namespace

template <>
void FmmWalk<HostSpace>::begin(HostSpace& space, std::uint32_t target_cells) {
  cell_work_.resize_discard(target_cells);
  space.fill_bytes(cell_work_.data(), 0, target_cells * sizeof(GroupWork));
}

template <>
void FmmWalk<HostSpace>::walk(HostSpace&, const ScaledLaw& law, const TreeView& sources, const FmmTargets<HostSpace>& targets,
                              const FmmWalkTargets& data, WalkMode mode) {
  const FmmTargetView view = targets.view();
  if (view.group_count == 0 || sources.root_count == 0) return;
  check_form(sources, law.form);
  std::vector<std::vector<std::uint32_t>> lists(view.cell_count);
  law.visit_order([&](auto order) {
    law.visit([&](const auto& opening, const auto& softening) {
      using Terms = ExpansionTerms<order, std::decay_t<decltype(softening)>>;
      std::vector<LocalExpansion<Terms>> local(view.cell_count);
      const FmmConstants<Terms> c{sources, view, data, law.units, law.support, law.support2, mode, lists, local, cell_work_.data()};
      run(c, targets.level_offset(), opening, softening);
    });
  });
}

}  // namespace grove
