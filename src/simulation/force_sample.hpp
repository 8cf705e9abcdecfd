// Forces by direct summation for a random sample of particles, and how far other forces are from them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/external/external_field.hpp"
#include "src/solver/direct_sum_over_ranks.hpp"

namespace grove {

/// Accelerations and potentials of a sample of particles by direct summation in FP64, on every rank.
struct ReferenceForces {
  std::vector<std::uint64_t> id;
  std::vector<double> acceleration;  ///< [3 * size]
  std::vector<double> potential;
};

/// Force error of a sample of particles against direct summation in FP64, on every rank.
struct ForceSample {
  std::vector<std::uint64_t> id;
  std::vector<double> acceleration_error;  ///< |a - a_direct| / |a_direct|
  std::vector<double> potential_error;     ///< |phi - phi_direct| / |phi_direct|
};

/// Makes reference forces and compares other forces with them. Keeps memory for the blocks of sources that travel between ranks.
template <class Space>
class ForceSampler {
 public:
  /// `space`, `comm` and `external`, which may be null, must outlive it.
  ForceSampler(Space& space, const Communicator& comm, const GravityLaw& law, TransportWay way, const ExternalField<Space>* external)
      : space_(space), comm_(comm), law_(law), sum_(space, comm, way), external_(external) {}

  /// See Simulation. Collective; synchronises.
  ReferenceForces reference_forces(const Particles<Space>& particles, std::uint64_t targets, std::uint64_t seed);
  ForceSample compare(const Particles<Space>& particles, const ReferenceForces& reference);

 private:
  /// Indices, ascending, of this rank's particles in a sample of `wanted` over all ranks. Collective.
  std::vector<std::uint32_t> random_sample(const Particles<Space>& particles, std::uint64_t wanted, std::uint64_t seed);

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  DirectSumOverRanks<Space> sum_;
  const ExternalField<Space>* external_;
};

}  // namespace grove
