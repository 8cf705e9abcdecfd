// Refuses a run that cannot fit into the memory of its machine before it starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/space/device_state.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/config/config.hpp"
#include "src/simulation/simulation.hpp"
#include "src/solver/memory_model.hpp"

namespace grove {

/// The memory of a GPU, a node, a control group, or a process. Ranks can share it.
struct MemoryPool {
  std::string name;            ///< for messages: "GPU 3, NVIDIA H200"
  std::string id;              ///< the same for all ranks that share it
  double needed = 0;           ///< bytes that this rank needs of it
  double free_bytes = 0;       ///< as this rank sees it
  bool is_gpu = false;         ///< else of the host
  bool is_of_process = false;  ///< of this rank alone, set by the user
};

/// The pools of this rank. `are_loaded`: its particles are in the host's memory already.
std::vector<MemoryPool> memory_pools(const MemoryModel& model, const DeviceState& device, const std::vector<MemoryLimit>& limits,
                                     std::uint64_t particles, bool are_loaded, const Communicator& comm);

/// Throws ConfigError, agreed, when the ranks need more of a pool than it has, even if the model is too high by its margin. The message has
/// the bytes needed and free, and how many GPUs or nodes would suffice. Returns a warning, on all ranks, when the run fits only if the
/// model is not too low; else an empty text. Collective.
std::string require_memory(const std::vector<MemoryPool>& own, const MemoryModel& model, std::uint64_t particles, const Communicator& comm);

/// require_memory() for the forces on particles of a generator, before they are made; does nothing for particles of a file. Collective;
/// throws AgreedError.
void require_memory_of_forces(const Config& config, const Simulation& simulation, const Communicator& comm);

/// Throws ConfigError, agreed, when the generated particles alone, `bytes` on this rank, exceed the memory of the host. Collective.
void require_memory_of_particles(const InitialConditions& conditions, double bytes, const Communicator& comm);

}  // namespace grove
