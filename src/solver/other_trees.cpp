#include "src/solver/other_trees.hpp"

#include <vector>

namespace grove {

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
void OtherTrees<Space>::describe(const OwnTree<Space>& own, const Particles<Space>& particles, PhaseClock<Space>& clock) {
  if (!exist()) return;
  clock.begin("essential trees");
  const Frame& frame = own.frame();
  domains_ = exchange_domains(
      comm_, describe_domain<Space>(space_, own.tree(), own.end_keys(), particles.position.view(), frame.cube, frame.scale), frame.scale);
}

template <class Space>
void OtherTrees<Space>::send(OwnTree<Space>& own, Particles<Space>& particles, PhaseClock<Space>& clock, bool is_temporary) {
  have_arrived_ = false;
  if (!exist()) return;
  std::vector<KeyRange> ranges;
  for (const DomainSummary& summary : domains_.summaries) ranges.push_back(summary.keys);
  enlarge_cut_cells<Space>(space_, ranges, static_cast<std::size_t>(comm_.rank()), own.tree());
  essential_.select(space_, own.laws().largest(), own.tree(), particles.position.view(), domains_.boxes);
  exchange_.begin(essential_, own.tree(), particles.array(position_array), is_temporary);
  clock.begin("tree exchange");
  // On the GPU the walk of the own tree runs while this thread sends; on the CPU it keeps this thread busy, so messages leave first.
  if (!Space::on_gpu || exchange_.joins_own_tree()) exchange_.send();
}

template <class Space>
void OtherTrees<Space>::release() {
  essential_.release();
  exchange_.release();
  if (exist()) space_.arena().forget_largest_use();
}

template <class Space>
void OtherTrees<Space>::receive_all() {
  if (!have_arrived_) exchange_.receive_all();
  finish();
}

template <class Space>
void OtherTrees<Space>::send_during_walk() {
  if (Space::on_gpu && !have_arrived_) exchange_.send();
}

template <class Space>
void OtherTrees<Space>::receive(int batch) {
  if (!have_arrived_) exchange_.receive(batch);
}

template <class Space>
void OtherTrees<Space>::finish() {
  if (!have_arrived_) exchange_.finish();
  have_arrived_ = true;
}

template <class Space>
std::string OtherTrees<Space>::transport_description() {
  exchange_.connect();
  return exchange_.description();
}

template class OtherTrees<BackEnd>;

}  // namespace grove
