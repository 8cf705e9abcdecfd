#include <cstdlib>
#include <new>

#include "kernels/space/error.hpp"
#include "kernels/space/space.hpp"

namespace grove {

void* HostSpace::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!data)
    throw SystemError("the host is out of memory: " + std::to_string(bytes >> 20) + " MiB more wanted, " +
                      std::to_string(bytes_held_ >> 20) + " MiB held by this rank; " + more_host_memory);
  bytes_held_ += bytes;
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
  return data;
}

void HostSpace::deallocate(void* data, std::size_t bytes) noexcept {
  std::free(data);
  bytes_held_ -= data ? bytes : 0;
}

std::string HostSpace::description() const { return "CPU, " + std::to_string(omp_get_max_threads()) + " threads"; }

}  // namespace grove
