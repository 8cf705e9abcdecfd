// The simulation on the CPU.
#pragma once

#include <memory>
#include <string>

#include "src/simulation/devices.hpp"

namespace grove {

/// Name of this back end, with the levels of x86-64 in it that this processor has.
std::string built_cpu_back_end();

std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

}  // namespace grove
