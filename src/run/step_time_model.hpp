// How long a step takes on how many ranks: a small model, for advice alone.
#pragma once

#include <cstdint>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// time(P) = once + work / P + each * (P - 1) for P ranks: what a rank takes whatever it has, its share of the work, and what every further
/// rank adds for all. docs/performance.md, "How many ranks", has the measurements behind the constants.
struct StepTimeModel {
  double once_s = 0;          ///< s
  double per_particle_s = 0;  ///< s, of one rank alone
  double per_rank_s = 0;      ///< s

  double time_s(std::uint64_t particles, int ranks) const {
    return once_s + per_particle_s * static_cast<double>(particles) / ranks + per_rank_s * (ranks - 1);
  }
  /// The number of ranks, `most` at most, for which time_s() is least.
  int fastest_ranks(std::uint64_t particles, int most) const;
};

/// Whether the model knows this method: it was measured for `fmm` with the opening criterion `relative`.
bool has_step_time_model(const GravityParameters& gravity);

/// The model for one GPU, or `threads` CPU cores, a rank. A smaller tolerance takes more work.
StepTimeModel step_time_model(const GravityParameters& gravity, bool on_gpu, int threads);

}  // namespace grove
