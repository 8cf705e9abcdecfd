// Name and free memory of the device.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

/// The device of one rank.
struct DeviceState {
  std::string name;              ///< for messages: "GPU 3, NVIDIA H200", "CPU, 8 threads"
  std::string id;                ///< unique for each GPU, the same for ranks that share it; empty for a CPU
  int visible = 0;               ///< GPUs visible to this process
  std::uint64_t free_bytes = 0;  ///< free memory of a GPU; for a CPU see host_memory.hpp

  bool is_gpu() const { return !id.empty(); }
};

}  // namespace grove
