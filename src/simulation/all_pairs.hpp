// When trees are not worth their while.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// Whether the methods `fmm` and `tree` sum all pairs of `particles` in all, instead of what their names say. On CPU cores, where a tree
/// pays earlier, up to an eighth of gravity.all_pairs_up_to; never on several ranks, nor with several softening lengths.
bool sums_all_pairs(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);

/// The same in words for the user; empty if a tree is walked.
std::string all_pairs_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);

}  // namespace grove
