// Key splits: where to cut the range of keys so that every rank gets the same weight.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Sets weight_below[i] to the weight of this rank's keys below candidates[i]. `candidates` is strictly increasing; both spans have the
/// same length and are on the host. Called once in each round. Must not communicate.
using LocalWeightBelow = std::function<void(std::span<const std::uint64_t> candidates, std::span<std::uint64_t> weight_below)>;

/// The domains - 1 non-decreasing keys that split the weight of all ranks evenly: domain d has the keys in [split[d-1], split[d]), the
/// first and the last domain all keys below and above. Keys may use all 64 bits.
///
/// `local_weight` is the weight of all keys on this rank. Weights are integers whose sum over all ranks fits in 64 bits: the result has the
/// same bits on every rank and in every run, however keys are distributed. `tolerance` in [0, 1]: the weight of every domain is within this
/// fraction of the mean. Among the keys that allow it, the one that ends with the most zero bits is taken: it is a border of the largest
/// cells, so that a cut divides few cells. The weight of one key cannot be split; then the nearest cut is taken. Without any weight all
/// splits are 0.
///
/// Method: histogram sort (Kale & Krishnan 1993). Every split has an interval of keys. Each round evaluates k multiples of a power of two
/// inside each distinct interval and keeps the piece with the split. k is 31 to 93, or more with few domains: about 2,000 to 6,000
/// candidates in a round. Collective: at most 14 rounds (7 for fewer than 16 domains), usually half as many at a tolerance of 1 %, each
/// with one allreduce of at most max(93 (domains - 1), 6144) 8-byte weights. Memory on a rank is linear in the number of domains.
std::vector<std::uint64_t> find_key_splits(const Communicator& comm, std::uint64_t domains, const LocalWeightBelow& local_weight_below,
                                           std::uint64_t local_weight, double tolerance);

/// How many of `sorted_keys` (non-decreasing) are in each of the splits.size() + 1 domains.
std::vector<std::uint64_t> counts_per_owner(std::span<const std::uint64_t> sorted_keys, std::span<const std::uint64_t> splits);

}  // namespace grove
