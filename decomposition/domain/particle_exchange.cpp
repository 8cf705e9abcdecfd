// A round works on all arrays of the table at once. Particles that leave are packed into one message for each rank, array by array. Their
// places are filled with particles from the end, and particles that arrive are appended.
#include "decomposition/domain/particle_exchange.hpp"

#include <algorithm>
#include <bit>

#include "kernels/space/search.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

/// Most bytes that a rank sends in a round. With more ranks it is less, since all may send to the same rank.
constexpr std::size_t exchange_round_bytes = std::size_t{64} << 20, ranks_for_full_rounds = 16;
/// Room for this many particles more than are expected to leave.
constexpr std::size_t spare_room = 1024;

/// Whether a particle belongs to another rank.
struct Leaves {
  ParticleKeys keys;
  std::uint64_t first, end;  ///< range of this rank's keys
  bool is_last;              ///< the last rank: no upper end
  GROVE_HD bool operator()(std::size_t i) const {
    const std::uint64_t key = keys(i);
    return key < first || (!is_last && key >= end);
  }
};

/// Finds the rank to which each particle goes; places without a particle get a rank that does not exist.
struct FindOwner {
  ParticleKeys keys;
  const std::uint32_t* index;
  const std::uint32_t* count;
  const std::uint64_t* splits;
  std::uint32_t split_count;
  std::uint64_t* owner;
  std::uint32_t* by_rank;
  GROVE_HD void operator()(std::size_t k) const {
    const bool is_used = k < *count;
    by_rank[k] = is_used ? index[k] : 0;
    // The number of splits at or below the key.
    owner[k] = is_used ? lower_bound(splits, 0, split_count, keys(index[k]) + 1) : split_count + 1;
  }
};

/// The first leaving particle, in the order of owners, that goes to rank r or a later one.
struct FirstOfOwner {
  const std::uint64_t* owner;
  std::uint32_t count;
  std::uint32_t* first;
  GROVE_HD void operator()(std::size_t r) const { first[r] = lower_bound(owner, 0, count, r); }
};

/// Fills the places of leaving particles below `kept` with the particles at and after `kept` that stay; there are equally many.
struct FillPlaces {
  const TravellingArray* arrays;
  const std::uint32_t* leaving;  ///< [count] ascending
  std::uint32_t count, kept;     ///< particles that leave and that stay
  GROVE_HD void operator()(std::size_t i) const {
    const TravellingArray& array = arrays[i / count];
    const auto k = static_cast<std::uint32_t>(i % count);
    const std::uint32_t from = kept + k, free = lower_bound(leaving, 0, count, kept), next = lower_bound(leaving, 0, count, from);
    if (next < count && leaving[next] == from) return;
    const std::uint32_t to = leaving[k - (next - free)];
    copy_item(array.data + from * array.item_bytes, array.data + to * array.item_bytes, array.item_bytes);
  }
};

template <class Space>
std::vector<TravellingArray> travelling_arrays(Particles<Space>& particles) {
  std::vector<TravellingArray> arrays;
  for (std::size_t a = 0; a < particles.array_count(); ++a)
    if (particles.table()->arrays()[a].travels) arrays.push_back({particles.array(a).data(), particles.array(a).item_bytes()});
  return arrays;
}

}  // namespace

template <class Space>
void ParticleExchange<Space>::run(const Frame& frame, Particles<Space>& particles) {
  if (comm_.size() == 1) return;
  const bool is_new_cut = cuts_.update(frame, particles);
  std::size_t row_bytes = 0;
  for (const TravellingArray& array : travelling_arrays(particles)) row_bytes += array.item_bytes;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::size_t largest =
      std::max(spare_room, exchange_round_bytes / row_bytes / std::max<std::size_t>(1, ranks / ranks_for_full_rounds));
  if (is_new_cut) expected_ = largest;
  while (run_round(frame, std::min(largest, expected_ + spare_room), particles)) expected_ = largest;
  // Many particles leave after a cut; this memory is not kept.
  if (is_new_cut) transport_.release();
}

/// Moves at most `room` particles of each rank. Returns whether particles must still leave on any rank.
template <class Space>
bool ParticleExchange<Space>::run_round(const Frame& frame, std::size_t room, Particles<Space>& particles) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  Scratch<Space, std::uint32_t> ascending(space_, std::min(room, particles.size())), by_rank(space_, ascending.view().size);
  const Leavers leavers = find_leavers(keys_of(particles, frame.cube, frame.lead), particles.size(), ascending.view(), by_rank.view());
  const std::vector<TravellingArray> arrays = travelling_arrays(particles);
  const bool has_more = leavers.found > leavers.first.back();
  MessageRows leaving, arriving;
  std::vector<std::uint64_t> sent(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::uint64_t rows = leavers.first[r + 1] - leavers.first[r];
    sent[r] = rows << 1 | (has_more ? 1 : 0);
    leaving.add(rows, arrays);
  }
  bool any_has_more = false;
  for (const std::uint64_t received : comm_.all_to_all(sent)) {
    any_has_more = any_has_more || (received & 1) == 1;
    arriving.add(received >> 1, arrays);
  }
  move({leaving, arriving, arrays, ascending.data(), by_rank.data()}, particles);
  expected_ = 2 * leaving.count();
  return any_has_more;
}

template <class Space>
typename ParticleExchange<Space>::Leavers ParticleExchange<Space>::find_leavers(const ParticleKeys& keys, std::size_t particle_count,
                                                                                View<std::uint32_t> ascending,
                                                                                View<std::uint32_t> by_rank) {
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  Leavers leavers{std::vector<std::uint64_t>(ranks + 1, 0), 0};
  if (particle_count == 0) return leavers;
  const std::vector<std::uint64_t>& cut = cuts_.splits();
  const Leaves leaves{keys, me > 0 ? cut[me - 1] : 0, me + 1 < ranks ? cut[me] : 0, me + 1 == ranks};
  Scratch<Space, std::uint64_t> splits(space_, cut.size());
  copy_from_host<Space, std::uint64_t>(space_, cut, splits.view());
  Scratch<Space, std::uint64_t> owner(space_, ascending.size);
  // For the host: the first leaver for each rank, the end, and the number of all leavers.
  Scratch<Space, std::uint32_t> report(space_, ranks + 2);
  std::uint32_t* const count = report.data() + ranks + 1;
  select_first_indices(space_, particle_count, leaves, ascending, count);
  space_.for_each(ascending.size, FindOwner{keys, ascending.data, count, splits.data(), static_cast<std::uint32_t>(cut.size()),
                                            owner.data(), by_rank.data});
  // On two ranks all go to the other rank.
  if (ranks > 2) space_.sort_pairs(owner, by_rank, static_cast<int>(std::bit_width(ranks)));
  space_.for_each(ranks + 1, FirstOfOwner{owner.data(), static_cast<std::uint32_t>(ascending.size), report.data()});
  std::vector<std::uint32_t> seen(ranks + 2);
  copy_to_host<Space, std::uint32_t>(space_, report.view(), seen);
  leavers.first.assign(seen.begin(), seen.end() - 1);
  leavers.found = seen.back();
  return leavers;
}

template <class Space>
void ParticleExchange<Space>::move(const Round& round, Particles<Space>& particles) {
  const auto& [leaving, arriving, arrays, ascending, by_rank] = round;
  const std::uint64_t sent = leaving.count(), received = arriving.count(), kept = particles.size() - sent;
  Scratch<Space, std::byte> outgoing(space_, leaving.bytes()), incoming(space_, arriving.bytes());
  if (sent > 0) {
    const PackedTable<Space> table(space_, arrays, leaving);
    space_.for_each(sent * arrays.size(), PackRows{table.packed(outgoing.data()), sent, by_rank});
    space_.for_each(sent * arrays.size(),
                    FillPlaces{table.arrays(), ascending, static_cast<std::uint32_t>(sent), static_cast<std::uint32_t>(kept)});
  }
  transport_.begin(Tag::particles);
  for (int r = 0; r < comm_.size(); ++r) {
    const View<std::byte> to = leaving.message(outgoing.data(), r), from = arriving.message(incoming.data(), r);
    if (to.size > 0) transport_.send(to, r);
    if (from.size > 0) transport_.receive(from, r);
  }
  transport_.start();
  transport_.dispatch();
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    if (particles.table()->arrays()[a].travels)
      particles.array(a).resize_keep(kept + received);
    else
      particles.array(a).resize_discard(kept + received);
  }
  transport_.arrive(0, transport_.receive_count());
  if (received > 0) {
    // The arrays may have moved.
    const PackedTable<Space> table(space_, travelling_arrays(particles), arriving);
    space_.for_each(received * arrays.size(), UnpackRows{table.packed(incoming.data()), received, kept});
  }
  transport_.finish();
}

template class ParticleExchange<BackEnd>;

}  // namespace grove
