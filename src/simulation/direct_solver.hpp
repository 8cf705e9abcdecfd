// The method `direct`: all pairs in FP64; over ranks, blocks of sources travel round a ring.
#pragma once

#include "decomposition/direct_sum_over_ranks.hpp"
#include "src/simulation/force_solver.hpp"

namespace grove {

template <class Space>
class DirectSolver final : public ForceSolver<Space> {
 public:
  DirectSolver(Space& space, const Communicator& comm, const GravityParameters& gravity)
      : space_(space), comm_(comm), gravity_(gravity), ring_(space) {}

  void compute(Particles<Space>& particles, PhaseClock<Space>& clock) override;
  WorkCounts work_counts() override;

 private:
  Space& space_;
  const Communicator& comm_;
  const GravityParameters gravity_;
  DirectSumOverRanks<Space> ring_;
  std::uint64_t pairs_ = 0;
};

}  // namespace grove
