// The simulation on a GPU, and what is known of GPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "src/simulation/devices.hpp"

namespace grove {

/// A simulation on the GPU with the index of this rank within its node. With fewer GPUs than ranks, ranks share GPUs in turn.
std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

/// The GPU that this thread uses; -1 where there is none.
int current_gpu();
/// From now on this thread uses that GPU. -1: nothing happens.
void use_gpu(int number);
/// Waits for all work on the present GPU, also of other code in this process.
void wait_for_gpu();
/// Copies between memory of the host and of GPUs, either way, after all work on the present GPU. Throws SystemError.
void copy_gpu_memory(void* to, const void* from, std::size_t bytes);

/// Empty when a GPU can be used, else why not, and what helps.
std::string why_no_gpu();

/// E.g. "12.4 (sm_80, sm_90)"; empty in a Grove without CUDA.
std::string cuda_version();

}  // namespace grove
