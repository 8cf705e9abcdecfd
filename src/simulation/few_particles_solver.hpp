// The methods `fmm` and `tree` for few particles: on one rank, all pairs are then summed sooner than a tree is built and walked.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "kernels/space/row.hpp"
#include "kernels/walks/pair_sum.hpp"
#include "src/simulation/force_solver.hpp"

namespace grove {

/// The box around particles, six numbers, the sum of their positions, their mass, and a number that is NaN if one of these is not finite,
/// else 0.
using SpreadRow = Row<double, 11>;

/// Sums all pairs if there are few particles, and leaves larger numbers to another solver.
template <class Space>
class FewParticlesSolver final : public ForceSolver<Space> {
 public:
  FewParticlesSolver(Space& space, const Communicator& comm, const GravityParameters& gravity, std::unique_ptr<ForceSolver<Space>> of_many)
      : space_(space),
        comm_(comm),
        gravity_(gravity),
        law_(gravity),
        scaled_law_(law_.unscaled()),
        of_many_(std::move(of_many)),
        sum_(space) {}

  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  void prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double drift) override;
  MagnitudesAhead magnitudes_ahead(Particles<Space>& particles, double drift) override {
    return are_few_ ? MagnitudesAhead{} : of_many_->magnitudes_ahead(particles, drift);
  }
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
              const std::function<void()>& meanwhile) override;
  std::string transport_description() override { return of_many_->transport_description(); }
  WorkCounts work_counts() override;
  void save(SavedState& state) const override { of_many_->save(state); }
  void restore(const SavedState& state, const Particles<Space>& particles) override {
    ahead_drift_ = 0;
    of_many_->restore(state, particles);
  }

 private:
  Space& space_;
  const Communicator& comm_;
  const GravityParameters gravity_;
  const GravityLaw law_;
  ScaledLaw scaled_law_;  ///< for the present extent of the particles
  std::unique_ptr<ForceSolver<Space>> of_many_;
  PairSum<Space> sum_;
  bool are_few_ = false;
  std::optional<typename Space::template Later<SpreadRow>> spread_;  ///< of prepare_ahead()
  double ahead_drift_ = 0;                                           ///< with which that was called
  Double3 centre_;                                                   ///< mean position
  std::uint64_t pairs_ = 0;
};

}  // namespace grove
