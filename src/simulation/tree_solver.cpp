// Memory of a force evaluation, bytes a particle, on one rank. Beside the 101 bytes of Particles' fields and the lists of the dual walk,
// all of it is in the space's arena. C is the number of cells a particle (0.23 in a Plummer sphere, 0.27 in a homogeneous cube):
//
//   sort       28          keys 8, magnitudes of the last acceleration 4, order 4, a copy of keys and order 12
//   tree       16 + 36 C   keys 8, cells that begin at each particle 8; links 16 C, their levels, order and first particles 20 C
//   groups     8 + 16 C    starts of groups 8; links 16 C
//   moments    1 + 196 C   links 16 C, geometry 64 C, multipoles of order 4 96 C, what is needed of cells for those above 16 C, least
//                          accelerations 4 C; groups and their work 1
//   walk       1 + 180 C   the same but what only the moments need; on the GPU 2 more for the target cells' expansions, and 35 to 60 MB,
//                          whatever N, for warps' stacks
//
// From the sort to the walk, the acceleration's own 32 bytes hold the fields by turns and then the magnitudes. Multipoles of order 2 take
// 24 C, of order 5 128 C; with Plummer's softening, which needs terms that Newton's law does not, those of order 4 take 128 C, of order 5
// 208 C. On several ranks the exchange of particles takes 116 and the records that arrive, and the trees for and from
// others have buffers of their own. On the CPU the copy that sorts is 16.
#include "src/simulation/tree_solver.hpp"

#include <cmath>

#include "kernels/tree/moments.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/tree/tree_build.hpp"

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
                               (w.cell_cell * slots_cell_cell + w.opening_tests * slots_opening_test) / targets;
    for (std::uint32_t i = group_start[g]; i < group_start[g + 1]; ++i) work[i] = cost;
  }
};

}  // namespace

template <class Space>
void TreeSolver<Space>::compute(Particles<Space>& particles, PhaseClock<Space>& clock) {
  if (needs_acceleration(gravity_.opening) && !has_acceleration_) {
    GravityParameters first = gravity_;
    first.opening = BarnesOpening::name;
    compute_with(first, particles, clock);
    has_acceleration_ = true;
  }
  compute_with(gravity_, particles, clock);
}

template <class Space>
void TreeSolver<Space>::compute_with(const GravityParameters& gravity, Particles<Space>& particles, PhaseClock<Space>& clock) {
  space_.arena().begin_step();
  frame_ = find_frame(space_, comm_, particles);
  // A softening that dwarfs the system is what lengths are measured by: its square, too, must fit into FP32.
  if (gravity.softening > frame_.scale.length) frame_.scale.length = std::exp2(std::round(std::log2(gravity.softening)));
  clock.mark("keys");
  if (comm_.size() > 1) {
    particle_exchange_.run(space_, comm_, frame_, particles);
    clock.mark("exchange");
  }
  build_own_tree(gravity, particles, clock);
  if (comm_.size() > 1) {
    enlarge_cut_cells(space_, comm_, domain_, tree_);
    select_essential_trees(gravity, particles);
    clock.mark("essential trees");
  }
  walk_trees(gravity, particles, clock);
  const View<const GroupWork> work = walker_->group_work();
  space_.for_each(work.size, SpreadWork{walker_->group_start().data, work.data, particles.work.data()});
}

template <class Space>
void TreeSolver<Space>::build_own_tree(const GravityParameters& gravity, Particles<Space>& particles, PhaseClock<Space>& clock) {
  View<const float> last_acceleration;
  {
    Scratch<Space, std::uint64_t> keys(space_, particles.size());
    compute_keys<Space>(space_, particles.position.view(), frame_.cube, keys);
    clock.mark("keys");
    const double acceleration_unit = gravity.G * frame_.scale.mass / (frame_.scale.length * frame_.scale.length);
    last_acceleration = sort_particles<Space>(space_, keys, acceleration_unit, particles);
    clock.mark("sort");
    build_tree<Space>(space_, keys, tree_);
    if (comm_.size() > 1) domain_ = key_range<Space>(space_, keys);
  }
  walker_->set_targets(tree_, frame_.cube, particles, last_acceleration);
  clock.mark("tree");
  compute_moments<Space>(space_, particles.position.view(), last_acceleration, frame_.scale, tree_);
  clock.mark("moments");
}

template <class Space>
void TreeSolver<Space>::walk_trees(const GravityParameters& gravity, const Particles<Space>& particles, PhaseClock<Space>& clock) {
  // On the GPU the walk runs while this thread sends; on the CPU it keeps this thread busy, so messages leave first.
  if (!Space::on_gpu && comm_.size() > 1) tree_exchange_.send(space_, comm_);
  walker_->walk(gravity, frame_.scale, tree_.view(particles.position.data()), WalkMode::own_tree);
  clock.mark("walk");
  if (comm_.size() == 1) return;
  if (Space::on_gpu) tree_exchange_.send(space_, comm_);
  for (int b = 0; b < tree_exchange_.batch_count(); ++b) {
    const TreeView view = tree_exchange_.receive(space_, b);
    clock.mark("tree exchange");
    walker_->walk(gravity, frame_.scale, view, WalkMode::other_tree);
    clock.mark("walk of others");
  }
  tree_exchange_.finish();
}

template <class Space>
void TreeSolver<Space>::select_essential_trees(const GravityParameters& gravity, const Particles<Space>& particles) {
  const std::vector<DomainBoxes> boxes = comm_.all_gather(make_domain_boxes<Space>(space_, tree_, frame_.scale));
  essential_.select(space_, gravity, frame_.scale, tree_, particles.position.view(), boxes, comm_.rank());
  tree_exchange_.begin(space_, comm_, essential_);
}

template <class Space>
WorkCounts TreeSolver<Space>::work_counts() {
  WorkCounts counts = walker_->work_counts();
  counts.cells = tree_.cell_count();
  counts.imported_cells = tree_exchange_.received_cells();
  counts.imported_particles = tree_exchange_.received_particles();
  return counts;
}

template class TreeSolver<BackEnd>;

}  // namespace grove
