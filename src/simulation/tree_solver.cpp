// docs/architecture.md says what memory each phase takes.
#include "src/simulation/tree_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/particles/work.hpp"
#include "kernels/space/error.hpp"
#include "kernels/tree/moments.hpp"
#include "kernels/tree/tree_build.hpp"
#include "src/simulation/fp32_range.hpp"

namespace grove {

namespace {

struct ForgetWork {
  std::uint32_t* work;
  GROVE_HD void operator()(std::size_t i) const { work[i] = unknown_work; }
};

/// Memory for a float of each particle: that of their work, which is not asked for before forces() sets it anew.
template <class Space>
float* lent_for_magnitudes(Particles<Space>& particles) {
  static_assert(sizeof(float) == sizeof(*particles.work.data()));
  return reinterpret_cast<float*>(particles.work.data());
}

struct CopyEnds {
  const std::uint64_t* keys;
  std::size_t count;
  std::uint64_t* ends;
  GROVE_HD void operator()(std::size_t i) const { ends[i] = keys[i == 0 ? 0 : count - 1]; }
};

/// The smallest and the largest key of several classes, but for their last digit.
struct FindEndsOfClasses {
  const std::uint64_t* keys;
  std::array<std::uint32_t, most_type_classes + 1> class_begin;
  int class_count;
  std::uint64_t* ends;
  GROVE_HD void operator()(std::size_t i) const {
    std::uint64_t end = i == 0 ? ~std::uint64_t{0} : 0;
    for (int c = 0; c < class_count; ++c) {
      if (class_begin[c] == class_begin[c + 1]) continue;
      const std::uint64_t key = key_without_class(keys[i == 0 ? class_begin[c] : class_begin[c + 1] - 1]);
      end = i == 0 ? smaller(end, key) : larger(end, key);
    }
    ends[i] = end;
  }
};

/// A tree has a new one in its place when the box around all particles is this many times as long as the cube of the keys, which held all
/// of them when it was built.
constexpr double largest_extent = 8;

/// Where a new tree finds that the box around all particles has grown by more than this (1.6 to 2.5 while a cube is kept: Frame::extent),
/// accelerations may have fallen by more than its square: a tolerance of the last ones would allow so much larger errors.
constexpr double most_growth_of_box = 2;

}  // namespace

template <class Space>
void TreeSolver<Space>::prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) {
  const double ahead_drift = std::exchange(ahead_drift_, 0);
  if (ahead_drift != 0 && ahead_drift == drift) return;
  if (particles.has_acceleration && life_.goes_on(drift) && prepare_with_same_tree(particles, clock)) {
    particles.has_acceleration = false;  // until forces() has set them anew
    return;
  }
  // Somebody has not done what was announced.
  if (std::exchange(has_magnitudes_, false) || ahead_drift != 0) forget_work(particles);
  if (particles.has_acceleration && prepare_for(law_, particles, clock, drift, false)) {
    particles.has_acceleration = false;  // their memory was lent
    return;
  }
  particles.has_acceleration = false;
  if (law_.needs_acceleration()) {
    prepare_for(law_.without_acceleration(), particles, clock, 0, true);
    forces(particles, nullptr, clock, {});
    // The trees of others are several times larger by that law than in all later steps: their memory is not kept.
    essential_.release();
    tree_exchange_.release();
    if (comm_.size() > 1) space_.arena().forget_largest_use();
  }
  prepare_for(law_, particles, clock, drift, false);
  particles.has_acceleration = false;  // their memory was lent
}

/// Where the walk itself looks at the box, moments are all that is to be done.
template <class Space>
void TreeSolver<Space>::prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) {
  if (!particles.has_acceleration || !life_.goes_on(drift) || !walk_looks_at_box()) return;
  find_moments_of_same_tree(particles, clock);
  particles.has_acceleration = false;
  ahead_drift_ = drift;
}

template <class Space>
bool TreeSolver<Space>::prepare_for(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock, double drift,
                                    bool is_temporary) {
  clock.begin("keys");
  // Without accelerations the particles are those of a new run.
  const bool is_new_run = !particles.has_acceleration;
  is_new_run ? life_.forget() : life_.end();
  // What the step before had to take twice, later steps have room for.
  if (tree_exchange_.has_moved_own_tree()) space_.arena().forget_largest_use();
  space_.arena().begin_step();
  int planned = life_.planned(drift);
  const double extent_before = frame_.extent;
  frame_ = find_frame(space_, comm_, particles, is_new_run ? Frame{} : frame_, 0.5 * (planned - 1) * drift);
  // Outliers are found by where they are: their trees serve one step.
  if (frame_.has_outliers) planned = 1;
  if (!frame_.is_finite) throw PositionsNotFinite();
  require_extent(frame_.extent);
  // No frame is known before the first one of a run that goes on with another number of ranks: its accelerations are those of its state.
  const bool has_grown = extent_before > 0 && frame_.extent > most_growth_of_box * extent_before;
  if (!is_new_run && law.needs_acceleration() && has_grown) return false;
  set_scale(law);
  require_softening(law.classes(), scaled_law_, frame_.extent);
  if (comm_.size() > 1) {
    clock.begin("exchange");
    particle_exchange_.run(frame_, particles);
    if (!is_temporary) make_room_for_others(particles);
  }
  const View<const float> last_acceleration = build_own_tree(particles, clock);
  choose_form(law);
  if (drift != 0 && !frame_.has_outliers) begin_life(planned, drift, particles);
  find_moments(particles, last_acceleration, clock);
  describe_domains(particles, clock);
  send_trees(particles, clock, is_temporary);
  return true;
}

/// For a tree that serves one more step: its cells have the same particles, at other positions. Returns whether it still can, as far as it
/// is not the walk that finds out.
template <class Space>
bool TreeSolver<Space>::prepare_with_same_tree(Particles<Space>& particles, PhaseClock<Space>& clock) {
  find_moments_of_same_tree(particles, clock);
  describe_domains(particles, clock);
  if (!walk_looks_at_box() && !have_short_boxes()) {
    forget_work(particles);
    return false;
  }
  send_trees(particles, clock, false);
  return true;
}

template <class Space>
void TreeSolver<Space>::forget_work(Particles<Space>& particles) {
  space_.for_each(particles.size(), ForgetWork{particles.work.data()});
}

template <class Space>
void TreeSolver<Space>::find_moments_of_same_tree(Particles<Space>& particles, PhaseClock<Space>& clock) {
  life_.serve();
  const bool has_too_little_room = tree_exchange_.has_moved_own_tree();
  if (has_too_little_room) space_.arena().forget_largest_use();
  if (space_.arena().step() != tree_step_ || has_too_little_room) {
    clock.begin("tree");
    link_again(particles);
  }
  walker_->set_longest_box(walk_looks_at_box() ? LongestBox{longest_extent(), frame_.scale.length} : LongestBox{});
  const MagnitudesAhead to{law_.measure(frame_.scale, frame_.mass), lent_for_magnitudes(particles)};
  if (std::exchange(has_magnitudes_, false))
    find_moments(particles, View<const float>{to.magnitude, particles.size()}, clock);
  else
    find_moments(particles, {particles.acceleration.data(), to.measure, to.magnitude}, clock);
}

template <class Space>
MagnitudesAhead TreeSolver<Space>::magnitudes_ahead(Particles<Space>& particles, double drift) {
  if (!particles.has_acceleration || !life_.goes_on(drift)) return {};
  has_magnitudes_ = true;
  return {law_.measure(frame_.scale, frame_.mass), lent_for_magnitudes(particles)};
}

template <class Space>
double TreeSolver<Space>::longest_extent() const {
  return largest_extent * frame_.cube.edge;
}

/// Of the own tree and of those of all other ranks. A particle that was thrown out of its cell, or is nowhere: FP32 offsets could not tell
/// the others of its group apart.
template <class Space>
bool TreeSolver<Space>::have_short_boxes() {
  if (comm_.size() > 1) return extent_of(domains_.summaries(), frame_.scale) <= longest_extent();
  CellGeometry root{};
  if (tree_.cell_count() > 0) space_.copy_to_host(&root, tree_.geometry.data(), sizeof(root));
  return LongestBox{longest_extent(), frame_.scale.length}.holds(root);
}

/// Where something else, a snapshot say, has used the memory of the tree, where the trees of others had no room behind it, and in a run
/// that goes on.
template <class Space>
void TreeSolver<Space>::link_again(Particles<Space>& particles) {
  space_.arena().begin_step();
  if (comm_.size() > 1) make_room_for_others(particles);
  tree_step_ = space_.arena().step();
  rebuild_tree<Space>(space_, particles.tree_level.view(), tree_);
  set_targets(particles);
}

/// Of a tree that is new. Collective.
template <class Space>
void TreeSolver<Space>::begin_life(int planned, double drift, const Particles<Space>& particles) {
  if (life_.asks_for_motion(planned)) {
    GroupMotion motion;
    for (const GroupMotion& of_rank : comm_.all_gather(motion_in_groups<Space>(space_, walker_->group_start(), particles, frame_.lead)))
      motion += of_rank;
    life_.learn(motion);
  }
  // Particles may have become faster since the tree before. A life that is cut short for it does not end as it began: that is rare.
  life_.begin(std::min(planned, life_.planned(drift)), drift);
}

/// Makes the frame's scale fit the law, and sets the laws in that scale.
template <class Space>
void TreeSolver<Space>::set_scale(const GravityLaw& law) {
  frame_.scale = law.fitting(frame_.scale);
  set_laws(law, law.expansion_form());
}

/// Sets the laws in the frame's scale, with expansions of that form.
template <class Space>
void TreeSolver<Space>::set_laws(const GravityLaw& law, ExpansionForm form) {
  const int classes = law.classes().count();
  for (int c = 0; c < classes; ++c) scaled_laws_[static_cast<std::size_t>(c)] = law.at(frame_.scale, c, form);
  scaled_law_ = scaled_laws_.back();
}

/// Chooses the form of expansions for a tree that is new, the same on all ranks. Collective.
template <class Space>
void TreeSolver<Space>::choose_form(const GravityLaw& law) {
  const auto form_for = [&](double side) { return walker_->form_for_cells(law, side); };
  tree_.form = form_for(0);
  if (form_for(std::numeric_limits<double>::infinity()) == tree_.form) return;
  std::array<std::uint64_t, std::tuple_size_v<LevelOffsets>> cells{};  // before each level
  for (const LevelOffsets& of_rank : comm_.all_gather(tree_.level_offset))
    for (std::size_t l = 0; l < cells.size(); ++l) cells[l] += of_rank[l];
  // The level below which there is one cell of a hundred, or less. With several classes the first level of keys is the class.
  int level = tree_.class_count > 1 ? -1 : 0;
  for (std::size_t l = 1; l < cells.size() && 100 * (cells.back() - cells[l]) > cells.back(); ++l) ++level;
  tree_.form = form_for(std::ldexp(frame_.cube.edge, -level));
  set_laws(law, tree_.form);
}

/// Trees that join the own one need memory behind it. To move what is there to larger memory would take both for a moment.
template <class Space>
void TreeSolver<Space>::make_room_for_others(Particles<Space>& particles) {
  tree_exchange_.connect();
  if (!tree_exchange_.can_join()) return;
  // Before the first ones have come: others send a few per cent.
  const std::size_t first_guess = particles.size() / 64 + 1024;
  if (tree_.room == 0) tree_.room = first_guess;
  const std::size_t others = tree_exchange_.expected_particles() > 0 ? tree_exchange_.expected_particles() : first_guess;
  // Both: the sort exchanges their memory.
  for (const std::size_t array : {position_array, acceleration_array}) particles.array(array).reserve_keep(particles.size() + others);
}

/// Sorts the particles; builds links and targets. Returns the magnitudes of the last accelerations, as sort_particles() does.
template <class Space>
View<const float> TreeSolver<Space>::build_own_tree(Particles<Space>& particles, PhaseClock<Space>& clock) {
  clock.begin("keys");
  View<const float> last_acceleration;
  {
    Scratch<Space, std::uint64_t> keys(space_, particles.size());
    last_acceleration = sort(particles, keys, clock);
    clock.begin("tree");
    tree_step_ = space_.arena().step();
    build_tree<Space>(space_, keys, tree_, particles.tree_level.view());
    if (comm_.size() > 1) keep_end_keys(keys);
    walker_->choose_groups(tree_, keys, particles);
  }
  walker_->set_longest_box({});
  set_targets(particles);
  return last_acceleration;
}

template <class Space>
void TreeSolver<Space>::set_targets(const Particles<Space>& particles) {
  // Without outliers, targets follow from the tree and the particles' tree_level, however often it is linked again.
  walker_->set_targets(tree_, frame_.has_outliers ? Outliers{particles.position.data(), frame_.cube} : Outliers{}, particles);
}

/// What each force evaluation finds anew.
template <class Space>
void TreeSolver<Space>::find_moments(const Particles<Space>& particles, const LastAccelerations& last_acceleration,
                                     PhaseClock<Space>& clock) {
  const LeastInGroups groups = walker_->begin_forces(last_acceleration);
  clock.begin("moments");
  compute_moments<Space>(space_, particles.position.view(), last_acceleration, frame_.scale, tree_, groups);
}

/// Sets `keys` and sorts them, and the particles by them. Returns the magnitudes of their last accelerations, as sort_particles() does.
template <class Space>
View<const float> TreeSolver<Space>::sort(Particles<Space>& particles, View<std::uint64_t> keys, PhaseClock<Space>& clock) {
  const KeyRule rule{frame_.cube, tree_.class_count, law_.classes().of_type, frame_.lead};
  const SortInput<Space> input(space_, particles, rule, law_.measure(frame_.scale, frame_.mass), keys);
  clock.begin("sort");
  return sort_particles<Space>(space_, input, particles);
}

/// Others must know the smallest and the largest key, but not before the tree has its moments.
template <class Space>
void TreeSolver<Space>::keep_end_keys(View<const std::uint64_t> keys) {
  end_keys_.resize_discard(keys.empty() ? 0 : 2);
  if (keys.empty()) return;
  if (tree_.class_count == 1)
    space_.for_each(2, CopyEnds{keys.data, keys.size, end_keys_.data()});
  else
    space_.for_each(2, FindEndsOfClasses{keys.data, tree_.class_begin, tree_.class_count, end_keys_.data()});
}

/// Ranks tell each other where their targets are.
template <class Space>
void TreeSolver<Space>::describe_domains(const Particles<Space>& particles, PhaseClock<Space>& clock) {
  if (comm_.size() == 1) return;
  clock.begin("essential trees");
  domains_.run(comm_, describe_domain<Space>(space_, tree_, end_keys_.view(), particles.position.view(), frame_.cube, frame_.scale),
               frame_.scale);
}

/// Sends the other ranks what they need of the own tree, if there are any.
template <class Space>
void TreeSolver<Space>::send_trees(Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary) {
  has_other_trees_ = false;
  if (comm_.size() == 1) return;
  std::vector<KeyRange> ranges;
  for (const DomainSummary& summary : domains_.summaries()) ranges.push_back(summary.keys);
  enlarge_cut_cells<Space>(space_, ranges, static_cast<std::size_t>(comm_.rank()), tree_);
  essential_.select(space_, scaled_law_, tree_, particles.position.view(), domains_.boxes());
  tree_exchange_.begin(essential_, tree_, particles.array(position_array), is_temporary);
  clock.begin("tree exchange");
  // On the GPU the walk of the own tree runs while this thread sends; on the CPU it keeps this thread busy, so messages leave first.
  if (!Space::on_gpu || tree_exchange_.joins_own_tree()) tree_exchange_.send();
}

template <class Space>
std::string TreeSolver<Space>::transport_description() {
  tree_exchange_.connect();
  return tree_exchange_.description();
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
