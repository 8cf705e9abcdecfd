#include "decomposition/particle_exchange.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "decomposition/key_splits.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

// The weight of a particle is its work plus half the mean work. So a domain of particles without work has at most three times the mean
// number.
constexpr std::uint64_t idle_share = 2;
// Domains are cut to within this fraction of the mean weight: a better balance would only cost rounds.
constexpr double balance_tolerance = 0.01;
// They are cut anew if the largest one has more than this above the mean, and more than right after the last cut by this factor. Until then
// the gain would be less than the cost of a cut.
constexpr double largest_imbalance = 1.03, worse_by = 1.02;
// A cut was worth it if it left less than this part of the imbalance before it.
constexpr double worth_it = 0.98;
// Domains are cut by a sample: this many groups of particles that follow each other on a rank, at most.
constexpr std::size_t largest_sample = 65536;
// Larger sets go by way of the host: few exchanges are so large, and the memory of the GPU would be kept.
constexpr std::size_t largest_outbox = std::size_t{64} << 20, largest_outbox_after_cut = std::size_t{2} << 20;

/// The bytes of an item, rounded up. Any number of such items ends at an address where every array is aligned as gather_items() needs it.
constexpr std::size_t aligned_item(std::size_t bytes) { return (bytes + 31) / 32 * 32; }

/// The key of the first particle of each group, and the group's weight.
struct SampleGroups {
  const Double4* position;
  const std::uint32_t* work;
  KeyCube cube;
  std::size_t particles, group_size;
  std::uint64_t idle;
  std::uint64_t* key;
  std::uint64_t* weight;
  std::uint32_t* number;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t g) const {
    const std::size_t begin = g * group_size, end = smaller(begin + group_size, particles);
    std::uint64_t sum = 0;
    for (std::size_t i = begin + static_cast<std::size_t>(team.rank()); i < end; i += Team::size) sum += work[i] + idle;
    sum = team.sum(sum);
    if (team.rank() != 0) return;
    key[g] = morton_key(position[begin], cube);
    weight[g] = sum;
    number[g] = static_cast<std::uint32_t>(g);
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

struct FindOwner {
  const Double4* position;
  KeyCube cube;
  const std::uint32_t* index;
  const std::uint64_t* splits;
  std::uint32_t split_count;
  std::uint64_t* owner;
  GROVE_HD void operator()(std::size_t k) const {
    // The number of splits that are not above the key.
    owner[k] = lower_bound(splits, 0, split_count, morton_key(position[index[k]], cube) + 1);
  }
};

/// First of the leaving particles, sorted by owner, that goes to rank r or a later one.
struct FirstOfOwner {
  const std::uint64_t* owner;
  std::uint32_t count;
  std::uint32_t* first;
  GROVE_HD void operator()(std::size_t r) const { first[r] = lower_bound(owner, 0, count, r); }
};

/// Marks the leaving particles behind the place up to which the array will be filled.
struct MarkLeaving {
  const std::uint32_t* leaving;
  std::uint32_t kept;
  std::uint8_t* mark;
  GROVE_HD void operator()(std::size_t k) const {
    if (leaving[k] >= kept) mark[leaving[k] - kept] = 1;
  }
};
struct StaysBehind {
  const std::uint8_t* mark;
  GROVE_HD bool operator()(std::size_t i) const { return mark[i] == 0; }
};
struct LeavesHole {
  const std::uint32_t* leaving;
  std::uint32_t kept;
  GROVE_HD bool operator()(std::size_t k) const { return leaving[k] < kept; }
};

/// Moves item from[k] + offset of an array to place holes[index[k]].
template <class Word>
struct FillHoles {
  Word* items;
  std::size_t words;  ///< of an item
  const std::uint32_t* from;
  std::uint32_t offset;
  const std::uint32_t* holes;
  const std::uint32_t* hole_index;
  GROVE_HD void operator()(std::size_t w) const {
    const std::size_t k = w / words, word = w % words;
    items[holes[hole_index[k]] * words + word] = items[(std::size_t{from[k]} + offset) * words + word];
  }
};

/// Weights of the domains, the largest relative to their mean.
double imbalance_of(const Frame& frame, std::uint64_t idle) {
  double sum = 0, largest = 0;
  for (const Frame::Share& share : frame.shares) {
    const double weight = share.work + static_cast<double>(idle) * share.count;
    sum += weight;
    largest = std::max(largest, weight);
  }
  return sum > 0 ? largest * static_cast<double>(frame.shares.size()) / sum : 1;
}

/// The weight that every particle has beside its work.
std::uint64_t idle_weight(const Frame& frame) {
  double work = 0, count = 0;
  for (const Frame::Share& share : frame.shares) {
    work += share.work;
    count += share.count;
  }
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(work / std::max(count, 1.0)) / idle_share, 1);
}

bool same_cube(const KeyCube& a, const KeyCube& b) {
  return a.corner.x == b.corner.x && a.corner.y == b.corner.y && a.corner.z == b.corner.z && a.edge == b.edge;
}

int bits_for(std::size_t values) {
  int bits = 0;
  while (values >> bits) ++bits;
  return bits;
}

/// Fills the places of leaving particles below `kept` with staying ones from behind it.
template <class Space>
class HoleFiller {
 public:
  /// `leaving`: indices of the leaving particles, in any order. `kept`: number of those that stay.
  HoleFiller(Space& space, View<const std::uint32_t> leaving, std::size_t kept)
      : space_(space), leaving_(leaving), kept_(static_cast<std::uint32_t>(kept)), hole_(space, leaving.size), from_(space, leaving.size) {
    if (leaving.empty()) return;
    Scratch<Space, std::uint8_t> mark(space, leaving.size);
    space.fill_bytes(mark.data(), 0, leaving.size);
    space.for_each(leaving.size, MarkLeaving{leaving.data, kept_, mark.data()});
    // As many places are empty below `kept` as particles stay behind it.
    count_ = select_indices(space, leaving.size, LeavesHole{leaving.data, kept_}, [&](std::uint32_t) { return hole_.data(); });
    select_indices(space, leaving.size, StaysBehind{mark.data()}, [&](std::uint32_t) { return from_.data(); });
  }

  void fill(const ParticleArray<Space>& array) const {
    if (array.item_bytes() % sizeof(std::uint32_t) == 0)
      fill_words(array.item_bytes() / sizeof(std::uint32_t), reinterpret_cast<std::uint32_t*>(array.data()));
    else
      fill_words(array.item_bytes(), array.data());
  }

 private:
  template <class Word>
  void fill_words(std::size_t words, Word* items) const {
    space_.for_each(count_ * words, FillHoles<Word>{items, words, from_.data(), kept_, leaving_.data, hole_.data()});
  }

  Space& space_;
  View<const std::uint32_t> leaving_;
  std::uint32_t kept_;
  std::size_t count_ = 0;
  Scratch<Space, std::uint32_t> hole_, from_;  ///< holes: numbers of leaving particles; particles: counted from `kept`
};

/// Declares the messages of an array: `leaving` in the order of the ranks, and what arrives behind the first `kept` items.
template <class Space>
void declare_messages(Transport<Space>& transport, const ParticleMoves& moves, const ParticleArray<Space>& array, std::size_t kept,
                      const std::byte* leaving) {
  const std::size_t item = array.item_bytes();
  std::byte* arriving = array.item(kept);
  for (std::size_t r = 0; r < moves.leaving.size(); ++r) {
    const std::size_t sent = moves.leaving[r] * item, received = moves.arriving[r] * item;
    if (sent > 0) transport.send({leaving, sent}, static_cast<int>(r));
    if (received > 0) transport.receive({arriving, received}, static_cast<int>(r));
    leaving += sent;
    arriving += received;
  }
}

template <class Space>
void complete(Transport<Space>& transport) {
  transport.start();
  transport.dispatch();
  transport.arrive(0, transport.receive_count());
  transport.finish();
}

}  // namespace

template <class Space>
bool ParticleExchange<Space>::must_cut(const Frame& frame, bool starts_anew) {
  const double imbalance = imbalance_of(frame, idle_weight(frame));
  if (!starts_anew && cuts_.is_new) {
    // Where keys or the change of work stand in the way, cutting again and again would gain nothing.
    const bool gained = imbalance < worth_it * cuts_.before_cut;
    cuts_.threshold = gained ? largest_imbalance : std::max(largest_imbalance, worse_by * imbalance);
  }
  cuts_.is_new = starts_anew || cuts_.splits.empty() || imbalance > cuts_.threshold;
  if (cuts_.is_new) cuts_.before_cut = starts_anew ? std::numeric_limits<double>::infinity() : imbalance;
  return cuts_.is_new;
}

template <class Space>
void ParticleExchange<Space>::cut(const Frame& frame, const Particles<Space>& particles) {
  const std::size_t n = particles.size(), group_size = (n + largest_sample - 1) / largest_sample;
  const std::size_t groups = n > 0 ? (n + group_size - 1) / group_size : 0;
  Scratch<Space, std::uint64_t> key(space_, groups), weight(space_, groups);
  Scratch<Space, std::uint32_t> number(space_, groups);
  space_.for_each_by_team(groups, SampleGroups{particles.position.data(), particles.work.data(), frame.cube, n, group_size,
                                               idle_weight(frame), key.data(), weight.data(), number.data()});
  space_.sort_pairs(key, number, key_bits);
  std::vector<std::uint64_t> keys(groups), weights(groups), below(groups + 1, 0);
  std::vector<std::uint32_t> numbers(groups);
  copy_to_host<Space, std::uint64_t>(space_, key.view(), keys);
  copy_to_host<Space, std::uint64_t>(space_, weight.view(), weights);
  copy_to_host<Space, std::uint32_t>(space_, number.view(), numbers);
  for (std::size_t g = 0; g < groups; ++g) below[g + 1] = below[g] + weights[numbers[g]];
  const auto weight_below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> out) {
    auto at = keys.begin();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      at = std::lower_bound(at, keys.end(), candidates[i]);
      out[i] = below[static_cast<std::size_t>(at - keys.begin())];
    }
  };
  cuts_.splits = find_key_splits(comm_, weight_below, below.back(), balance_tolerance);
}

template <class Space>
void ParticleExchange<Space>::run(const Frame& frame, Particles<Space>& particles) {
  if (comm_.size() == 1) return;
  const bool starts_anew = !particles.has_acceleration || !same_cube(frame.cube, cuts_.cube);
  cuts_.cube = frame.cube;
  if (must_cut(frame, starts_anew)) cut(frame, particles);

  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  const Double4* const position = particles.position.data();
  const Leaves leaves{position, frame.cube, me > 0 ? cuts_.splits[me - 1] : 0, me + 1 < ranks ? cuts_.splits[me] : 0, me + 1 == ranks};
  std::size_t count = 0;
  select_indices(space_, particles.size(), leaves, [&](std::uint32_t found) {
    leaving_.resize_discard(count = found);
    return leaving_.data();
  });
  ParticleMoves moves;
  moves.leaving.assign(ranks, 0);
  moves.leaving_total = count;
  if (count > 0) {
    Scratch<Space, std::uint64_t> owner(space_, count), splits(space_, cuts_.splits.size());
    Scratch<Space, std::uint32_t> first(space_, ranks + 1);
    copy_from_host<Space, std::uint64_t>(space_, cuts_.splits, splits.view());
    space_.for_each(count, FindOwner{position, frame.cube, leaving_.data(), splits.data(), static_cast<std::uint32_t>(cuts_.splits.size()),
                                     owner.data()});
    space_.sort_pairs(owner, leaving_.view(), bits_for(ranks));
    space_.for_each(ranks + 1, FirstOfOwner{owner.data(), static_cast<std::uint32_t>(count), first.data()});
    std::vector<std::uint32_t> begin(ranks + 1);
    copy_to_host<Space, std::uint32_t>(space_, first.view(), begin);
    for (std::size_t r = 0; r < ranks; ++r) moves.leaving[r] = begin[r + 1] - begin[r];
  }
  moves.arriving = comm_.all_to_all(moves.leaving);
  moves.arriving_total = std::accumulate(moves.arriving.begin(), moves.arriving.end(), std::size_t{0});
  move(moves, cuts_.is_new, particles);
  if (!cuts_.is_new) return;
  // Many particles may have left: memory for so many is not kept.
  leaving_.release();
  transport_.release();
}

/// Array by array after a cut, when many may leave: all at once would need much memory.
template <class Space>
void ParticleExchange<Space>::move(const ParticleMoves& moves, bool one_by_one, Particles<Space>& particles) {
  const std::size_t count = moves.leaving_total, kept = particles.size() - count, after = kept + moves.arriving_total;
  const View<const std::uint32_t> leaving = leaving_.view();
  const auto& described = particles.table()->arrays();
  std::size_t row_bytes = 0, largest_item = 0;
  for (const FieldArray& array : described) {
    row_bytes += array.travels ? aligned_item(array.item_bytes) : 0;
    largest_item = std::max(largest_item, array.travels ? aligned_item(array.item_bytes) : 0);
  }
  Scratch<Space, std::byte> packed(space_, (one_by_one ? largest_item : row_bytes) * count);
  const HoleFiller<Space> holes(space_, leaving, kept);
  std::byte* at = packed.data();
  if (!one_by_one) transport_.begin(Tag::particles, largest_outbox);
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    ParticleArray<Space>& array = particles.array(a);
    if (!described[a].travels) {
      array.resize_discard(after);
      continue;
    }
    if (one_by_one) transport_.begin(Tag::particles, largest_outbox_after_cut);
    gather_items(space_, leaving, array.item_bytes(), array.data(), at);
    holes.fill(array);
    array.resize_keep(after);
    declare_messages<Space>(transport_, moves, array, kept, at);
    if (one_by_one)
      complete(transport_);
    else
      at += aligned_item(array.item_bytes()) * count;
  }
  if (!one_by_one) complete(transport_);
}

template class ParticleExchange<BackEnd>;

}  // namespace grove
