// The simulation that a configuration describes.
#pragma once

#include <memory>

#include "decomposition/ranks/communicator.hpp"
#include "src/config/config.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// Device, gravity, external potentials and integrator are those of `config`, whose files of orbits are read; `function` adds to them;
/// there are no particles yet. Collective; throws AgreedError.
std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm,
                                                       const ExternalFunction& function = {});

/// The same for forces alone, without integrator, steps and external potentials.
std::unique_ptr<Simulation> make_simulation_of_forces(const Config& config, const Communicator& comm);

}  // namespace grove
