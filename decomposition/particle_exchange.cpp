#include "decomposition/particle_exchange.hpp"

#include <utility>

#include "decomposition/key_splits.hpp"
#include "kernels/particles/gather_items.hpp"

namespace grove {

namespace {

// The weight of a particle is its work plus half the mean work. So a domain of particles without work has at most three times the mean
// number.
constexpr std::uint64_t idle_share = 2;
// Work changes between steps by more than this; a better balance would only cost rounds.
constexpr double balance_tolerance = 0.01;

/// The bytes of an item, rounded up. Any number of such items ends at an address where every array is aligned as gather_items() needs it.
constexpr std::size_t aligned_item(std::size_t bytes) { return (bytes + 31) / 32 * 32; }

struct GatherWork {
  const std::uint32_t* work;
  const std::uint32_t* order;
  std::uint64_t* out;
  std::uint64_t idle;
  GROVE_HD void operator()(std::size_t i) const { out[i] = work[order[i]] + idle; }
};

struct WorkOf {
  const std::uint32_t* work;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return work[i]; }
};
struct AddWork {
  GROVE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// out[i] = prefix[number of keys below candidates[i]]; the number itself without a prefix.
struct BelowCandidate {
  const std::uint64_t* sorted_keys;
  std::uint32_t count;
  const std::uint64_t* candidates;
  const std::uint64_t* prefix;
  std::uint64_t* out;
  GROVE_HD void operator()(std::size_t i) const {
    const std::uint32_t below = lower_bound(sorted_keys, 0, count, candidates[i]);
    out[i] = prefix ? prefix[below] : below;
  }
};

/// Evaluates BelowCandidate for host keys on the space.
template <class Space>
void count_below(Space& space, View<const std::uint64_t> sorted_keys, const std::uint64_t* prefix,
                 std::span<const std::uint64_t> candidates, std::span<std::uint64_t> out) {
  Scratch<Space, std::uint64_t> device_candidates(space, candidates.size());
  Scratch<Space, std::uint64_t> device_out(space, candidates.size());
  copy_from_host(space, candidates, device_candidates.view());
  const auto count = static_cast<std::uint32_t>(sorted_keys.size);
  space.for_each(candidates.size(), BelowCandidate{sorted_keys.data, count, device_candidates.data(), prefix, device_out.data()});
  copy_to_host<Space, std::uint64_t>(space, device_out.view(), out);
}

/// How many particles, in key order, go to each rank.
template <class Space>
std::vector<std::uint64_t> balanced_counts(Space& space, const Communicator& comm, View<const std::uint64_t> sorted_keys,
                                           View<const std::uint32_t> order, const Particles<Space>& particles) {
  const std::size_t n = particles.size();
  const std::uint64_t all_work = comm.sum(space.transform_reduce(n, std::uint64_t{0}, WorkOf{particles.work.data()}, AddWork{}));
  const std::uint64_t idle = std::max<std::uint64_t>(all_work / std::max<std::uint64_t>(comm.sum(std::uint64_t{n}), 1) / idle_share, 1);
  Scratch<Space, std::uint64_t> weight(space, n);
  Scratch<Space, std::uint64_t> prefix(space, n + 1);
  space.for_each(n, GatherWork{particles.work.data(), order.data, weight.data(), idle});
  space.template exclusive_scan<std::uint64_t>(weight.view(), prefix.view());
  std::uint64_t local_weight = 0;
  space.copy_to_host(&local_weight, prefix.data() + n, sizeof(local_weight));

  const auto weight_below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> out) {
    count_below(space, sorted_keys, prefix.data(), candidates, out);
  };
  const std::vector<std::uint64_t> splits = find_key_splits(comm, weight_below, local_weight, balance_tolerance);

  std::vector<std::uint64_t> end(splits.size() + 1, n);
  count_below<Space>(space, sorted_keys, nullptr, splits, std::span(end).first(splits.size()));
  std::vector<std::uint64_t> counts(end.size());
  for (std::size_t r = 0; r < end.size(); ++r) counts[r] = end[r] - (r > 0 ? end[r - 1] : 0);
  return counts;
}

/// Which particles, in key order, stay on this rank, and which go to which other rank.
struct Moves {
  Moves(const Communicator& comm, std::vector<std::uint64_t> counts) : leaving(std::move(counts)) {
    const auto me = static_cast<std::size_t>(comm.rank());
    staying = std::exchange(leaving[me], 0);
    for (std::size_t r = 0; r < leaving.size(); ++r) (r < me ? before : after) += leaving[r];
    arriving = comm.all_to_all(leaving);
    for (const std::uint64_t n : arriving) arriving_total += n;
  }

  std::vector<std::uint64_t> leaving, arriving;    ///< [ranks]
  std::size_t before = 0, staying = 0, after = 0;  ///< those for lower ranks come first, those for higher ranks last
  std::size_t arriving_total = 0;
};

/// Puts the leaving items of an array, in key order, into `leaving`, and the staying ones at the start of the array, which gets room for
/// those that arrive.
template <class Space>
void part_array(Space& space, const Moves& moves, View<const std::uint32_t> order, ParticleArray<Space>& array, std::byte* leaving) {
  const std::size_t item = array.item_bytes();
  gather_items(space, order.part(0, moves.before), item, array.data(), leaving);
  gather_items(space, order.part(moves.before + moves.staying, moves.after), item, array.data(), leaving + moves.before * item);
  Scratch<Space, std::byte> staying(space, moves.staying * item);
  gather_items(space, order.part(moves.before, moves.staying), item, array.data(), staying.data());
  array.resize_discard(moves.staying + moves.arriving_total);
  space.copy(array.data(), staying.data(), moves.staying * item);
}

/// Declares the messages of an array.
template <class Space>
void declare_messages(Transport<Space>& transport, const Moves& moves, const ParticleArray<Space>& array, const std::byte* leaving) {
  const std::size_t item = array.item_bytes();
  std::byte* arriving = array.item(moves.staying);
  for (std::size_t r = 0; r < moves.leaving.size(); ++r) {
    const std::size_t sent = moves.leaving[r] * item, received = moves.arriving[r] * item;
    if (sent > 0) transport.send({leaving, sent}, static_cast<int>(r));
    if (received > 0) transport.receive({arriving, received}, static_cast<int>(r));
    leaving += sent;
    arriving += received;
  }
}

}  // namespace

template <class Space>
void ParticleExchange<Space>::run(Space& space, const Communicator& comm, const Frame& frame, Particles<Space>& particles) {
  if (comm.size() == 1) return;
  const std::size_t n = particles.size();
  Scratch<Space, std::uint64_t> sorted_keys(space, n);
  Scratch<Space, std::uint32_t> order(space, n);
  compute_keys<Space>(space, particles.position.view(), frame.cube, sorted_keys);
  sort_keys<Space>(space, sorted_keys, order);
  const Moves moves(comm, balanced_counts<Space>(space, comm, sorted_keys, order, particles));

  std::size_t row_bytes = 0;
  for (const FieldArray& array : particles.table()->arrays()) row_bytes += array.travels ? aligned_item(array.item_bytes) : 0;
  Scratch<Space, std::byte> leaving(space, row_bytes * (moves.before + moves.after));
  std::byte* at = leaving.data();
  transport_.begin(comm, Tag::particles);
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    ParticleArray<Space>& array = particles.array(a);
    if (!particles.table()->arrays()[a].travels) {
      array.resize_discard(moves.staying + moves.arriving_total);
      continue;
    }
    part_array<Space>(space, moves, order, array, at);
    declare_messages<Space>(transport_, moves, array, at);
    at += aligned_item(array.item_bytes()) * (moves.before + moves.after);
  }
  transport_.start();
  transport_.dispatch();
  transport_.arrive(0, transport_.receive_count());
  transport_.finish();
}

template class ParticleExchange<BackEnd>;

}  // namespace grove
