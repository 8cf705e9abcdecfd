// What a force solver is made from.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/transport_way.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// `space` and `comm` outlive the solver.
template <class Space>
struct SolverParts {
  Space& space;
  const Communicator& comm;
  const GravityParameters& gravity;
  const GravityLaw& law;
  TransportWay way;
};

}  // namespace grove
