#include "src/analysis/ordered_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "decomposition/ranks/exact_sum.hpp"

namespace grove {

namespace {

/// Of doubles >= 0, in their order; -0 is 0.
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

/// The smallest double of [low, high] at which `is_enough`, which stays true for larger ones and is true at `high`.
template <class IsEnough>
double first_enough(double low, double high, IsEnough is_enough) {
  std::uint64_t below = bits_of(low), up_to = bits_of(high);
  while (below < up_to) {
    const std::uint64_t middle = below + (up_to - below) / 2;
    if (is_enough(std::bit_cast<double>(middle)))
      up_to = middle;
    else
      below = middle + 1;
  }
  return std::bit_cast<double>(up_to);
}

double value_or_infinite(std::vector<WeightedValue>::const_iterator at, const std::vector<WeightedValue>& own) {
  if (at == own.end()) return std::numeric_limits<double>::infinity();
  return at->value;
}

auto end_of(const std::vector<WeightedValue>& own, double limit) {
  return std::upper_bound(own.begin(), own.end(), limit, [](double l, const WeightedValue& v) { return l < v.value; });
}

}  // namespace

OrderedValues::OrderedValues(std::vector<WeightedValue> own, const Communicator& comm) : comm_(comm), own_(std::move(own)) {
  std::sort(own_.begin(), own_.end(), [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  count_ = comm_.sum(static_cast<std::uint64_t>(own_.size()));
  weight_ = exact_sums<1>(own_.size(), comm_, [&](std::size_t i, std::array<ExactSum, 1>& sum) { sum[0].add(own_[i].weight); })[0];
  const double least = comm_.min(value_or_infinite(own_.begin(), own_));
  largest_ = comm_.max(own_.empty() ? 0.0 : own_.back().value);
  smallest_ = count_ == 0 ? 0 : least;
}

double OrderedValues::nth(std::uint64_t n) const {
  return first_enough(smallest_, largest_, [&](double limit) { return count_up_to(limit) >= n; });
}

double OrderedValues::percentile(double share) const {
  if (count_ == 0) return 0;
  const double n = std::ceil(share * static_cast<double>(count_));
  return nth(std::clamp(static_cast<std::uint64_t>(n), std::uint64_t{1}, count_));
}

double OrderedValues::weighted_percentile(double share) const {
  if (!(weight_ > 0)) return percentile(share);
  const double wanted = share * weight_;
  // The weight of those that are known to be too few is summed once.
  ExactSum before;
  auto begin = own_.begin();
  return first_enough(smallest_, largest_, [&](double limit) {
    ExactSum own = before;
    const auto end = end_of(own_, limit);
    for (auto at = begin; at < end; ++at) own.add(at->weight);
    ExactSum all = own;
    ExactSum::sum_over_ranks({&all, 1}, comm_);
    const bool is_enough = all.value() >= wanted;
    if (!is_enough) {
      before = own;
      begin = end;
    }
    return is_enough;
  });
}

std::uint64_t OrderedValues::count_up_to(double limit) const {
  return comm_.sum(static_cast<std::uint64_t>(end_of(own_, limit) - own_.begin()));
}

std::uint64_t OrderedValues::count_below(double limit) const {
  const auto end = std::lower_bound(own_.begin(), own_.end(), limit, [](const WeightedValue& v, double l) { return v.value < l; });
  return comm_.sum(static_cast<std::uint64_t>(end - own_.begin()));
}

double OrderedValues::next_above(double limit) const {
  const auto next = end_of(own_, limit);
  const double least = comm_.min(value_or_infinite(next, own_));
  return std::isfinite(least) ? least : 0;
}

std::vector<double> medians_of(std::vector<std::vector<double>> own, const Communicator& comm) {
  const std::size_t sets = own.size();
  // By their bits, so that NaN, too, has a place: above all numbers.
  const auto less = [](double a, double b) { return bits_of(a) < bits_of(b); };
  std::vector<std::uint64_t> half(sets), below(sets, 0), up_to(sets, bits_of(std::numeric_limits<double>::quiet_NaN()));
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < sets; ++s) std::sort(own[s].begin(), own[s].end(), less);
  for (std::size_t s = 0; s < sets; ++s) half[s] = own[s].size();
  comm.sum(std::span<std::uint64_t>(half));
  for (std::uint64_t& count : half) count = count / 2 + count % 2;
  while (below != up_to) {
    std::vector<std::uint64_t> count(sets), middle(sets);
    for (std::size_t s = 0; s < sets; ++s) {
      middle[s] = below[s] + (up_to[s] - below[s]) / 2;
      count[s] = static_cast<std::uint64_t>(std::upper_bound(own[s].begin(), own[s].end(), std::bit_cast<double>(middle[s]), less) -
                                            own[s].begin());
    }
    comm.sum(std::span<std::uint64_t>(count));
    for (std::size_t s = 0; s < sets; ++s) {
      if (half[s] > 0 && count[s] >= half[s])
        up_to[s] = middle[s];
      else if (below[s] < up_to[s])
        below[s] = middle[s] + 1;
    }
  }
  std::vector<double> medians(sets);
  std::transform(up_to.begin(), up_to.end(), medians.begin(), [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  return medians;
}

}  // namespace grove
