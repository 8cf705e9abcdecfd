// A round works on all arrays of the table at once. Those that leave are packed: for each rank one message, which has its rows array by
// array. Their places are filled with particles from the end, and those that arrive are put behind them.
#include "decomposition/particle_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

/// Bytes that a rank sends in a round, at most. With many ranks less: all of them may send to the same one.
constexpr std::size_t round_bytes = std::size_t{64} << 20, ranks_for_full_rounds = 16;
/// There is room for so many particles more than are expected to leave.
constexpr std::size_t spare_room = 1024;
/// Each array of a message begins at a multiple of this.
constexpr std::size_t array_alignment = 32;

/// An array of the table that travels.
struct TravellingArray {
  std::byte* data;
  std::size_t item_bytes;
  GROVE_HD std::size_t packed_bytes(std::size_t items) const {
    return (item_bytes * items + array_alignment - 1) / array_alignment * array_alignment;
  }
};

/// Whether a particle belongs to another rank.
struct Leaves {
  const Double4* position;
  KeyCube cube;
  std::uint64_t first, end;  ///< keys of this rank
  bool is_last;              ///< no key is too large
  GROVE_HD bool operator()(std::size_t i) const {
    const std::uint64_t key = morton_key(position[i], cube);
    return key < first || (!is_last && key >= end);
  }
};

/// The ranks to which the particles go; places without a particle get a rank that does not exist.
struct FindOwner {
  const Double4* position;
  KeyCube cube;
  const std::uint32_t* index;
  const std::uint32_t* count;
  const std::uint64_t* splits;
  std::uint32_t split_count;
  std::uint64_t* owner;
  std::uint32_t* by_rank;
  GROVE_HD void operator()(std::size_t k) const {
    const bool is_used = k < *count;
    by_rank[k] = is_used ? index[k] : 0;
    // The number of splits that are not above the key.
    owner[k] = is_used ? lower_bound(splits, 0, split_count, morton_key(position[index[k]], cube) + 1) : split_count + 1;
  }
};

/// First of the leaving particles, sorted by owner, that goes to rank r or a later one.
struct FirstOfOwner {
  const std::uint64_t* owner;
  std::uint32_t count;
  std::uint32_t* first;
  GROVE_HD void operator()(std::size_t r) const { first[r] = lower_bound(owner, 0, count, r); }
};

/// Copies an item. Its address is a multiple of each power of two up to array_alignment that divides its size.
GROVE_HD void copy_item(const std::byte* from, std::byte* to, std::size_t bytes) {
  const auto copy_as = [&]<class Word>(Word) {
    for (std::size_t k = 0; k < bytes / sizeof(Word); ++k) reinterpret_cast<Word*>(to)[k] = reinterpret_cast<const Word*>(from)[k];
  };
  if (bytes % sizeof(std::uint64_t) == 0)
    copy_as(std::uint64_t{});
  else if (bytes % sizeof(std::uint32_t) == 0)
    copy_as(std::uint32_t{});
  else
    copy_as(std::byte{});
}

/// The messages of a round. Their rows have numbers, from rank to rank.
struct PackedRows {
  const TravellingArray* arrays;
  std::uint32_t array_count;
  std::uint32_t rank_count;
  const std::uint64_t* first;  ///< [ranks + 1] first row of each rank
  const std::uint64_t* begin;  ///< [ranks + 1] first byte of each message
  std::byte* bytes;

  GROVE_HD std::byte* item(std::uint32_t array, std::uint64_t row) const {
    const std::uint32_t rank = lower_bound(first, 0, rank_count, row + 1) - 1;
    const std::size_t rows = first[rank + 1] - first[rank];
    std::byte* at = bytes + begin[rank];
    for (std::uint32_t a = 0; a < array; ++a) at += arrays[a].packed_bytes(rows);
    return at + (row - first[rank]) * arrays[array].item_bytes;
  }
};

struct PackRows {
  PackedRows packed;
  std::uint64_t count;
  const std::uint32_t* index;
  GROVE_HD void operator()(std::size_t i) const {
    const auto array = static_cast<std::uint32_t>(i / count);
    const std::uint64_t row = i % count;
    const TravellingArray& from = packed.arrays[array];
    copy_item(from.data + index[row] * from.item_bytes, packed.item(array, row), from.item_bytes);
  }
};

/// Puts the rows behind the first `kept` items.
struct UnpackRows {
  PackedRows packed;
  std::uint64_t count, kept;
  GROVE_HD void operator()(std::size_t i) const {
    const auto array = static_cast<std::uint32_t>(i / count);
    const std::uint64_t row = i % count;
    const TravellingArray& to = packed.arrays[array];
    copy_item(packed.item(array, row), to.data + (kept + row) * to.item_bytes, to.item_bytes);
  }
};

/// Fills the places of leaving particles below `kept` with those that stay from behind it. As many places are free as particles stay there.
struct FillPlaces {
  const TravellingArray* arrays;
  const std::uint32_t* leaving;  ///< [count] ascending
  std::uint32_t count, kept;     ///< particles that leave, and that stay
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

/// What the loops of a round read, brought to the space by one copy.
template <class Space>
class RoundTable {
 public:
  RoundTable(Space& space, const std::vector<TravellingArray>& arrays, const std::vector<std::uint64_t>& first,
             const std::vector<std::uint64_t>& begin)
      : arrays_(arrays.size()), ranks_(first.size() - 1), words_(space, array_words * arrays_ + first.size() + begin.size()) {
    std::vector<std::uint64_t> words(array_words * arrays_);
    std::memcpy(words.data(), arrays.data(), words.size() * sizeof(std::uint64_t));
    words.insert(words.end(), first.begin(), first.end());
    words.insert(words.end(), begin.begin(), begin.end());
    copy_from_host<Space, std::uint64_t>(space, words, words_.view());
  }
  const TravellingArray* arrays() const { return reinterpret_cast<const TravellingArray*>(words_.data()); }
  PackedRows packed(std::byte* bytes) const {
    const std::uint64_t* const first = words_.data() + array_words * arrays_;
    return {arrays(), static_cast<std::uint32_t>(arrays_), static_cast<std::uint32_t>(ranks_), first, first + ranks_ + 1, bytes};
  }

 private:
  static constexpr std::size_t array_words = sizeof(TravellingArray) / sizeof(std::uint64_t);
  std::size_t arrays_, ranks_;
  Scratch<Space, std::uint64_t> words_;
};

}  // namespace

template <class Space>
void ParticleExchange<Space>::run(const Frame& frame, Particles<Space>& particles) {
  if (comm_.size() == 1) return;
  const bool is_new_cut = cuts_.update(frame, particles);
  std::size_t row_bytes = 0;
  for (const TravellingArray& array : travelling_arrays(particles)) row_bytes += array.item_bytes;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::size_t largest = std::max(spare_room, round_bytes / row_bytes / std::max<std::size_t>(1, ranks / ranks_for_full_rounds));
  if (is_new_cut) expected_ = largest;
  while (run_round(frame, std::min(largest, expected_ + spare_room), particles)) expected_ = largest;
  // Memory for a cut, after which many leave, is not kept.
  if (is_new_cut) transport_.release();
}

/// Moves `room` of the particles of each rank, at most. Returns whether some must still leave, on any rank.
template <class Space>
bool ParticleExchange<Space>::run_round(const Frame& frame, std::size_t room, Particles<Space>& particles) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  Scratch<Space, std::uint32_t> ascending(space_, std::min(room, particles.size())), by_rank(space_, ascending.view().size);
  const Leavers leavers = find_leavers(frame, particles.position.view(), ascending.view(), by_rank.view());
  const std::vector<TravellingArray> arrays = travelling_arrays(particles);
  const auto end_of_message = [&](std::uint64_t begin, std::uint64_t rows) {
    for (const TravellingArray& array : arrays) begin += array.packed_bytes(rows);
    return begin;
  };
  Rows leaving = leavers.rows, arriving;
  const bool has_more = leavers.found > leaving.count();
  std::vector<std::uint64_t> sent(ranks);
  leaving.begin.assign(1, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::uint64_t rows = leaving.first[r + 1] - leaving.first[r];
    sent[r] = rows << 1 | (has_more ? 1 : 0);
    leaving.begin.push_back(end_of_message(leaving.begin.back(), rows));
  }
  arriving.first.assign(1, 0);
  arriving.begin.assign(1, 0);
  bool any_has_more = false;
  for (const std::uint64_t received : comm_.all_to_all(sent)) {
    any_has_more = any_has_more || (received & 1) == 1;
    arriving.first.push_back(arriving.first.back() + (received >> 1));
    arriving.begin.push_back(end_of_message(arriving.begin.back(), received >> 1));
  }
  move(leaving, arriving, ascending.data(), by_rank.data(), particles);
  expected_ = 2 * leaving.count();
  return any_has_more;
}

template <class Space>
typename ParticleExchange<Space>::Leavers ParticleExchange<Space>::find_leavers(const Frame& frame, View<const Double4> position,
                                                                                View<std::uint32_t> ascending,
                                                                                View<std::uint32_t> by_rank) {
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  Leavers leavers{{std::vector<std::uint64_t>(ranks + 1, 0), {}}, 0};
  if (position.empty()) return leavers;
  const std::vector<std::uint64_t>& cut = cuts_.splits();
  const Leaves leaves{position.data, frame.cube, me > 0 ? cut[me - 1] : 0, me + 1 < ranks ? cut[me] : 0, me + 1 == ranks};
  Scratch<Space, std::uint64_t> splits(space_, cut.size());
  copy_from_host<Space, std::uint64_t>(space_, cut, splits.view());
  Scratch<Space, std::uint64_t> owner(space_, ascending.size);
  // For the host: the first for each rank, their end, and the number of all.
  Scratch<Space, std::uint32_t> report(space_, ranks + 2);
  std::uint32_t* const count = report.data() + ranks + 1;
  select_first_indices(space_, position.size, leaves, ascending, count);
  space_.for_each(ascending.size, FindOwner{position.data, frame.cube, ascending.data, count, splits.data(),
                                            static_cast<std::uint32_t>(cut.size()), owner.data(), by_rank.data});
  // On two ranks all go to the other one.
  if (ranks > 2) space_.sort_pairs(owner, by_rank, static_cast<int>(std::bit_width(ranks)));
  space_.for_each(ranks + 1, FirstOfOwner{owner.data(), static_cast<std::uint32_t>(ascending.size), report.data()});
  std::vector<std::uint32_t> seen(ranks + 2);
  copy_to_host<Space, std::uint32_t>(space_, report.view(), seen);
  leavers.rows.first.assign(seen.begin(), seen.end() - 1);
  leavers.found = seen.back();
  return leavers;
}

template <class Space>
void ParticleExchange<Space>::move(const Rows& leaving, const Rows& arriving, const std::uint32_t* ascending, const std::uint32_t* by_rank,
                                   Particles<Space>& particles) {
  const std::uint64_t sent = leaving.count(), received = arriving.count(), kept = particles.size() - sent;
  Scratch<Space, std::byte> outgoing(space_, leaving.bytes()), incoming(space_, arriving.bytes());
  if (sent > 0) {
    const std::vector<TravellingArray> arrays = travelling_arrays(particles);
    const RoundTable<Space> table(space_, arrays, leaving.first, leaving.begin);
    space_.for_each(sent * arrays.size(), PackRows{table.packed(outgoing.data()), sent, by_rank});
    space_.for_each(sent * arrays.size(),
                    FillPlaces{table.arrays(), ascending, static_cast<std::uint32_t>(sent), static_cast<std::uint32_t>(kept)});
  }
  transport_.begin(Tag::particles);
  for (int r = 0; r < comm_.size(); ++r) {
    const auto message = [r](const Rows& rows, std::byte* bytes) {
      const auto k = static_cast<std::size_t>(r);
      return View<std::byte>{bytes + rows.begin[k], rows.begin[k + 1] - rows.begin[k]};
    };
    const View<std::byte> to = message(leaving, outgoing.data()), from = message(arriving, incoming.data());
    if (to.size > 0) transport_.send({to.data, to.size}, r);
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
    const std::vector<TravellingArray> arrays = travelling_arrays(particles);
    const RoundTable<Space> table(space_, arrays, arriving.first, arriving.begin);
    space_.for_each(received * arrays.size(), UnpackRows{table.packed(incoming.data()), received, kept});
  }
  transport_.finish();
}

template class ParticleExchange<BackEnd>;

}  // namespace grove
