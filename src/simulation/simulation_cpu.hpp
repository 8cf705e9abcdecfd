// The simulation on the CPU.
#pragma once

#include <memory>

#include "src/simulation/devices.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

}  // namespace grove
