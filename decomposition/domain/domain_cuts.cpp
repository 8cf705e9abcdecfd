#include "decomposition/domain/domain_cuts.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "decomposition/domain/key_splits.hpp"
#include "kernels/particles/rungs.hpp"

namespace grove {

namespace {

// Domains are cut again if the largest weight exceeds the mean by the first factor. If the last cut did not help, it must also exceed the
// imbalance that this cut left by the second factor. Below that a cut costs more than it gains.
constexpr double largest_imbalance = 1.03, worse_by = 1.02;
// A cut has helped if it has reduced the imbalance at least by this factor.
constexpr double worth_it = 0.98;
// Domains are cut by a sample of at most this many groups of consecutive particles on each rank.
constexpr std::size_t largest_sample = 65536;

/// For each group: the key of its first particle, and its weight.
struct SampleGroups {
  ParticleKeys keys;
  WorkOfStep work;
  std::size_t particles, group_size;
  std::uint64_t idle;
  std::uint64_t* key;
  std::uint64_t* weight;
  std::uint32_t* number;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t g) const {
    const std::size_t begin = g * group_size, end = smaller(begin + group_size, particles);
    std::uint64_t sum = 0;
    for (std::size_t i = begin + static_cast<std::size_t>(team.rank()); i < end; i += Team::size) sum += work(i) + idle;
    sum = team.sum(sum);
    if (team.rank() != 0) return;
    key[g] = keys(begin);
    weight[g] = sum;
    number[g] = static_cast<std::uint32_t>(g);
  }
};

/// The largest weight of a domain divided by the mean.
double imbalance_of(const Frame& frame, std::uint64_t idle) {
  double sum = 0, largest = 0;
  for (const Frame::Share& share : frame.shares) {
    const double weight = share.work + static_cast<double>(idle) * share.count;
    sum += weight;
    largest = std::max(largest, weight);
  }
  return sum > 0 ? largest * static_cast<double>(frame.shares.size()) / sum : 1;
}

/// The weight that every particle has in addition to its work.
std::uint64_t idle_weight(const Frame& frame) {
  double work = 0, count = 0;
  for (const Frame::Share& share : frame.shares) {
    work += share.work;
    count += share.count;
  }
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(work / std::max(count, 1.0)) / idle_share_of_work, 1);
}

bool same_cube(const KeyCube& a, const KeyCube& b) {
  return a.corner.x == b.corner.x && a.corner.y == b.corner.y && a.corner.z == b.corner.z && a.edge == b.edge;
}

}  // namespace

template <class Space>
bool DomainCuts<Space>::update(const Frame& frame, const Particles<Space>& particles) {
  const bool is_restarted = !particles.has_acceleration || !same_cube(frame.cube, state_.cube);
  state_.cube = frame.cube;
  const bool is_cut = must_cut(frame, is_restarted);
  if (is_cut) cut(frame, particles);
  return is_cut;
}

template <class Space>
bool DomainCuts<Space>::must_cut(const Frame& frame, bool is_restarted) {
  const double imbalance = imbalance_of(frame, idle_weight(frame));
  if (!is_restarted && state_.is_new) {
    // Equal keys or quickly changing work may keep domains uneven: do not cut again and again.
    const bool gained = imbalance < worth_it * state_.before_cut;
    state_.threshold = gained ? largest_imbalance : std::max(largest_imbalance, worse_by * imbalance);
  }
  state_.is_new = is_restarted || state_.splits.empty() || imbalance > state_.threshold;
  if (state_.is_new) state_.before_cut = is_restarted ? std::numeric_limits<double>::infinity() : imbalance;
  return state_.is_new;
}

template <class Space>
void DomainCuts<Space>::cut(const Frame& frame, const Particles<Space>& particles) {
  const std::size_t n = particles.size(), group_size = (n + largest_sample - 1) / largest_sample;
  const std::size_t groups = n > 0 ? (n + group_size - 1) / group_size : 0;
  Scratch<Space, std::uint64_t> key(space_, groups), weight(space_, groups);
  Scratch<Space, std::uint32_t> number(space_, groups);
  space_.for_each_by_team(groups, SampleGroups{keys_of(particles, frame.cube, frame.lead), work_of_step(particles), n, group_size,
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
  state_.splits = find_key_splits(comm_, static_cast<std::uint64_t>(comm_.size()), weight_below, below.back(), balance_tolerance);
}

template class DomainCuts<BackEnd>;

}  // namespace grove
