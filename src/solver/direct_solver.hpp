// The method `direct`: direct summation in FP64; over ranks, blocks of sources travel round a ring.
#pragma once

#include "src/solver/direct_sum_over_ranks.hpp"
#include "src/solver/force_solver.hpp"

namespace grove {

template <class Space>
class DirectSolver final : public ForceSolver<Space> {
 public:
  DirectSolver(Space& space, const Communicator& comm, const GravityLaw& law, TransportWay way)
      : space_(space), comm_(comm), law_(law), sum_(space, comm, way), active_(space) {}

  /// Particles stay where they are.
  void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets targets) override;
  void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
              const std::function<void()>& meanwhile) override;
  std::string transport_description() override { return sum_.transport_description(); }
  WorkCounts work_counts() override { return {.particle_particle = pairs_}; }

 private:
  void sum_active(Particles<Space>& particles, const std::uint8_t* active);

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  DirectSumOverRanks<Space> sum_;
  Buffer<Space, std::uint32_t> active_;  ///< indices of the active particles; the memory is kept
  std::uint64_t pairs_ = 0;
};

}  // namespace grove
