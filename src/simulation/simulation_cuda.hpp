// The simulation on a GPU, and what is known of GPUs.
#pragma once

#include <memory>
#include <string>

#include "src/simulation/devices.hpp"

namespace grove {

/// A simulation on the GPU with the index of this rank within its node. With fewer GPUs than ranks, ranks share GPUs in turn.
std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

/// Empty when a GPU can be used, else why not, and what helps.
std::string why_no_gpu();

/// E.g. "12.4 (sm_80, sm_90)"; empty in a Grove without CUDA.
std::string cuda_version();

}  // namespace grove
