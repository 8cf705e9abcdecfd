#include "src/solver/other_trees.hpp"

#include <exception>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Accelerations may become smaller by this factor while essential trees are kept (docs/development/constants.md).
constexpr float factor_of_kept = 0.5F;

constexpr const char *saved_words = "trees.words", *saved_closed = "trees.closed";

}  // namespace

template <class Space>
OtherTrees<Space>::~OtherTrees() {
  if (!std::uncaught_exceptions()) receive();
}

template <class Space>
void OtherTrees<Space>::make_room(Tree<Space>& own, Particles<Space>& particles) {
  if (!exist()) return;
  exchange_.connect();
  if (!exchange_.can_join()) return;
  // Before the first trees have come: others send a few per cent.
  const std::size_t first_guess = particles.size() / 64 + 1024;
  if (own.room == 0) own.room = first_guess;
  const std::size_t others = exchange_.expected_particles() > 0 ? exchange_.expected_particles() : first_guess;
  // Both: the sort exchanges their memory.
  for (const std::size_t array : {position_array, acceleration_array}) particles.array(array).reserve_keep(particles.size() + others);
}

template <class Space>
void OtherTrees<Space>::describe(const OwnTree<Space>& own, const Particles<Space>& particles, const BoxMargin& margin) {
  const Frame& frame = own.frame();
  const DomainDescription domain = describe_domain<Space>(
      space_, own.tree(), own.end_keys(), {particles.position.view(), particles.velocity.data(), particles.tree_level.data()}, frame.cube,
      frame.scale, margin);
  domains_ = exchange_domains(comm_, domain, frame.scale);
}

template <class Space>
void OtherTrees<Space>::enlarge_cut_cells(OwnTree<Space>& own) {
  std::vector<KeyRange> ranges;
  for (const DomainSummary& summary : domains_.summaries) ranges.push_back(summary.keys);
  own.enlarge_cut_cells(ranges);
}

template <class Space>
void OtherTrees<Space>::select(OwnTree<Space>& own, const Particles<Space>& particles, PhaseClock<Space>& clock, double kept_for) {
  if (!exist()) return;
  clock.begin("essential trees");
  is_kept_ = kept_for > 0;
  describe(own, particles, is_kept_ ? BoxMargin{kept_for, factor_of_kept} : BoxMargin{});
  enlarge_cut_cells(own);
  essential_.select(space_, own.laws().largest(), own.tree(), domains_.boxes);
  state_ = State::new_selection;
}

/// After a restart, for a tree that is reused.
template <class Space>
void OtherTrees<Space>::select_as_saved(const OwnTree<Space>& own, const Particles<Space>& particles) {
  is_kept_ = true;
  describe(own, particles, {});
  comm_.agree([&] { essential_.select(space_, own.tree(), domains_.boxes, saved_); });
  saved_.clear();
  state_ = State::new_selection;
}

template <class Space>
void OtherTrees<Space>::send(OwnTree<Space>& own, Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary) {
  have_arrived_ = false;
  if (!exist()) return;
  clock.begin("essential trees");
  may_lack_cells_ = state_ != State::new_selection;
  if (state_ == State::restored) select_as_saved(own, particles);
  enlarge_cut_cells(own);
  essential_.write(space_, own.tree(), particles.position.view(), exchange_.room_for(essential_, is_temporary));
  ParticleArray<Space>& positions = particles.array(position_array);
  if (state_ == State::new_selection)
    exchange_.begin(essential_, own.tree(), positions);
  else
    exchange_.begin_again(essential_, own.tree(), positions);
  state_ = State::sent;
  clock.begin("tree exchange");
  // On a GPU the walk of the own tree runs while this thread sends; on the CPU it keeps this thread busy, so messages leave first.
  if (!Space::on_gpu || exchange_.joins_own_tree()) exchange_.send();
}

template <class Space>
void OtherTrees<Space>::release() {
  exchange_.release();
  if (exist()) space_.arena().forget_largest_use();
}

template <class Space>
void OtherTrees<Space>::receive() {
  if (!exist() || std::exchange(have_arrived_, true)) return;
  if (Space::on_gpu && !exchange_.joins_own_tree()) exchange_.send();
  exchange_.receive();
  exchange_.finish();
}

template <class Space>
void OtherTrees<Space>::save(SavedState& state) const {
  if (!exist() || !is_kept_) return;
  const SavedState::Counts own = state_ == State::restored ? saved_ : essential_.closed_cells(space_);
  state.put(saved_words, comm_.all_gather(std::uint64_t{own.size()}));
  state.put(saved_closed, comm_.all_gather_vectors(std::span<const std::uint64_t>(own)));
}

template <class Space>
void OtherTrees<Space>::restore(const SavedState& state) {
  if (!state.has(saved_closed)) return;
  const SavedState::Counts &words = state.counts(saved_words), &all = state.counts(saved_closed);
  if (words.size() != static_cast<std::size_t>(comm_.size()) || std::accumulate(words.begin(), words.end(), std::uint64_t{0}) != all.size())
    throw DataError(std::string(saved_closed) + ": has a wrong length");
  const std::uint64_t first = std::accumulate(words.begin(), words.begin() + comm_.rank(), std::uint64_t{0});
  const auto own = std::span(all).subspan(first, words[static_cast<std::size_t>(comm_.rank())]);
  saved_.assign(own.begin(), own.end());
  is_kept_ = true;
  state_ = State::restored;
}

template <class Space>
std::string OtherTrees<Space>::transport_description() {
  exchange_.connect();
  return exchange_.description();
}

template class OtherTrees<BackEnd>;

}  // namespace grove
