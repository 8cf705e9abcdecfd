#include "decomposition/domain/order_by_id.hpp"

#include <algorithm>
#include <stdexcept>

#include "decomposition/domain/key_splits.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/particles/particle_sort.hpp"
#include "kernels/space/search.hpp"

namespace grove {

namespace {

/// Bytes of the particles that a rank gets in a round. On the CPU most of them stay in the cache.
template <class Space>
constexpr std::size_t round_bytes = std::size_t{Space::on_gpu ? 32 : 8} << 20;
constexpr int id_bits = 64;

struct CountBelow {
  const std::uint64_t* sorted;
  std::uint32_t size;
  const std::uint64_t* id;
  std::uint64_t* below;
  GROVE_HD void operator()(std::size_t i) const { below[i] = lower_bound(sorted, 0, size, id[i]); }
};

/// The run of item `i`. `first` [runs + 1].
GROVE_HD inline std::uint32_t run_of(const std::uint64_t* first, std::uint32_t runs, std::uint64_t i) {
  return lower_bound(first, 0, runs, i + 1) - 1;
}

/// Number of rows of each run before each round: [runs][rounds + 1].
struct CountBeforeRound {
  const std::uint64_t* id;
  const std::uint64_t* first;  ///< [runs + 1] first id of each run
  std::uint32_t runs;
  const std::uint32_t* next;
  std::uint64_t rows, rounds;
  std::uint64_t* before;

  GROVE_HD void operator()(std::size_t k) const {
    const auto run = static_cast<std::uint32_t>(k / (rounds + 1));
    const std::uint64_t size = first[runs], row = k % (rounds + 1) * rows;
    before[k] = (row < size ? end_before(run, next[row]) : first[run + 1]) - first[run];
  }
  /// The end of the ids of a run that come before id number `i`: equal ids keep the order of the runs.
  GROVE_HD std::uint64_t end_before(std::uint32_t run, std::uint32_t i) const {
    const std::uint32_t own = run_of(first, runs, i);
    if (run == own) return i;
    const auto begin = static_cast<std::uint32_t>(first[run]), end = static_cast<std::uint32_t>(first[run + 1]);
    if (run > own) return lower_bound(id, begin, end, id[i]);
    return id[i] == ~std::uint64_t{0} ? end : lower_bound(id, begin, end, id[i] + 1);
  }
};

/// The particles that leave in a round: row r for a rank is sorted particle r + shift of that rank.
struct IndexOfRow {
  const std::uint64_t *first, *shift;  ///< [ranks + 1], [ranks]
  std::uint32_t ranks;
  const std::uint32_t* order;
  std::uint32_t* index;
  GROVE_HD void operator()(std::size_t r) const { index[r] = order[r + shift[run_of(first, ranks, r)]]; }
};

/// The rows that arrive in a round, in the order of ids: id i of a run is row i + shift of that run.
struct RowOfNext {
  const std::uint64_t *first, *shift;  ///< [runs + 1], [runs]
  std::uint32_t runs;
  const std::uint32_t* next;
  std::uint32_t* row;
  GROVE_HD void operator()(std::size_t i) const { row[i] = static_cast<std::uint32_t>(next[i] + shift[run_of(first, runs, next[i])]); }
};

template <class Space>
std::vector<TravellingArray> arrays_in(const Particles<Space>& particles, std::span<const std::size_t> numbers) {
  std::vector<TravellingArray> arrays;
  for (const std::size_t number : numbers) arrays.push_back({particles.array(number).data(), particles.array(number).item_bytes()});
  return arrays;
}

/// A copy of words of the host in memory of the space.
template <class Space>
class Words {
 public:
  Words(Space& space, std::span<const std::uint64_t> words) : words_(space, words.size()) {
    copy_from_host<Space, std::uint64_t>(space, words, words_.view());
  }
  const std::uint64_t* data() const { return words_.data(); }

 private:
  Scratch<Space, std::uint64_t> words_;
};

}  // namespace

template <class Space>
OrderById<Space>::OrderById(Space& space, const Communicator& comm, Transport<Space>& transport, const Particles<Space>& particles)
    : space_(space),
      comm_(comm),
      transport_(transport),
      particles_(particles),
      ids_(space),
      order_(space),
      runs_(space),
      next_(space),
      items_(space),
      outgoing_(space),
      incoming_(space) {
  space.arena().begin_step();
  std::size_t row_bytes = 0;
  for (const FieldArray& array : particles.table()->arrays()) row_bytes += array.item_bytes;
  rows_per_round_ = round_bytes<Space> / row_bytes;

  const std::size_t n = particles.size();
  ids_.resize_discard(n);
  order_.resize_discard(n);
  space.copy(ids_.data(), particles.id.data(), n * sizeof(std::uint64_t));
  sort_keys<Space>(space, ids_.view(), order_.view(), id_bits);
  if (ranks() > 1) {
    find_runs();
    exchange_ids();
    merge_runs();
  }
  count_ = ranks() > 1 ? from_.back() : n;
  rounds_ = comm.max((count_ + rows_per_round_ - 1) / rows_per_round_);
  items_.resize_discard(message_bytes(std::min(count_, rows_per_round_), 1));
  if (ranks() > 1) share_bounds();
}

/// Number of ids of this rank below each of `ids`.
template <class Space>
typename OrderById<Space>::Counts OrderById<Space>::count_below(std::span<const std::uint64_t> ids) {
  Counts below(ids.size(), 0);
  const Words<Space> wanted(space_, ids);
  Scratch<Space, std::uint64_t> counts(space_, ids.size());
  space_.for_each(ids.size(), CountBelow{ids_.data(), static_cast<std::uint32_t>(ids_.size()), wanted.data(), counts.data()});
  copy_to_host<Space, std::uint64_t>(space_, counts.view(), below);
  return below;
}

template <class Space>
void OrderById<Space>::find_runs() {
  const auto weight_below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> below) {
    std::ranges::copy(count_below(candidates), below.begin());
  };
  to_ = count_below(find_key_splits(comm_, ranks(), weight_below, ids_.size(), 0.0));
  to_.insert(to_.begin(), 0);
  to_.push_back(ids_.size());
  Counts counts(ranks());
  for (std::size_t r = 0; r < ranks(); ++r) counts[r] = to_[r + 1] - to_[r];
  counts = comm_.all_to_all(counts);
  from_.assign(1, 0);
  for (const std::uint64_t count : counts) from_.push_back(from_.back() + count);
}

template <class Space>
void OrderById<Space>::exchange_ids() {
  runs_.resize_discard(from_.back());
  const auto self = static_cast<std::size_t>(comm_.rank());
  space_.copy(runs_.data() + from_[self], ids_.data() + to_[self], (to_[self + 1] - to_[self]) * sizeof(std::uint64_t));
  std::uint64_t longest = 0;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (r != self) longest = std::max(longest, to_[r + 1] - to_[r]);
  longest = comm_.max(longest);
  const std::uint64_t at_once = std::max<std::uint64_t>(1, round_bytes<Space> / sizeof(std::uint64_t) / ranks());
  for (std::uint64_t at = 0; at < longest; at += at_once) {
    const auto part = [&](const Counts& first, std::uint64_t* ids, std::size_t r) {
      const std::uint64_t begin = std::min(first[r] + at, first[r + 1]), end = std::min(begin + at_once, first[r + 1]);
      return bytes_of(View<std::uint64_t>{ids + begin, end - begin});
    };
    transport_.begin(Tag::particles);
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (r == self) continue;
      const View<std::byte> to = part(to_, ids_.data(), r), from = part(from_, runs_.data(), r);
      if (to.size > 0) transport_.send(to, static_cast<int>(r));
      if (from.size > 0) transport_.receive(from, static_cast<int>(r));
    }
    transport_.start();
    transport_.dispatch();
    transport_.arrive(0, transport_.receive_count());
    transport_.finish();
  }
}

template <class Space>
void OrderById<Space>::merge_runs() {
  next_.resize_discard(runs_.size());
  Scratch<Space, std::uint64_t> sorted(space_, runs_.size());
  space_.copy(sorted.data(), runs_.data(), runs_.size() * sizeof(std::uint64_t));
  sort_keys<Space>(space_, sorted, next_.view(), id_bits);
}

/// Each rank tells the others which part of their runs it needs in each round.
template <class Space>
void OrderById<Space>::share_bounds() {
  received_before_.resize(ranks() * (rounds_ + 1));
  Scratch<Space, std::uint64_t> before(space_, received_before_.size());
  const Words<Space> first(space_, from_);
  space_.for_each(received_before_.size(), CountBeforeRound{runs_.data(), first.data(), static_cast<std::uint32_t>(ranks()), next_.data(),
                                                            rows_per_round_, rounds_, before.data()});
  copy_to_host<Space, std::uint64_t>(space_, before.view(), received_before_);
  sent_before_ = comm_.all_to_all(received_before_);
  std::size_t largest = 0;
  for (std::size_t round = 0; round < rounds_; ++round) {
    std::size_t leaving = 0;
    for (std::size_t k = round; k < sent_before_.size(); k += rounds_ + 1) leaving += sent_before_[k + 1] - sent_before_[k];
    largest = std::max(largest, leaving);
  }
  outgoing_.resize_discard(message_bytes(largest, ranks()));
  incoming_.resize_discard(message_bytes(std::min(count_, rows_per_round_), ranks()));
}

/// Room for `rows` of all arrays in `messages` messages.
template <class Space>
std::size_t OrderById<Space>::message_bytes(std::size_t rows, std::size_t messages) const {
  std::size_t bytes = 0;
  for (const FieldArray& array : particles_.table()->arrays()) bytes += array.item_bytes * rows + messages * array_alignment;
  return bytes;
}

template <class Space>
std::size_t OrderById<Space>::first_of(std::size_t round) const {
  return std::min(round * rows_per_round_, count_);
}

template <class Space>
typename OrderById<Space>::Piece OrderById<Space>::bring(std::size_t round, std::span<const std::size_t> arrays,
                                                         std::span<const std::byte*> items) {
  const Piece piece{first_of(round), first_of(round + 1) - first_of(round)};
  const std::vector<TravellingArray> from = arrays_in(particles_, arrays);
  std::vector<TravellingArray> to = from;
  std::byte* end = items_.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    items[i] = to[i].data = end;
    end += to[i].packed_bytes(piece.count);
  }
  if (ranks() == 1) {
    for (std::size_t i = 0; i < to.size(); ++i)
      gather_items<Space>(space_, {order_.data() + piece.first, piece.count}, to[i].item_bytes, from[i].data, to[i].data);
    return piece;
  }
  if (round == 0) send_round(0, from);
  if (round != sent_round_) throw std::logic_error("particles in the order of ids are not asked for piece by piece");
  receive_round(round, to);
  // The next items travel while the caller uses these.
  if (round + 1 < rounds_) send_round(round + 1, from);
  return piece;
}

/// Packs the rows of a round and starts its messages.
template <class Space>
void OrderById<Space>::send_round(std::size_t round, const std::vector<TravellingArray>& arrays) {
  sent_round_ = round;
  // Sorted particle minus row, for each rank.
  Counts to_sorted;
  MessageRows leaving;
  arriving_ = {};
  for (std::size_t r = 0; r < ranks(); ++r) {
    const std::size_t at = r * (rounds_ + 1) + round;
    to_sorted.push_back(to_[r] + sent_before_[at] - leaving.count());
    leaving.add(sent_before_[at + 1] - sent_before_[at], arrays);
    arriving_.add(received_before_[at + 1] - received_before_[at], arrays);
  }
  {
    const Words<Space> first(space_, leaving.first), shift(space_, to_sorted);
    Scratch<Space, std::uint32_t> index(space_, leaving.count());
    space_.for_each(leaving.count(),
                    IndexOfRow{first.data(), shift.data(), static_cast<std::uint32_t>(ranks()), order_.data(), index.data()});
    const PackedTable<Space> table(space_, arrays, leaving);
    space_.for_each(leaving.count() * arrays.size(), PackRows{table.packed(outgoing_.data()), leaving.count(), index.data()});
  }
  transport_.begin(Tag::particles);
  for (int r = 0; r < comm_.size(); ++r) {
    const View<std::byte> out = leaving.message(outgoing_.data(), r), in = arriving_.message(incoming_.data(), r);
    if (r == comm_.rank()) {
      space_.copy(in.data, out.data, in.size);
      continue;
    }
    if (out.size > 0) transport_.send(out, r);
    if (in.size > 0) transport_.receive(in, r);
  }
  transport_.start();
  transport_.dispatch();
}

/// Receives the rows of the round that was sent last, and sorts them.
template <class Space>
void OrderById<Space>::receive_round(std::size_t round, const std::vector<TravellingArray>& arrays) {
  transport_.arrive(0, transport_.receive_count());
  // Row minus id, for each run.
  Counts to_row;
  for (std::size_t r = 0; r < ranks(); ++r) to_row.push_back(arriving_.first[r] - from_[r] - received_before_[r * (rounds_ + 1) + round]);
  const std::uint64_t count = arriving_.count();
  const Words<Space> first(space_, from_), shift(space_, to_row);
  Scratch<Space, std::uint32_t> row(space_, count);
  space_.for_each(count,
                  RowOfNext{first.data(), shift.data(), static_cast<std::uint32_t>(ranks()), next_.data() + first_of(round), row.data()});
  const PackedTable<Space> table(space_, arrays, arriving_);
  space_.for_each(count * arrays.size(), UnpackRows{table.packed(incoming_.data()), count, 0, row.data()});
  transport_.finish();
}

template class OrderById<BackEnd>;

}  // namespace grove
