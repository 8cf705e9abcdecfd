#include "decomposition/ranks/link_memory.cuh"

#include <string>
#include <utility>

#include "kernels/base/error.hpp"

namespace grove {

bool succeeds(cudaError_t code) {
  if (code == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

LinkBlock::LinkBlock(CudaSpace& space, LinkMemory where, std::size_t bytes) : space_(&space), bytes_(bytes) {
  if (where == LinkMemory::gpu) {
    data_ = static_cast<std::byte*>(space.allocate(bytes));
    return;
  }
  host_ = SharedMemory(bytes);
  const cudaError_t code = cudaHostRegister(host_.data(), bytes, cudaHostRegisterPortable);
  if (!succeeds(code))
    throw SystemError("CUDA cannot page-lock " + std::to_string(bytes >> 20) +
                      " MiB of host memory that ranks share: " + cudaGetErrorString(code));
  data_ = host_.data();
}

LinkBlock::LinkBlock(LinkBlock&& other) noexcept { *this = std::move(other); }

LinkBlock& LinkBlock::operator=(LinkBlock&& other) noexcept {
  std::swap(space_, other.space_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(host_, other.host_);
  return *this;
}

LinkBlock::~LinkBlock() {
  if (!data_) return;
  if (host_.data())
    succeeds(cudaHostUnregister(data_));
  else
    space_->deallocate(data_, bytes_);
}

std::optional<LinkName> LinkBlock::name() const {
  LinkName name{};
  if (host_.data())
    name.host = host_.name();
  else if (!succeeds(cudaIpcGetMemHandle(&name.gpu, data_)))
    return std::nullopt;
  return name;
}

std::optional<OpenBlock> OpenBlock::open(LinkMemory where, const LinkName& name) {
  OpenBlock block;
  if (where == LinkMemory::gpu) {
    void* data = nullptr;
    if (!succeeds(cudaIpcOpenMemHandle(&data, name.gpu, cudaIpcMemLazyEnablePeerAccess))) return std::nullopt;
    block.data_ = static_cast<std::byte*>(data);
    return block;
  }
  std::optional<SharedMemory> host = SharedMemory::open(name.host);
  if (!host || !succeeds(cudaHostRegister(host->data(), host->bytes(), cudaHostRegisterPortable))) return std::nullopt;
  block.data_ = host->data();
  block.host_ = std::move(*host);
  return block;
}

OpenBlock::OpenBlock(OpenBlock&& other) noexcept { *this = std::move(other); }

OpenBlock& OpenBlock::operator=(OpenBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(host_, other.host_);
  return *this;
}

OpenBlock::~OpenBlock() {
  if (data_) succeeds(host_.data() ? cudaHostUnregister(data_) : cudaIpcCloseMemHandle(data_));
}

}  // namespace grove
