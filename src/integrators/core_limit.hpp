// Which particles are the core.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace grove {

/// What steps take, s. The choice depends on their ratios alone, and not on what is measured in a run: the same run takes the same steps
/// again.
struct StepCosts {
  double sub_step = 0, particle = 0, update = 0;  ///< a sub-step of all: at least, for each particle, and for each that gets a force
  double core_sub_step = 0, pair = 0;             ///< a sub-step of the core: at least, and for each pair
  double exchange = 0;                            ///< to take the core out and put it back
  double few_sub_step = 0, few_pair = 0;          ///< a sub-step of all without trees; infinite: there are trees
};

/// Of one thread of a CPU with AVX2: 100,000 particles around a hole, fmm with tolerance 1e-3.
inline constexpr StepCosts cpu_costs{.sub_step = 100e-6,
                                     .particle = 150e-9,
                                     .update = 2.6e-6,
                                     .core_sub_step = 60e-6,
                                     .pair = 2e-9,
                                     .exchange = 300e-6,
                                     .few_sub_step = 20e-6,
                                     .few_pair = 0.6e-9};
/// Of an H200: a million particles around a hole, with so many classes of softening. Walks are those of class_walks() without lengths of
/// pairs.
constexpr StepCosts gpu_costs(int classes) {
  const double walks = 2 * classes - 1;
  return {.sub_step = 180e-6 * walks,
          .particle = 0.2e-9,
          .update = 0.7e-9 * walks,
          .core_sub_step = 7e-6,
          .pair = 1.4e-12,
          .exchange = 200e-6,
          .few_sub_step = 45e-6,
          .few_pair = 0.7e-12};
}

/// A limit of the core with which it is all particles.
inline constexpr int all_rungs = -1;

/// The rung beyond which particles are to be the core, in a base step: as it is fastest, and with at most `most` particles there. None: a
/// core would not pay. `particles`: [rung], of all ranks. `may_be_all`: the limit may be all_rungs.
std::optional<int> core_limit(std::span<const std::uint64_t> particles, std::uint64_t most, int ranks, const StepCosts& costs,
                              bool may_be_all = false);

}  // namespace grove
