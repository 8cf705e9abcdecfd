// Softening by component: from the names of components to particle types.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "src/run/initial_state.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The softening length [types] of each particle type, from the lengths by component in `gravity`; nothing if there are none. Types without
/// particles get the smallest length. `count` [types] particles over all ranks. Throws ConfigError for a component without a length, and
/// for a name without particles.
std::vector<double> softening_of_types(const GravityParameters& gravity, const ComponentNames& names,
                                       const std::vector<std::uint64_t>& count);

/// Sets the softening of the particles' types in `gravity` and in the simulation, which has not started. Collective; throws AgreedError.
void set_component_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation, const Communicator& comm);

}  // namespace grove
