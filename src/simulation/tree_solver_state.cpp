// What a checkpoint keeps of a TreeSolver: its frame, its domains, and what the tree is made of beside the particles' field tree_level.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/space/error.hpp"
#include "src/simulation/tree_solver.hpp"

namespace grove {

namespace {

using EndKeys = std::array<std::uint64_t, 2>;

}  // namespace

template <class Space>
void TreeSolver<Space>::save(SavedState& state) const {
  const auto numbers_of = [](const KeyCube& cube) { return SavedState::Numbers{cube.corner.x, cube.corner.y, cube.corner.z, cube.edge}; };
  state.put_count("solver.ranks", static_cast<std::uint64_t>(comm_.size()));
  state.put("frame.cube", numbers_of(frame_.cube));
  state.put_number("frame.extent", frame_.extent);
  state.put_count("frame.has_outliers", frame_.has_outliers ? 1 : 0);
  state.put_count("frame.steps_kept", static_cast<std::uint64_t>(frame_.steps_kept));
  const auto [cuts, expected] = particle_exchange_.state();
  state.put("domains.cube", numbers_of(cuts.cube));
  state.put("domains.expected", expected);
  state.put("domains.splits", cuts.splits);
  state.put("domains.balance", SavedState::Numbers{cuts.threshold, cuts.before_cut});
  state.put_count("domains.is_new", cuts.is_new ? 1 : 0);
  save_tree(state);
}

/// The class of each particle type.
template <class Space>
SavedState::Counts TreeSolver<Space>::classes_in_numbers() const {
  const ClassOfType& classes = law_.classes().of_type;
  return {std::begin(classes.of), std::end(classes.of)};
}

/// What the tree is made of beside the particles' field tree_level.
template <class Space>
void TreeSolver<Space>::save_tree(SavedState& state) const {
  life_.save(state);
  state.put("tree.classes", classes_in_numbers());
  state.put_count("tree.largest_group", static_cast<std::uint64_t>(walker_->largest_group()));
  state.put_number("frame.mass", frame_.mass);
  state.put_count("tree.is_harmonic", tree_.form.harmonic ? 1 : 0);
  EndKeys ends{};
  if (end_keys_.size() > 0) space_.copy_to_host(ends.data(), end_keys_.data(), sizeof(ends));
  SavedState::Counts keys, begins;
  for (const EndKeys& of_rank : comm_.all_gather(ends)) keys.insert(keys.end(), of_rank.begin(), of_rank.end());
  for (const auto& of_rank : comm_.all_gather(tree_.class_begin)) begins.insert(begins.end(), of_rank.begin(), of_rank.end());
  state.put("tree.end_keys", keys);
  state.put("tree.class_begin", begins);
}

/// Its memory comes with the next force.
template <class Space>
void TreeSolver<Space>::restore_tree(const SavedState& state, std::size_t particle_count) {
  life_.restore(state);
  if (!life_.lives()) return;
  // Cells of other classes would be other cells.
  if (state.counts("tree.classes") != classes_in_numbers()) return life_.end();
  // So would groups of another size be other groups. A state of before their sizes were saved has none in its levels.
  if (!state.has("tree.largest_group") || state.count("tree.largest_group") != static_cast<std::uint64_t>(walker_->largest_group()))
    return life_.end();
  frame_.mass = state.number("frame.mass");
  frame_.scale = TreeScale::near(frame_.cube.edge, frame_.mass);
  set_scale(law_);
  // The form that its multipoles have, if it is one that this law takes. Those of the walk of `tree` have one form.
  ExpansionForm saved = law_.expansion_form();
  if (walker_->multipole_form().order == saved.order) {
    if (state.has("tree.is_harmonic")) saved.harmonic = state.count("tree.is_harmonic") != 0;
    if (saved != law_.expansion_form() && saved != law_.form_for_cells(std::numeric_limits<double>::infinity())) return life_.end();
    tree_.form = saved;
    set_laws(law_, saved);
  }
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  const SavedState::Counts &keys = state.counts("tree.end_keys"), &begins = state.counts("tree.class_begin");
  if (keys.size() != 2 * ranks || begins.size() != tree_.class_begin.size() * ranks)
    throw DataError("tree.end_keys or tree.class_begin: has a wrong length");
  std::copy_n(begins.begin() + static_cast<std::ptrdiff_t>(me * tree_.class_begin.size()), tree_.class_begin.size(),
              tree_.class_begin.begin());
  end_keys_.resize_discard(particle_count > 0 && ranks > 1 ? 2 : 0);
  if (end_keys_.size() > 0) space_.copy_from_host(end_keys_.data(), keys.data() + 2 * me, sizeof(EndKeys));
}

template <class Space>
void TreeSolver<Space>::restore(const SavedState& state, const Particles<Space>& particles) {
  life_.forget();
  ahead_drift_ = 0;
  has_magnitudes_ = false;
  tree_step_ = 0;
  if (!state.has("solver.ranks") || state.count("solver.ranks") != static_cast<std::uint64_t>(comm_.size())) return;
  const auto cube_of = [&](const char* name) {
    const SavedState::Numbers& c = state.numbers(name, 4);
    return KeyCube{{c[0], c[1], c[2]}, c[3]};
  };
  frame_ = {};
  frame_.cube = cube_of("frame.cube");
  frame_.extent = state.number("frame.extent");
  frame_.has_outliers = state.count("frame.has_outliers") != 0;
  frame_.steps_kept = static_cast<int>(state.count("frame.steps_kept"));
  frame_.shares.resize(static_cast<std::size_t>(comm_.size()));  // found anew; without any, there would be no frame before
  const SavedState::Numbers& balance = state.numbers("domains.balance", 2);
  particle_exchange_.restore(
      {{cube_of("domains.cube"), state.counts("domains.splits"), balance[0], balance[1], state.count("domains.is_new") != 0},
       state.counts("domains.expected")});
  restore_tree(state, particles.size());
}

template void TreeSolver<BackEnd>::save(SavedState&) const;
template void TreeSolver<BackEnd>::restore(const SavedState&, const Particles<BackEnd>&);

}  // namespace grove
