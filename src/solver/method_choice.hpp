// When direct summation takes less time than a tree.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// Whether the methods `fmm` and `tree` use direct summation for `particles` in all. On CPU cores, where a tree pays earlier, up to an
/// eighth of gravity.all_pairs_up_to; never on several ranks, nor with several softening lengths.
bool uses_direct_summation(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);

/// Tells the user so; empty if a tree is walked.
std::string direct_summation_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);

}  // namespace grove
