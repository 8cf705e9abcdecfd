// A model of the time of a step on several ranks, for advice.
#pragma once

#include <cstdint>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// time(P) = once + work / P + each * (P - 1) for P ranks: a constant, the share of the work, and a cost of every further rank. The
/// constants are measured: docs/performance.md, "How many ranks".
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

/// The model for ranks with one GPU, or with `threads` CPU cores. A smaller tolerance takes more work.
StepTimeModel step_time_model(const GravityParameters& gravity, bool on_gpu, int threads);

}  // namespace grove
