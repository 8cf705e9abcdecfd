// Direct summation in FP32 on one rank, which takes less time than a tree where there are few particles; of very few in FP64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/space/row.hpp"
#include "kernels/walks/direct_sum_fp32.hpp"
#include "src/solver/force_solver.hpp"

namespace grove {

/// The box around particles, six numbers, the sum of their positions, their mass, and a number that is NaN if one of these is not finite,
/// else 0.
using SpreadRow = Row<double, 11>;

/// Up to so many particles, sums in FP64 take no longer (docs/development/constants.md).
template <class Space>
inline constexpr std::size_t most_in_fp64 = Space::on_gpu ? 128 : 16;

/// The methods `fmm` and `tree` where uses_direct_summation() holds: for one rank and one class of softening.
template <class Space>
class Fp32DirectSolver final : public ForceSolver<Space> {
 public:
  Fp32DirectSolver(Space& space, const GravityLaw& law) : space_(space), law_(law), scaled_law_(law.unscaled()), sum_(space) {}

  /// Particles stay where they are.
  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets) override;
  void prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
              const std::function<void()>& meanwhile) override;
  WorkCounts work_counts() override { return {.particle_particle = pairs_}; }

 private:
  Space& space_;
  const GravityLaw law_;
  ScaledLaw scaled_law_;  ///< for the present extent of the particles
  DirectSumFp32<Space> sum_;
  std::optional<typename Space::template Later<SpreadRow>> spread_;  ///< of prepare_ahead()
  Double3 centre_;                                                   ///< mean position
  std::uint64_t pairs_ = 0;
};

}  // namespace grove
