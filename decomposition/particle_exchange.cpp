#include "decomposition/particle_exchange.hpp"

#include "decomposition/key_splits.hpp"
#include "decomposition/sparse_exchange.hpp"

namespace grove {

namespace {

// Every particle counts for its work and for half the mean work, so that a domain of idle particles ends at three times the mean number.
constexpr std::uint64_t idle_share = 2;
// Work moves between steps by more than this; a closer balance would only cost rounds.
constexpr double balance_tolerance = 0.01;

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

struct PackRecords {
  ParticleView particles;
  const std::uint32_t* order;
  ParticleRecord* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = particles.record(order[i]); }
};

struct UnpackRecords {
  const ParticleRecord* records;
  ParticleView particles;
  std::size_t first;
  GROVE_HD void operator()(std::size_t i) const { particles.set(first + i, records[i]); }
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

}  // namespace

template <class Space>
void ParticleExchange<Space>::run(Space& space, const Communicator& comm, const Frame& frame, Particles<Space>& particles) {
  if (comm.size() == 1) return;
  const std::size_t n = particles.size();
  const auto me = static_cast<std::size_t>(comm.rank());
  Scratch<Space, std::uint64_t> sorted_keys(space, n);
  Scratch<Space, std::uint32_t> order(space, n);
  compute_keys<Space>(space, particles.position.view(), frame.cube, sorted_keys);
  sort_keys<Space>(space, sorted_keys, order);
  std::vector<std::uint64_t> counts = balanced_counts<Space>(space, comm, sorted_keys, order, particles);

  // In key order, those who stay are a run between those for lower and those for higher ranks.
  std::size_t before = 0;
  for (std::size_t r = 0; r < me; ++r) before += counts[r];
  const std::size_t staying = counts[me], after = n - before - staying;
  Scratch<Space, ParticleRecord> records(space, n);
  space.for_each(n, PackRecords{view_of(particles), order.data(), records.data()});

  counts[me] = 0;
  SparseExchange exchange(comm, counts);
  leaving_.resize_discard(before + after);
  arriving_.resize_discard(exchange.receive_total());
  space.copy_to_host(leaving_.data(), records.data(), before * sizeof(ParticleRecord));
  space.copy_to_host(leaving_.data() + before, records.data() + before + staying, after * sizeof(ParticleRecord));
  exchange.begin(std::span<const ParticleRecord>(leaving_.data(), leaving_.size()), std::span(arriving_.data(), arriving_.size()));

  particles.resize_discard(staying + arriving_.size());
  space.for_each(staying, UnpackRecords{records.data() + before, view_of(particles), 0});
  exchange.end();
  Scratch<Space, ParticleRecord> received(space, arriving_.size());
  space.copy_from_host(received.data(), arriving_.data(), arriving_.size() * sizeof(ParticleRecord));
  space.for_each(arriving_.size(), UnpackRecords{received.data(), view_of(particles), staying});
}

template class ParticleExchange<BackEnd>;

}  // namespace grove
