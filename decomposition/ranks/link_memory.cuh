// Memory of a rank that other ranks of its node open: of its GPU (CUDA IPC), or page-locked memory of the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>

#include "decomposition/ranks/peer_links.hpp"
#include "decomposition/ranks/shared_memory.hpp"
#include "kernels/space/space_cuda.hpp"

namespace grove {

/// Whether a call succeeded. Failure is no error here: there is no link then. CUDA forgets it, so that no later call reports it.
bool succeeds(cudaError_t code);

/// What another process opens a block by.
struct LinkName {
  cudaIpcMemHandle_t gpu;  ///< stands for a whole block of CUDA's allocator
  SharedMemory::Name host;
};

/// A block of this rank.
class LinkBlock {
 public:
  LinkBlock() = default;
  /// `space` must outlive it. Throws SystemError where there is no memory left.
  LinkBlock(CudaSpace& space, LinkMemory where, std::size_t bytes);
  LinkBlock(LinkBlock&& other) noexcept;
  LinkBlock& operator=(LinkBlock&& other) noexcept;
  ~LinkBlock();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Nothing where other processes cannot open it.
  std::optional<LinkName> name() const;

 private:
  CudaSpace* space_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  SharedMemory host_;  ///< empty for memory of the GPU
};

/// A block of another rank.
class OpenBlock {
 public:
  OpenBlock() = default;
  /// Nothing where it cannot be opened.
  static std::optional<OpenBlock> open(LinkMemory where, const LinkName& name);
  OpenBlock(OpenBlock&& other) noexcept;
  OpenBlock& operator=(OpenBlock&& other) noexcept;
  /// No copy from it may still run.
  ~OpenBlock();

  const std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  SharedMemory host_;  ///< empty for memory of a GPU
};

}  // namespace grove
