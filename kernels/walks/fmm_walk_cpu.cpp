// The walk of `fmm` on the CPU. Threads share the large target cells. Below these, a thread walks for a whole subtree of targets at a time,
// so that the lists handed down in it stay in the cache of its core. Source cells are tested, and added to local expansions, a SIMD vector
// of cells at a time. Particles act on SIMD vectors of targets.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/gravity/cell_lanes.hpp"
#include "kernels/walks/cell_queue.hpp"
#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/fmm_walk_tasks.hpp"
#include "kernels/walks/target_vectors.hpp"

namespace grove {

namespace {

constexpr int width = FloatVector::width;

/// The error of a cell that acts on each target may be this many times the tolerance. For a quadrupole, the error estimate is further above
/// the true error than for an expansion. Also, in groups as large as those of the CPU, the parts of a cell that is opened instead have
/// larger errors (docs/development/constants.md).
constexpr float quadrupole_slack = 1.5F;

/// The targets as the opening criterion sees them in the test of a cell that acts on each of them.
TargetBox for_quadrupoles(TargetBox targets) {
  targets.least_acceleration *= quadrupole_slack;
  return targets;
}

/// The tests of a vector of cells, for each opening criterion. The walk does not depend on the criterion: it would be compiled for each
/// pair of criterion and softening.
class CellTests {
 public:
  virtual ~CellTests() = default;
  /// May they go into the local expansion of these targets?
  virtual LocalVerdict<std::uint32_t> judge_local(const CellLanes& cells, const TargetBox& targets) const = 0;
  /// May they act on each of these targets? A bit for each cell.
  virtual std::uint32_t accept(const CellLanes& cells, const TargetBox& targets) const = 0;
};

template <int order, class Opening>
class CellTestsOf final : public CellTests {
 public:
  CellTestsOf(const Opening& opening, const ScaledLaw& law) : opening_(opening), support_(law.support), support2_(law.support2) {}
  LocalVerdict<std::uint32_t> judge_local(const CellLanes& cells, const TargetBox& targets) const override {
    const auto verdict = grove::judge_local<order>(opening_, cells, cells.place(), targets, support_);
    return {FloatVector::bits_of(verdict.accepted), FloatVector::bits_of(verdict.forbidden)};
  }
  std::uint32_t accept(const CellLanes& cells, const TargetBox& targets) const override {
    return FloatVector::bits_of(grove::accept(opening_, cells, cells.place(), for_quadrupoles(targets), support2_));
  }

 private:
  const Opening& opening_;
  float support_, support2_;
};

/// A local expansion and its centre.
template <class Terms>
struct LocalExpansion {
  Double3 centre;
  float unit;
  float L[Terms::count];
};

/// What a target cell hands down to those below: the source cells that remain, and its local expansion.
template <class Terms>
struct HandedDown {
  std::span<const std::uint32_t> sources;
  const LocalExpansion<Terms>& local;
};

template <class Terms>
struct LargeCell {
  std::vector<std::uint32_t> sources;
  LocalExpansion<Terms> local;
  std::atomic<int> is_done = 0;  ///< 1 once the other members are set
};

template <class Terms>
struct FmmConstants {
  TreeView sources;
  FmmTargetView targets;
  FmmWalkTargets data;
  GravityUnits units;
  const CellTests& tests;
  WalkMode mode;
  FmmTasks& tasks;
  std::vector<LargeCell<Terms>>& large;  ///< as in `tasks`
  GroupWork* cell_work;
  std::atomic<bool>& lacks_cells;  ///< WalkOutcome::lacks_cells
};

/// The walk of one thread. Its memory is reused for each target.
template <class Terms, class Softening>
class TargetWalk {
 public:
  TargetWalk(const FmmConstants<Terms>& c, const Softening& softening) : c_(c), softening_(softening), queue_(c.sources) {}

  void run(const FmmTask& task) {
    if (task.kind == FmmTask::large_cell)
      run_large_cell(task.number);
    else if (task.kind == FmmTask::subtree)
      run_subtree(task.number);
    else
      run_group(task.number);
  }

 private:
  void run_large_cell(std::uint32_t number) {
    if (!c_.data.active.wants_cell(c_.tasks.large[number])) return;
    LargeCell<Terms>& large = c_.large[number];
    run_cell(c_.tasks.large[number], large.sources, large.local);
    large.is_done.store(1, std::memory_order_release);
    large.is_done.notify_all();
  }

  /// Walks for all targets in the subtree below the target cell `top`.
  void run_subtree(std::uint32_t top) {
    if (!c_.data.active.wants_cell(top)) return;
    pool_.clear();
    pool_end_.clear();
    pool_local_.clear();
    cells_.assign(1, top);
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const std::uint32_t target = cells_[k];
      c_.tasks.place[target] = {static_cast<std::uint32_t>(k), 0};
      LocalExpansion<Terms> local;
      run_cell(target, pool_, local);
      pool_end_.push_back(pool_.size());
      pool_local_.push_back(local);
      const std::uint32_t end = c_.tasks.children_end[target];
      for (std::uint32_t child = end - c_.tasks.children_count[target]; child < end; ++child)
        if (c_.data.active.wants_cell(child)) cells_.push_back(child);
    }
    const CellLinks& links = c_.data.own_tree.links[c_.targets.cell[top]];
    run_groups(group_at(links.first_particle), group_at(links.first_particle + links.particle_count));
  }

  void run_group(std::uint32_t group) {
    if (c_.data.active.is_list && !std::binary_search(active_begin(), active_end(), group)) return;
    run_active_group(group);
  }

  const std::uint32_t* active_begin() const { return c_.data.active.groups.data; }
  const std::uint32_t* active_end() const { return active_begin() + c_.data.active.groups.size; }
  /// The first group that begins at this particle or later.
  std::uint32_t group_at(std::uint32_t particle) const {
    const std::uint32_t* const start = c_.targets.group_start;
    return static_cast<std::uint32_t>(std::lower_bound(start, start + c_.targets.group_count, particle) - start);
  }
  void run_groups(std::uint32_t begin, std::uint32_t end) {
    if (!c_.data.active.is_list) {
      for (std::uint32_t g = begin; g < end; ++g) run_active_group(g);
    } else {
      for (const std::uint32_t* g = std::lower_bound(active_begin(), active_end(), begin); g != active_end() && *g < end; ++g)
        run_active_group(*g);
    }
  }

  /// What target cell `target` has handed down. If it is a large cell, which another thread has already begun, waits until it is done.
  HandedDown<Terms> handed_down_by(std::uint32_t target) const {
    const Place place = c_.tasks.place[target];
    if (place.is_large) {
      const LargeCell<Terms>& large = c_.large[place.number];
      large.is_done.wait(0, std::memory_order_acquire);
      return {large.sources, large.local};
    }
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
    walk(c_.targets.parent[target], box, [&](const CellBatch& batch, const CellLanes& cells, std::uint32_t rejected) {
      const std::uint32_t is_large = FloatVector::bits_of(FloatVector(box.radius) <= cells.radius);
      const std::uint32_t opened = batch.where(rejected & is_large, c_.sources.links, has_children);
      for_each_bit(rejected & ~opened, [&](int l) { list.push_back(batch.cell[l]); });
      return opened;
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
    walk(c_.targets.group_parent[group], group_.box(), [&](const CellBatch& batch, const CellLanes& cells, std::uint32_t rejected) {
      const CellLinks* const links = c_.sources.links;
      const std::uint32_t can_be_opened = batch.where(rejected, links, [](const CellLinks& cell) { return cell.particle_count > 0; });
      const std::uint32_t accepted = c_.tests.accept(cells, group_.box());
      if ((rejected & ~can_be_opened & ~accepted) != 0) c_.lacks_cells.store(true, std::memory_order_relaxed);
      const std::uint32_t has_many =
          batch.where(rejected & accepted, links, [](const CellLinks& cell) { return cell.particle_count > fmm_walk::few_particles; });
      const std::uint32_t listed = rejected & (~can_be_opened | has_many);
      const std::uint32_t opened = batch.where(rejected & ~listed, links, has_children);
      for_each_bit(listed, [&](int l) { list_cell(batch.cell[l]); });
      for_each_bit(rejected & ~listed & ~opened, [&](int l) { list_particles(links[batch.cell[l]]); });
      return opened;
    });
    LocalExpansion<Terms> local;
    local.centre = group_.box().centre;
    local.unit = expansion_unit(group_.box().radius);
    expand(c_.targets.group_parent[group], local);
    group_.sum(softening_, lists_, [&](FloatVector x, FloatVector y, FloatVector z, Force<FloatVector>& force) {
      add_local_force<Terms>([&](auto i) { return FloatVector(local.L[i]); }, local.unit, x, y, z, force);
    });
    group_.store(c_.data.acceleration.data, c_.data.active, c_.units, c_.mode);
    add_work(c_.data.work[group], lists_.particle_count(), lists_.cells.size());
  }

  static constexpr int terms = Terms::count, stored_moments = multipole_stride(Terms::form);

  static bool has_children(const CellLinks& cell) { return cell.child_count > 0; }

  /// Tests the cells that the parent handed down, or the roots. Calls `sort_out(batch, cells, rejected)` with the cells that do not go into
  /// the local expansion; it returns the ones to open.
  template <class SortOut>
  void walk(std::uint32_t parent, const TargetBox& box, SortOut sort_out) {
    accepted_.clear();
    opening_tests_ = 0;
    if (parent == no_parent)
      queue_.start_with_roots();
    else
      queue_.start_with(handed_down_by(parent).sources);
    while (!queue_.is_empty()) {
      // Marked cells must not go into the local expansion.
      const CellBatch batch = queue_.take();
      opening_tests_ += static_cast<std::uint32_t>(std::popcount(batch.filled));
      const CellLanes cells(c_.sources.geometry, batch.cell, box.centre, c_.units.per_length);
      const LocalVerdict<std::uint32_t> verdict = c_.tests.judge_local(cells, box);
      const std::uint32_t wanted = batch.filled & FloatVector::bits_of(cells.mass > FloatVector(0));
      const std::uint32_t accepted = wanted & ~batch.marked & verdict.accepted;
      for_each_bit(accepted, [&](int l) { accepted_.push_back(batch.cell[l]); });
      const std::uint32_t opened = sort_out(batch, cells, wanted & ~accepted);
      queue_.add_children(batch, opened, batch.marked | verdict.forbidden);
    }
  }

  /// Sets local.L to the sum of two parts: the expansions of the accepted cells about local.centre, and the parent's expansion shifted
  /// there.
  void expand(std::uint32_t parent, LocalExpansion<Terms>& local) {
    FloatVector sum[terms];
    for (int i = 0; i < terms; ++i) sum[i] = FloatVector(0);
    for (std::size_t first = 0; first < accepted_.size(); first += width) add_cells(first, local, sum);
    for (int first = 0; first < terms; first += width) {
      FloatVector row[width];
      for (int k = 0; k < width; ++k) row[k] = first + k < terms ? sum[first + k] : FloatVector(0);
      alignas(FloatVector::alignment) float total[width];
      sums_of(row).store(total);
      for (int k = 0; k < width && first + k < terms; ++k) local.L[first + k] = total[k];
    }
    if (parent == no_parent) return;
    const LocalExpansion<Terms>& from = handed_down_by(parent).local;
    add_parent_local<Terms>([&](auto i) { return from.L[i]; }, from.unit, c_.units.offset(local.centre.x, from.centre.x),
                            c_.units.offset(local.centre.y, from.centre.y), c_.units.offset(local.centre.z, from.centre.z), local.unit,
                            local.L);
  }

  /// M2L of the accepted cells [first, first + width). Lanes after the last cell repeat it with mass zero.
  void add_cells(std::size_t first, const LocalExpansion<Terms>& local, FloatVector (&sum)[terms]) {
    constexpr int moments = terms - implied_terms, rows = (moments + width - 1) / width * width;
    const auto filled = static_cast<int>(std::min<std::size_t>(width, accepted_.size() - first));
    std::uint32_t cell[width];
    alignas(FloatVector::alignment) float share[width];
    for (int l = 0; l < width; ++l) {
      cell[l] = accepted_[first + static_cast<std::size_t>(std::min(l, filled - 1))];
      share[l] = l < filled ? 1 : 0;
    }
    const CellLanes cells(c_.sources.geometry, cell, local.centre, c_.units.per_length);
    FloatVector moment[rows];
    load_moments<0>(cell, filled, moment);
    add_cell_to_local<Terms>(
        softening_, -cells.x, -cells.y, -cells.z, FloatVector::load(share) * cells.mass, [&](auto k) { return moment[k - implied_terms]; },
        expansion_unit(cells.radius), local.unit, sum);
  }

  /// Sets lane l of moment[k] to element k of the multipole of cell[l], for k >= `first`; to 0 in lanes that are not filled.
  template <int first>
  void load_moments(const std::uint32_t (&cell)[width], int filled, FloatVector* moment) const {
    constexpr int count = std::min(width, stored_moments - first);
    FloatVector row[width];
    for (int l = 0; l < width; ++l) {
      const float* const from = c_.sources.multipole + std::size_t{cell[l]} * stored_moments + first;
      if (l >= filled) {
        row[l] = FloatVector(0);
      } else if constexpr (count == width) {
        row[l] = FloatVector::load_unaligned(from);
      } else {
        alignas(FloatVector::alignment) float part[width] = {};
        std::memcpy(part, from, count * sizeof(float));
        row[l] = FloatVector::load(part);
      }
    }
    transpose(row);
    std::copy(row, row + width, moment + first);
    if constexpr (first + width < terms - implied_terms) load_moments<first + width>(cell, filled, moment);
  }

  void list_cell(std::uint32_t cell) { lists_.cells.push_back(cell_source<Terms>(c_.sources, cell, group_.box().centre, c_.units)); }

  void list_particles(const CellLinks& cell) {
    group_.list_particles(c_.sources.particles, cell.first_particle, cell.particle_count, c_.mode == WalkMode::own_tree, lists_);
  }

  void add_work(GroupWork& out, std::size_t particles, std::size_t cells) const {
    store_work({static_cast<std::uint32_t>(particles), static_cast<std::uint32_t>(cells), opening_tests_,
                static_cast<std::uint32_t>(accepted_.size())},
               c_.mode, out);
  }

  const FmmConstants<Terms>& c_;
  const Softening& softening_;
  CellQueue queue_;
  std::vector<std::uint32_t> accepted_;
  std::vector<std::uint32_t> cells_;               ///< target cells of the current subtree
  std::vector<std::uint32_t> pool_;                ///< source cells that these hand down, one list after the other
  std::vector<std::size_t> pool_end_;              ///< [cells_] end of each list in pool_
  std::vector<LocalExpansion<Terms>> pool_local_;  ///< [cells_] local expansions
  SourceLists lists_;
  TargetVectors<largest_fmm_group<HostSpace>> group_;
  std::uint32_t opening_tests_ = 0;
};

/// Each thread takes the next task when it has finished one. A task comes after the tasks that it waits for, so these are already taken.
template <class Terms, class Softening>
void run(const FmmConstants<Terms>& c, const Softening& softening) {
  std::atomic<std::size_t> next = 0;
#pragma omp parallel
  {
    TargetWalk<Terms, Softening> walk(c, softening);
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < c.tasks.tasks.size();) walk.run(c.tasks.tasks[k]);
  }
}

}  // namespace

template <>
void FmmWalk<HostSpace>::begin(HostSpace& space, std::uint32_t target_cells, bool) {
  cell_work_.resize_discard(target_cells);
  space.fill_bytes(cell_work_.data(), 0, target_cells * sizeof(GroupWork));
}

template <>
WalkOutcome FmmWalk<HostSpace>::walk(HostSpace&, const ScaledLaw& law, const TreeView& sources, const FmmTargets<HostSpace>& targets,
                                     const FmmWalkTargets& data, WalkMode mode, const std::function<void()>& meanwhile) {
  const FmmTargetView view = targets.view();
  if (view.group_count > 0 && !data.bounds.hold(data.own_tree.geometry[0])) return WalkOutcome::out_of_bounds;
  if (view.group_count == 0 || sources.root_count == 0) {
    if (meanwhile) meanwhile();
    return WalkOutcome::complete;
  }
  std::atomic<bool> lacks_cells = false;
  check_form(sources, law.form);
  FmmTasks tasks(view, data.own_tree.links, static_cast<std::size_t>(omp_get_max_threads()));
  law.visit_order([&](auto terms_order) {
    law.visit_with_expansions([&](const auto& opening, const auto& softening) {
      using Terms = ExpansionTerms<terms_order, std::decay_t<decltype(softening)>>;
      std::vector<LargeCell<Terms>> large(tasks.large.size());
      const CellTestsOf<terms_order, std::decay_t<decltype(opening)>> tests(opening, law);
      const FmmConstants<Terms> c{sources, view, data, law.units, tests, mode, tasks, large, cell_work_.data(), lacks_cells};
      run(c, softening);
    });
  });
  if (meanwhile) meanwhile();
  return lacks_cells ? WalkOutcome::lacks_cells : WalkOutcome::complete;
}

}  // namespace grove
