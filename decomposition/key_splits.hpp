// Key splits: where to cut the line of keys so that every rank gets the same weight.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"

namespace grove {

/// Sets weight_below[i] to the weight of this rank's keys < candidates[i]. `candidates` is strictly increasing, both spans
/// have the same length and lie on the host. Must not communicate; called once a round, so that it can be one kernel.
using LocalWeightBelow = std::function<void(std::span<const std::uint64_t> candidates, std::span<std::uint64_t> weight_below)>;

/// The size()-1 non-decreasing keys that split the weight of all ranks evenly: rank r owns the keys in [split[r-1], split[r]),
/// the first rank all keys below split[0], the last all keys from split[size-2] on. Keys may use all 64 bits.
///
/// `local_weight` is the weight of all keys on this rank; weights are integers, so that the result has the same bits on every
/// rank and in every run, however the keys are distributed. The sum over all ranks must fit in 64 bits.
/// `tolerance` in [0, 1]: the weight of every domain is to be within this fraction of the mean. Of the keys that make it so the one that
/// ends with the most zeros is taken: it is a border of the largest cells, so that a cut goes through a gap rather than beside it, and
/// divides few cells. The weight of one key cannot be split; where it is in the way, the nearest cut is taken. Without any weight all
/// splits are 0.
///
/// Method: a histogram refined around each split (as in histogram sort, Kale & Krishnan 1993). Every split has an interval of
/// keys; a round evaluates the k multiples of a power of two inside each distinct interval and keeps the one of the pieces that holds the
/// split. k is 31 to 93, or more with few ranks, so that about 2,000 to 6,000 candidates are tried a round.
/// Cost: collective; one allreduce of max(93 (size-1), 6144) 8-byte weights a round at most, at most 14 rounds (7 below 16 ranks),
/// usually half of it at a tolerance of 1 %. Memory on a rank is linear in the number of ranks.
std::vector<std::uint64_t> find_key_splits(const Communicator& comm, const LocalWeightBelow& local_weight_below, std::uint64_t local_weight,
                                           double tolerance);

/// The rank that owns `key` when the key line is cut at `splits`.
int owner_of_key(std::uint64_t key, std::span<const std::uint64_t> splits);

/// How many of `sorted_keys` (non-decreasing) go to each of the splits.size()+1 ranks.
std::vector<std::uint64_t> counts_per_owner(std::span<const std::uint64_t> sorted_keys, std::span<const std::uint64_t> splits);

}  // namespace grove
