// The walk of `fmm` on the CPU: threads share the large target cells, level by level. Below these, a thread walks for a whole subtree of
// targets at a time, so that what its cells hand down stays in the cache of its core. Multipoles go into a local expansion a SIMD vector of
// source cells at a time; particles act on SIMD vectors of targets.
#include <omp.h>

#include <algorithm>
#include <span>
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

/// What a target cell hands down to those below: source cells that it could not deal with, and its local expansion.
template <class Terms>
struct HandedDown {
  std::span<const std::uint32_t> sources;
  const LocalExpansion<Terms>& local;
};

/// Where what a target cell hands down is: a number in the pool of the thread that walks its subtree, or among the large cells.
struct Place {
  std::uint32_t number : 31, is_large : 1;
};

/// The targets in the order in which they are walked for.
struct TargetOrder {
  std::vector<Place> place;                   ///< [target cells]
  std::vector<std::uint32_t> large;           ///< target cells above the subtrees, level by level
  std::vector<std::size_t> level_end;         ///< in `large`
  std::vector<std::uint32_t> subtrees;        ///< the target cells at their tops
  std::vector<std::uint32_t> others;          ///< groups outside of subtrees
  std::vector<std::uint32_t> children_end;    ///< [target cells] end of the target cells below, which are consecutive
  std::vector<std::uint32_t> children_count;  ///< [target cells]

  TargetOrder(const FmmTargetView& targets, const CellLinks* links, const LevelOffsets& level_offset)
      : place(targets.cell_count), children_end(targets.cell_count), children_count(targets.cell_count) {
    // A subtree has enough particles to share what it hands down, and few enough for its memory to stay in the cache. Threads have several.
    const std::size_t particles = targets.group_start[targets.group_count], threads = static_cast<std::size_t>(omp_get_max_threads());
    const std::size_t most = std::clamp<std::size_t>(particles / (16 * threads), 256, 4096);
    const auto is_below_large = [&](std::uint32_t parent) { return parent == no_parent || place[parent].is_large; };
    for (int level = 0; level <= deepest_level && level_offset[level] < level_offset[level + 1]; ++level) {
      for (std::uint32_t t = level_offset[level]; t < level_offset[level + 1]; ++t) {
        const std::uint32_t parent = targets.parent[t];
        if (parent != no_parent) {
          children_end[parent] = t + 1;
          ++children_count[parent];
        }
        if (!is_below_large(parent)) continue;
        if (links[targets.cell[t]].particle_count > most) {
          place[t] = {static_cast<std::uint32_t>(large.size()), 1};
          large.push_back(t);
        } else {
          subtrees.push_back(t);
        }
      }
      level_end.push_back(large.size());
    }
    for (std::uint32_t g = 0; g < targets.group_count; ++g)
      if (is_below_large(targets.group_parent[g])) others.push_back(g);
  }
};

template <class Terms>
struct LargeCell {
  std::vector<std::uint32_t> sources;
  LocalExpansion<Terms> local;
};

template <class Terms>
struct FmmConstants {
  TreeView sources;
  FmmTargetView targets;
  FmmWalkTargets data;
  GravityUnits units;
  float support, support2;
  WalkMode mode;
  TargetOrder& order;
  std::vector<LargeCell<Terms>>& large;  ///< as in `order`
  GroupWork* cell_work;
};

/// One thread's walk; memory is re-used from target to target.
template <class Terms, class Opening, class Softening>
class TargetWalk {
 public:
  TargetWalk(const FmmConstants<Terms>& c, const Opening& opening, const Softening& softening)
      : c_(c), opening_(opening), softening_(softening) {}

  void run_large_cell(std::size_t number) {
    LargeCell<Terms>& large = c_.large[number];
    run_cell(c_.order.large[number], large.sources, large.local);
  }

  /// All targets in the subtree below the target cell `top`.
  void run_subtree(std::uint32_t top) {
    if (!c_.data.active.wants_cell(top)) return;
    pool_.clear();
    pool_end_.clear();
    pool_local_.clear();
    cells_.assign(1, top);
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const std::uint32_t target = cells_[k];
      c_.order.place[target] = {static_cast<std::uint32_t>(k), 0};
      LocalExpansion<Terms> local;
      run_cell(target, pool_, local);
      pool_end_.push_back(pool_.size());
      pool_local_.push_back(local);
      const std::uint32_t end = c_.order.children_end[target];
      for (std::uint32_t child = end - c_.order.children_count[target]; child < end; ++child)
        if (c_.data.active.wants_cell(child)) cells_.push_back(child);
    }
    const CellLinks& links = c_.data.own_tree.links[c_.targets.cell[top]];
    run_groups(group_at(links.first_particle), group_at(links.first_particle + links.particle_count));
  }

  void run_group(std::uint32_t group) {
    if (c_.data.active.some() && !std::binary_search(active_begin(), active_end(), group)) return;
    run_active_group(group);
  }

 private:
  const std::uint32_t* active_begin() const { return c_.data.active.groups.data; }
  const std::uint32_t* active_end() const { return active_begin() + c_.data.active.groups.size; }
  /// The first group that begins at this particle or later.
  std::uint32_t group_at(std::uint32_t particle) const {
    const std::uint32_t* const start = c_.targets.group_start;
    return static_cast<std::uint32_t>(std::lower_bound(start, start + c_.targets.group_count, particle) - start);
  }
  void run_groups(std::uint32_t begin, std::uint32_t end) {
    if (!c_.data.active.some()) {
      for (std::uint32_t g = begin; g < end; ++g) run_active_group(g);
    } else {
      for (const std::uint32_t* g = std::lower_bound(active_begin(), active_end(), begin); g != active_end() && *g < end; ++g)
        run_active_group(*g);
    }
  }

  HandedDown<Terms> handed_down_by(std::uint32_t target) const {
    const Place place = c_.order.place[target];
    if (place.is_large) return {c_.large[place.number].sources, c_.large[place.number].local};
    const std::size_t begin = place.number == 0 ? 0 : pool_end_[place.number - 1];
    return {std::span(pool_).subspan(begin, pool_end_[place.number] - begin), pool_local_[place.number]};
  }

  /// Appends what the cell hands down to `list`, and sets its local expansion.
  void run_cell(std::uint32_t target, std::vector<std::uint32_t>& list, LocalExpansion<Terms>& local) {
    const std::uint32_t cell = c_.targets.cell[target];
    const CellGeometry& g = c_.data.own_tree.geometry[cell];
    TargetBox box{};
    box.centre = g.centre_of_mass;
    box.radius = g.radius;
    box.least_acceleration = c_.data.least_acceleration[cell];
    walk(c_.targets.parent[target], box, [&](std::uint32_t source, const CellLinks& links, const CellGeometry& s) {
      if (s.radius >= box.radius && links.child_count > 0) return true;
      list.push_back(source);
      return false;
    });
    local.centre = box.centre;
    local.unit = expansion_unit(box.radius);
    expand(c_.targets.parent[target], local);
    add_work(c_.cell_work[target], 0, 0);
  }

  void run_active_group(std::uint32_t group) {
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

  static constexpr int terms = Terms::count, stored_moments = multipole_stride(Terms::form);

  /// Tests the cells that the parent handed down, or the roots. Calls `rejected(cell, links, geometry)` for each cell that does not go into
  /// the local expansion; it returns whether to open the cell.
  template <class Rejected>
  void walk(std::uint32_t parent, const TargetBox& box, Rejected rejected) {
    accepted_.clear();
    stack_.clear();
    opening_tests_ = 0;
    if (parent == no_parent) {
      for (std::uint32_t i = 0; i < c_.sources.root_count; ++i) stack_.push_back(c_.sources.root(i));
    } else {
      const std::span<const std::uint32_t> sources = handed_down_by(parent).sources;
      stack_.assign(sources.begin(), sources.end());
    }
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
    const LocalExpansion<Terms>& from = handed_down_by(parent).local;
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
  std::vector<std::uint32_t> cells_;  ///< target cells of the present subtree
  std::vector<std::uint32_t> pool_;   ///< source cells that these hand down, one after the other
  std::vector<std::size_t> pool_end_;
  std::vector<LocalExpansion<Terms>> pool_local_;
  SourceLists lists_;
  TargetVectors<largest_fmm_group> group_;
  std::uint32_t opening_tests_ = 0;
};

/// The large cells, level by level, then subtrees and the groups that are in none; threads share each.
template <class Terms, class Opening, class Softening>
void run(const FmmConstants<Terms>& c, const Opening& opening, const Softening& softening) {
  const TargetOrder& order = c.order;
  const auto subtrees = static_cast<std::int64_t>(order.subtrees.size()), others = static_cast<std::int64_t>(order.others.size());
#pragma omp parallel
  {
    TargetWalk<Terms, Opening, Softening> walk(c, opening, softening);
    for (std::size_t level = 0; level < order.level_end.size(); ++level) {
      const std::size_t begin = level > 0 ? order.level_end[level - 1] : 0, end = order.level_end[level];
#pragma omp for schedule(dynamic, 1)
      for (std::size_t k = begin; k < end; ++k)
        if (c.data.active.wants_cell(order.large[k])) walk.run_large_cell(k);
    }
#pragma omp for schedule(dynamic, 1) nowait
    for (std::int64_t t = 0; t < subtrees; ++t) walk.run_subtree(order.subtrees[static_cast<std::size_t>(t)]);
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t g = 0; g < others; ++g) walk.run_group(order.others[static_cast<std::size_t>(g)]);
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
  TargetOrder order(view, data.own_tree.links, targets.level_offset());
  law.visit_order([&](auto terms_order) {
    law.visit([&](const auto& opening, const auto& softening) {
      using Terms = ExpansionTerms<terms_order, std::decay_t<decltype(softening)>>;
      std::vector<LargeCell<Terms>> large(order.large.size());
      const FmmConstants<Terms> c{sources, view, data, law.units, law.support, law.support2, mode, order, large, cell_work_.data()};
      run(c, opening, softening);
    });
  });
}

}  // namespace grove
