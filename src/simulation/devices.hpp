// How the program finds its back ends. One of devices_cpu.cpp and devices_cpu_cuda.cpp is linked, depending on what was built.
#pragma once

#include <memory>
#include <string>

#include "src/simulation/simulation.hpp"

namespace grove {

/// A simulation on the CPU.
std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

/// A simulation on the GPU with the index of this rank within its node, counted round where there are fewer GPUs than ranks.
std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

/// Empty when a GPU can be used, else why not.
std::string why_no_gpu();

/// E.g. "12.4 (sm_80, sm_90)".
std::string cuda_version();

}  // namespace grove
