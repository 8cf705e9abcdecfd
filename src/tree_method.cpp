#include "src/tree_method.hpp"

#include "kernels/moments.hpp"
#include "kernels/target_groups.hpp"
#include "kernels/tree_build.hpp"

namespace grove {

namespace {

/// Gives every particle of a group the group's cost per target: the weight of the next domain cut.
struct SpreadWork {
  const std::uint32_t* group_start;
  const GroupWork* group_work;
  std::uint32_t* work;

  GROVE_HD void operator()(std::size_t g) const {
    const GroupWork w = group_work[g];
    const std::uint32_t targets = group_start[g + 1] - group_start[g];
    const std::uint32_t cost = w.particle_particle * slots_particle_particle + w.cell_particle * slots_cell_particle +
                               w.opening_tests * slots_opening_test / targets;
    for (std::uint32_t i = group_start[g]; i < group_start[g + 1]; ++i) work[i] = cost;
  }
};

struct Totals {
  std::uint64_t particle_particle = 0, cell_particle = 0, opening_tests = 0;
};
struct TotalsOf {
  const std::uint32_t* group_start;
  const GroupWork* work;
  GROVE_HD Totals operator()(std::size_t g) const {
    const std::uint64_t targets = group_start[g + 1] - group_start[g];
    return {targets * work[g].particle_particle, targets * work[g].cell_particle, work[g].opening_tests};
  }
};
struct AddTotals {
  GROVE_HD Totals operator()(const Totals& a, const Totals& b) const {
    return {a.particle_particle + b.particle_particle, a.cell_particle + b.cell_particle, a.opening_tests + b.opening_tests};
  }
};

}  // namespace

template <class Space>
void TreeMethod<Space>::compute(Particles<Space>& particles, PhaseClock<Space>& clock) {
  frame_ = find_frame(space_, comm_, particles);
  compute_keys(space_, particles, frame_.cube);
  clock.mark("keys");
  if (comm_.size() > 1) {
    particle_exchange_.run(space_, comm_, frame_, particles);
    clock.mark("exchange");
  }
  sorter_.sort(space_, particles);
  clock.mark("sort");
  build_tree<Space>(space_, particles.key.view(), tree_);
  make_target_groups(space_, tree_, particles.size(), group_start_);
  clock.mark("tree");
  compute_moments<Space>(space_, particles.position.view(), frame_.scale, tree_);
  clock.mark("moments");
  if (comm_.size() > 1) {
    select_essential_trees(particles);
    clock.mark("essential trees");
  }

  group_work_.resize_discard(group_start_.size());
  const WalkTargets targets{particles.position.view(), group_start_.view(), particles.acceleration.view(), group_work_.view()};
  // On the GPU the walk runs while this thread sends; on the CPU it keeps this thread busy, so messages leave first.
  if (!Space::on_gpu && comm_.size() > 1) tree_exchange_.send(space_, comm_);
  walk_tree(space_, gravity_, frame_.scale, tree_.view(particles.position.data()), targets, WalkMode::own_tree);
  clock.mark("walk");
  if (comm_.size() > 1) {
    if (Space::on_gpu) tree_exchange_.send(space_, comm_);
    for (int b = 0; b < tree_exchange_.batch_count(); ++b) {
      const TreeView view = tree_exchange_.receive(space_, b);
      clock.mark("tree exchange");
      walk_tree(space_, gravity_, frame_.scale, view, targets, WalkMode::other_tree);
      clock.mark("walk of others");
    }
    tree_exchange_.finish();
  }
  space_.for_each(targets.group_count(), SpreadWork{group_start_.data(), group_work_.data(), particles.work.data()});
}

template <class Space>
void TreeMethod<Space>::select_essential_trees(const Particles<Space>& particles) {
  const std::vector<DomainBoxes> boxes = comm_.all_gather(make_domain_boxes(space_, tree_, frame_.scale));
  essential_.select(space_, gravity_, frame_.scale, tree_, particles.position.view(), boxes, comm_.rank());
  tree_exchange_.begin(space_, comm_, essential_);
}

template <class Space>
WorkCounts TreeMethod<Space>::work_counts() {
  const std::size_t groups = group_start_.size() > 0 ? group_start_.size() - 1 : 0;
  const Totals totals = space_.transform_reduce(groups, Totals{}, TotalsOf{group_start_.data(), group_work_.data()}, AddTotals{});
  WorkCounts counts;
  counts.particle_particle = totals.particle_particle;
  counts.cell_particle = totals.cell_particle;
  counts.opening_tests = totals.opening_tests;
  counts.cells = tree_.cell_count();
  counts.imported_cells = tree_exchange_.received_cells();
  counts.imported_particles = tree_exchange_.received_particles();
  return counts;
}

template class TreeMethod<BackEnd>;

}  // namespace grove
