#include "decomposition/domain/key_splits.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace grove {

namespace {

constexpr std::uint64_t largest_key = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t fewest_candidates_per_interval = 31;
constexpr std::uint64_t candidates_per_round = 2048;

/// The search for one split: it is in [low, high], with weight_low <= target < weight_high unless low == high.
struct Search {
  std::uint64_t target = 0;  ///< weight wanted below the split
  std::uint64_t low = 0, high = largest_key;
  std::uint64_t weight_low = 0, weight_high = 0;
  std::uint64_t split = 0;  ///< result when done
  bool done = false;

  std::uint64_t nearest() const { return low == high || target - weight_low <= weight_high - target ? low : high; }
};

/// Appends the multiples of a power of two between `low` and `high`: `count` of them or more, but less than three times as many.
void append_interior_keys(std::uint64_t low, std::uint64_t high, std::uint64_t count, std::vector<std::uint64_t>& keys) {
  const std::uint64_t step = std::bit_floor(std::max<std::uint64_t>(1, (high - low) / (count + 1)));
  for (std::uint64_t key = low / step * step; high - key > step;) keys.push_back(key += step);
}

/// Candidates of the next round, strictly increasing: the intervals of two searches are equal or do not overlap, and they are in order.
std::vector<std::uint64_t> choose_candidates(const std::vector<Search>& searches) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals;
  for (const Search& search : searches) {
    const std::pair interval{search.low, search.high};
    if (!search.done && (intervals.empty() || intervals.back() != interval)) intervals.push_back(interval);
  }
  std::vector<std::uint64_t> keys;
  for (const auto& [low, high] : intervals)
    append_interior_keys(low, high, std::max<std::uint64_t>(fewest_candidates_per_interval, candidates_per_round / intervals.size()), keys);
  return keys;
}

/// The candidate with the most zero bits at its end among those with nearly the target weight, if there are any. Each round tries keys with
/// fewer zero bits, so that no key between these candidates has more.
std::optional<std::uint64_t> roundest(std::uint64_t target, const std::vector<std::uint64_t>& keys, std::span<const std::uint64_t> weights,
                                      std::uint64_t largest_error) {
  const std::uint64_t least = target - std::min(target, largest_error);
  std::optional<std::uint64_t> best;
  for (auto w = std::lower_bound(weights.begin(), weights.end(), least); w != weights.end() && *w <= target + largest_error; ++w) {
    const std::uint64_t key = keys[static_cast<std::size_t>(w - weights.begin())];
    if (!best || std::countr_zero(key) > std::countr_zero(*best)) best = key;
  }
  return best;
}

/// All searches use the candidates of all intervals: with the same information, the splits stay in order.
void narrow(std::vector<Search>& searches, const std::vector<std::uint64_t>& keys, std::span<const std::uint64_t> weights,
            std::uint64_t largest_error) {
  for (Search& search : searches) {
    if (search.done) continue;
    const auto above = static_cast<std::size_t>(std::upper_bound(weights.begin(), weights.end(), search.target) - weights.begin());
    if (above > 0 && keys[above - 1] >= search.low) {
      search.low = keys[above - 1];
      search.weight_low = weights[above - 1];
    }
    if (above < keys.size() && keys[above] <= search.high) {
      search.high = keys[above];
      search.weight_high = weights[above];
    }
    const std::optional<std::uint64_t> found = roundest(search.target, keys, weights, largest_error);
    search.split = found.value_or(search.nearest());
    search.done = found || search.high - search.low <= 1;
  }
}

}  // namespace

std::vector<std::uint64_t> find_key_splits(const Communicator& comm, std::uint64_t domains, const LocalWeightBelow& local_weight_below,
                                           std::uint64_t local_weight, double tolerance) {
  std::vector<Search> searches(domains - 1);
  std::uint64_t largest_error = 0;
  std::vector<std::uint64_t> keys = choose_candidates(searches);
  if (!keys.empty()) keys.push_back(largest_key);  // in the first round, so that the upper end of every interval has a weight
  for (bool first_round = true; !keys.empty(); first_round = false) {
    std::vector<std::uint64_t> weights(keys.size() + 1);
    local_weight_below(keys, std::span(weights).first(keys.size()));
    weights.back() = local_weight;
    comm.sum(std::span<std::uint64_t>(weights));
    if (first_round) {
      const std::uint64_t total = weights.back();
      if (total == 0) break;
      for (std::uint64_t d = 1; d < domains; ++d) searches[d - 1].target = fraction_of(total, d, domains);
      // A domain is between two splits: each may have half of its error.
      largest_error = static_cast<std::uint64_t>(tolerance / 2 * static_cast<double>(total) / static_cast<double>(domains));
    }
    narrow(searches, keys, std::span<const std::uint64_t>(weights).first(keys.size()), largest_error);
    keys = choose_candidates(searches);
  }
  std::vector<std::uint64_t> splits;
  splits.reserve(searches.size());
  for (const Search& search : searches) splits.push_back(search.split);
  return splits;
}

std::vector<std::uint64_t> counts_per_owner(std::span<const std::uint64_t> sorted_keys, std::span<const std::uint64_t> splits) {
  std::vector<std::uint64_t> counts;
  auto begin = sorted_keys.begin();
  for (const std::uint64_t split : splits) {
    const auto end = std::lower_bound(begin, sorted_keys.end(), split);
    counts.push_back(static_cast<std::uint64_t>(end - begin));
    begin = end;
  }
  counts.push_back(static_cast<std::uint64_t>(sorted_keys.end() - begin));
  return counts;
}

}  // namespace grove
