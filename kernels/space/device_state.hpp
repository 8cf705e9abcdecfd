// What a program needs to know of the device under it before it fills it.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

/// The device of one rank.
struct DeviceState {
  std::string name;              ///< for messages: "GPU 3, NVIDIA H200", "CPU, 8 threads"
  std::string id;                ///< of a GPU: the same for ranks that share it, and for no other GPU; empty for a CPU
  int visible = 0;               ///< GPUs that this process can choose from
  std::uint64_t free_bytes = 0;  ///< of a GPU's memory; a CPU's is that of the host, see host_memory.hpp

  bool is_gpu() const { return !id.empty(); }
};

}  // namespace grove
