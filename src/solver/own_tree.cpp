// docs/development/internals.md says what memory each phase takes.
#include "src/solver/own_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/tree/moments.hpp"
#include "kernels/tree/tree_build.hpp"
#include "src/solver/force_solver.hpp"
#include "src/solver/fp32_range.hpp"

namespace grove {

namespace {

using EndKeys = std::array<std::uint64_t, 2>;

/// The smallest and the largest key, those of several classes without their class.
struct FindEndKeys {
  View<const std::uint64_t> keys;
  std::array<std::uint32_t, most_type_classes + 1> class_begin;
  int class_count;
  std::uint64_t* ends;
  GROVE_HD void operator()(std::size_t i) const {
    if (class_count == 1) {
      ends[i] = keys[i == 0 ? 0 : keys.size - 1];
      return;
    }
    std::uint64_t end = i == 0 ? ~std::uint64_t{0} : 0;
    for (int c = 0; c < class_count; ++c) {
      if (class_begin[c] == class_begin[c + 1]) continue;
      const std::uint64_t key = key_without_class(keys[i == 0 ? class_begin[c] : class_begin[c + 1] - 1]);
      end = i == 0 ? smaller(end, key) : larger(end, key);
    }
    ends[i] = end;
  }
};

/// A tree is not reused when the box around all particles is this many times as long as the cube of the keys, which held nearly all of them
/// when it was built.
constexpr double largest_extent = 8;

/// Where a new tree finds that the box around all particles has grown by more than this (1.6 to 2.5 while a cube is kept: Frame::extent),
/// accelerations may have fallen by more than its square: a tolerance of the last ones would allow so much larger errors.
constexpr double most_growth_of_box = 2;

SavedState::Numbers numbers_of(const KeyCube& cube) { return {cube.corner.x, cube.corner.y, cube.corner.z, cube.edge}; }
KeyCube cube_of(const SavedState& state, const char* name) {
  const SavedState::Numbers& c = state.numbers(name, 4);
  return {{c[0], c[1], c[2]}, c[3]};
}

}  // namespace

template <class Space>
OwnTree<Space>::OwnTree(Space& space, const Communicator& comm, const GravityLaw& law, Walker<Space>& walker, TransportWay way)
    : space_(space),
      comm_(comm),
      law_(law),
      walker_(walker),
      laws_(law),
      particle_exchange_(space, comm, way),
      tree_(space, walker.multipole_form()),
      end_keys_(space),
      magnitude_(space) {
  tree_.class_count = law.classes().count();
}

template <class Space>
bool OwnTree<Space>::find_frame(const Particles<Space>& particles, double lead, bool is_new_run) {
  const double extent_before = frame_.extent;
  frame_ = grove::find_frame(space_, comm_, particles, is_new_run ? Frame{} : frame_, lead);
  if (!frame_.is_finite) throw PositionsNotFinite();
  require_extent(frame_.extent);
  // A restart on another number of ranks has no previous frame: its accelerations are those of its state.
  return extent_before > 0 && frame_.extent > most_growth_of_box * extent_before;
}

template <class Space>
void OwnTree<Space>::exchange(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock) {
  frame_.scale = law.fitting(frame_.scale);
  laws_.set(law, frame_, law.expansion_form());
  require_softening(law.classes(), laws_.largest(), frame_.extent);
  if (comm_.size() == 1) return;
  clock.begin("exchange");
  particle_exchange_.run(frame_, particles);
}

template <class Space>
View<const float> OwnTree<Space>::build(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock) {
  if (particles.size() > std::numeric_limits<std::uint32_t>::max())
    throw SystemError("one rank has " + std::to_string(particles.size()) + " particles, and can have fewer than 2^32; use more ranks");
  clock.begin("keys");
  View<const float> last_acceleration;
  {
    Scratch<Space, std::uint64_t> keys(space_, particles.size());
    last_acceleration = sort(particles, keys, clock);
    clock.begin("tree");
    take_memory(particles.size());
    build_tree<Space>(space_, keys, tree_, particles.tree_level.view());
    if (comm_.size() > 1) keep_end_keys(keys);
    if (frame_.has_outliers)
      separate_outliers<Space>(space_, led_positions(particles, frame_.lead), frame_.cube, particles.tree_level.view());
    walker_.choose_groups(tree_, keys, particles);
  }
  walker_.set_targets(tree_, particles);
  choose_form(law);
  return last_acceleration;
}

template <class Space>
void OwnTree<Space>::link_again(const Particles<Space>& particles) {
  take_memory(particles.size());
  rebuild_tree<Space>(space_, particles.tree_level.view(), tree_);
  walker_.set_targets(tree_, particles);
}

template <class Space>
void OwnTree<Space>::find_moments(const Particles<Space>& particles, const LastAccelerations& last_acceleration, PhaseClock<Space>& clock) {
  const LeastInGroups groups = walker_.begin_forces(last_acceleration);
  clock.begin("moments");
  are_cut_cells_enlarged_ = false;
  compute_moments<Space>(space_, particles.position.view(), last_acceleration, frame_.scale, tree_, groups);
}

template <class Space>
void OwnTree<Space>::update_moments(const Particles<Space>& particles, PhaseClock<Space>& clock) {
  if (std::exchange(has_magnitudes_ahead_, false))
    find_moments(particles, View<const float>(magnitude_.view()), clock);
  else
    find_moments(particles, {particles.acceleration.data(), law_.measure(frame_.scale, frame_.mass), magnitude_.data()}, clock);
}

template <class Space>
MagnitudesAhead OwnTree<Space>::magnitudes_ahead() {
  if (!is_in_memory()) return {};
  has_magnitudes_ahead_ = true;
  return {law_.measure(frame_.scale, frame_.mass), magnitude_.data()};
}

template <class Space>
GroupMotion OwnTree<Space>::motion(const Particles<Space>& particles) const {
  GroupMotion motion;
  for (const GroupMotion& of_rank : comm_.all_gather(motion_in_groups<Space>(space_, walker_.group_start(), particles, frame_.lead)))
    motion += of_rank;
  return motion;
}

template <class Space>
TreeBounds OwnTree<Space>::bounds() const {
  const double half = 0.5 * frame_.cube.edge;
  return {frame_.cube.corner + Double3{half, half, half}, 2 * largest_extent * half + half, frame_.scale.length};
}

/// Particles of a cube, and others at this distance from them, are within the bounds.
template <class Space>
bool OwnTree<Space>::can_be_reused() const {
  return frame_.extent <= largest_extent * frame_.cube.edge;
}

template <class Space>
bool OwnTree<Space>::is_within_bounds() const {
  if (tree_.cell_count() == 0) return true;
  CellGeometry root{};
  space_.copy_to_host(&root, tree_.geometry.data(), sizeof(root));
  return bounds().hold(root);
}

template <class Space>
void OwnTree<Space>::enlarge_cut_cells(std::span<const KeyRange> ranges) {
  if (std::exchange(are_cut_cells_enlarged_, true)) return;
  grove::enlarge_cut_cells<Space>(space_, ranges, static_cast<std::size_t>(comm_.rank()), tree_);
}

/// Of the present step. A new tree takes the memory of magnitudes, too, so that no later step needs more.
template <class Space>
void OwnTree<Space>::take_memory(std::size_t particle_count) {
  step_ = space_.arena().step();
  magnitude_.resize_discard(particle_count);
  has_magnitudes_ahead_ = false;
}

/// Sets `keys` and sorts them, and the particles by them. Returns the magnitudes of their last accelerations, as sort_particles() does.
template <class Space>
View<const float> OwnTree<Space>::sort(Particles<Space>& particles, View<std::uint64_t> keys, PhaseClock<Space>& clock) {
  const KeyRule rule{frame_.cube, tree_.class_count, law_.classes().of_type, frame_.lead};
  const SortInput<Space> input(space_, particles, rule, law_.measure(frame_.scale, frame_.mass), keys);
  clock.begin("sort");
  return sort_particles<Space>(space_, input, particles);
}

/// Other ranks must know the smallest and the largest key, but not before the tree has its moments.
template <class Space>
void OwnTree<Space>::keep_end_keys(View<const std::uint64_t> keys) {
  end_keys_.resize_discard(keys.empty() ? 0 : 2);
  space_.for_each(end_keys_.size(), FindEndKeys{keys, tree_.class_begin, tree_.class_count, end_keys_.data()});
}

/// Chooses the form of expansions of a new tree, the same on all ranks.
template <class Space>
void OwnTree<Space>::choose_form(const GravityLaw& law) {
  const auto form_for = [&](double side) { return walker_.form_for_cells(law, side); };
  tree_.form = form_for(0);
  if (form_for(std::numeric_limits<double>::infinity()) == tree_.form) return;
  std::array<std::uint64_t, std::tuple_size_v<LevelOffsets>> cells{};  // before each level
  for (const LevelOffsets& of_rank : comm_.all_gather(tree_.level_offset))
    for (std::size_t l = 0; l < cells.size(); ++l) cells[l] += of_rank[l];
  // The level below which there is one cell of a hundred, or less. With several classes the first level of keys is the class.
  int level = tree_.class_count > 1 ? -1 : 0;
  for (std::size_t l = 1; l < cells.size() && 100 * (cells.back() - cells[l]) > cells.back(); ++l) ++level;
  tree_.form = form_for(std::ldexp(frame_.cube.edge, -level));
  laws_.set(law, frame_, tree_.form);
}

/// The class of each particle type.
template <class Space>
SavedState::Counts OwnTree<Space>::classes_of_types() const {
  const ClassOfType& classes = law_.classes().of_type;
  return {std::begin(classes.of), std::end(classes.of)};
}

template <class Space>
void OwnTree<Space>::save(SavedState& state) const {
  state.put("frame.cube", numbers_of(frame_.cube));
  state.put_number("frame.extent", frame_.extent);
  state.put_count("frame.has_outliers", frame_.has_outliers ? 1 : 0);
  state.put_count("frame.steps_kept", static_cast<std::uint64_t>(frame_.steps_kept));
  state.put_number("frame.mass", frame_.mass);
  state.put_number("frame.common_mass", frame_.common_mass);
  const auto [cuts, expected] = particle_exchange_.state();
  state.put("domains.cube", numbers_of(cuts.cube));
  state.put("domains.expected", expected);
  state.put("domains.splits", cuts.splits);
  state.put("domains.balance", SavedState::Numbers{cuts.threshold, cuts.before_cut});
  state.put_count("domains.is_new", cuts.is_new ? 1 : 0);
  state.put("tree.classes", classes_of_types());
  state.put_count("tree.largest_group", static_cast<std::uint64_t>(walker_.largest_group()));
  state.put_count("tree.is_harmonic", tree_.form.harmonic ? 1 : 0);
  EndKeys ends{};
  if (end_keys_.size() > 0) space_.copy_to_host(ends.data(), end_keys_.data(), sizeof(ends));
  SavedState::Counts keys, begins;
  for (const EndKeys& of_rank : comm_.all_gather(ends)) keys.insert(keys.end(), of_rank.begin(), of_rank.end());
  for (const auto& of_rank : comm_.all_gather(tree_.class_begin)) begins.insert(begins.end(), of_rank.begin(), of_rank.end());
  state.put("tree.end_keys", keys);
  state.put("tree.class_begin", begins);
}

template <class Space>
void OwnTree<Space>::restore_frame(const SavedState& state) {
  frame_.cube = cube_of(state, "frame.cube");
  frame_.extent = state.number("frame.extent");
  frame_.has_outliers = state.count("frame.has_outliers") != 0;
  frame_.steps_kept = static_cast<int>(state.count("frame.steps_kept"));
  frame_.shares.resize(static_cast<std::size_t>(comm_.size()));  // found anew; a frame without any is no previous frame
  const SavedState::Numbers& balance = state.numbers("domains.balance", 2);
  particle_exchange_.restore(
      {{cube_of(state, "domains.cube"), state.counts("domains.splits"), balance[0], balance[1], state.count("domains.is_new") != 0},
       state.counts("domains.expected")});
}

/// The links come with the next force.
template <class Space>
bool OwnTree<Space>::restore(const SavedState& state, std::size_t particle_count) {
  restore_frame(state);
  // Other classes would have other cells, and another size of groups other groups.
  if (state.counts("tree.classes") != classes_of_types()) return false;
  if (state.count("tree.largest_group") != static_cast<std::uint64_t>(walker_.largest_group())) return false;
  frame_.mass = state.number("frame.mass");
  frame_.common_mass = state.number("frame.common_mass");
  frame_.scale = law_.fitting(TreeScale::near(frame_.cube.edge, frame_.mass));
  laws_.set(law_, frame_, law_.expansion_form());
  // The form that its multipoles have, if it is one that this law takes. The multipoles of the method `tree` have one form.
  ExpansionForm saved = law_.expansion_form();
  if (walker_.multipole_form().order == saved.order) {
    saved.harmonic = state.count("tree.is_harmonic") != 0;
    if (saved != law_.expansion_form() && saved != law_.form_for_cells(std::numeric_limits<double>::infinity())) return false;
    tree_.form = saved;
    laws_.set(law_, frame_, saved);
  }
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  const SavedState::Counts &keys = state.counts("tree.end_keys"), &begins = state.counts("tree.class_begin");
  if (keys.size() != 2 * ranks || begins.size() != tree_.class_begin.size() * ranks)
    throw DataError("tree.end_keys or tree.class_begin: has a wrong length");
  std::copy_n(begins.begin() + static_cast<std::ptrdiff_t>(me * tree_.class_begin.size()), tree_.class_begin.size(),
              tree_.class_begin.begin());
  end_keys_.resize_discard(particle_count > 0 && ranks > 1 ? 2 : 0);
  if (end_keys_.size() > 0) space_.copy_from_host(end_keys_.data(), keys.data() + 2 * me, sizeof(EndKeys));
  return true;
}

template class OwnTree<BackEnd>;

}  // namespace grove
