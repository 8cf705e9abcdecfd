#include <climits>
#include <cstring>

#include "kernels/space/error.hpp"
#include "kernels/space/space.hpp"

namespace grove {

void check_cuda(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw SystemError(std::string("CUDA: ") + call + ": " + cudaGetErrorString(code));
}

int cuda_count(std::size_t n) {
  if (n > static_cast<std::size_t>(INT_MAX))
    throw SystemError("CUDA: " + std::to_string(n) + " items are more than one launch can handle; use more GPUs");
  return static_cast<int>(n);
}

void* PinnedMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  const cudaError_t code = cudaHostAlloc(&data, bytes, cudaHostAllocDefault);
  // Who asked may go on without it; the next kernel launch must not find the error.
  if (code == cudaErrorMemoryAllocation) cudaGetLastError();
  check_cuda(code, "cudaHostAlloc");
  return data;
}
void PinnedMemory::deallocate(void* data, std::size_t) noexcept {
  if (data) cudaFreeHost(data);
}
void PinnedMemory::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes) std::memcpy(to, from, bytes);
}

CudaSpace::CudaSpace(int device) : device_(device), arena_(*this) {
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  int major = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  overlaps_launches_ = major >= 9;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  check_cuda(cudaStreamCreateWithFlags(&copy_stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  check_cuda(cudaEventCreateWithFlags(&ordering_, cudaEventDisableTiming), "cudaEventCreate");
}

CudaSpace::~CudaSpace() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
  cudaEventDestroy(ordering_);
  cudaStreamDestroy(copy_stream_);
  cudaStreamDestroy(stream_);
}

void* CudaSpace::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw SystemError("the GPU is out of memory: " + std::to_string(bytes >> 20) + " MiB more wanted, " +
                      std::to_string(bytes_held_ >> 20) + " MiB held by this rank; use more GPUs or fewer particles");
  }
  check_cuda(code, "cudaMalloc");
  bytes_held_ += bytes;
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
  return data;
}

void CudaSpace::deallocate(void* data, std::size_t bytes) noexcept {
  if (!data) return;
  cudaFree(data);
  bytes_held_ -= bytes;
}

std::string CudaSpace::description() const {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
  return properties.name;
}

void CudaSpace::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
}
void CudaSpace::fill_bytes(void* to, int value, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemsetAsync(to, value, bytes, stream_), "cudaMemsetAsync");
}
void CudaSpace::copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  synchronize();
}
void CudaSpace::copy_from_host(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  synchronize();
}

void CudaSpace::copy_to_host_async(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copy_stream_), "cudaMemcpyAsync");
}
void CudaSpace::copy_from_host_async(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copy_stream_), "cudaMemcpyAsync");
}
void CudaSpace::order_copies_after_work() {
  check_cuda(cudaEventRecord(ordering_, stream_), "cudaEventRecord");
  check_cuda(cudaStreamWaitEvent(copy_stream_, ordering_), "cudaStreamWaitEvent");
}
void CudaSpace::wait_for_copies() { check_cuda(cudaStreamSynchronize(copy_stream_), "cudaStreamSynchronize"); }
void CudaSpace::order_after_copies() {
  check_cuda(cudaEventRecord(ordering_, copy_stream_), "cudaEventRecord");
  check_cuda(cudaStreamWaitEvent(stream_, ordering_), "cudaStreamWaitEvent");
}
void CudaSpace::synchronize() { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

CudaSpace::Stamp CudaSpace::stamp() {
  if (stamps_used_ == events_.size()) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreate(&event), "cudaEventCreate");
    events_.push_back(event);
  }
  check_cuda(cudaEventRecord(events_[stamps_used_], stream_), "cudaEventRecord");
  return stamps_used_++;
}

double CudaSpace::seconds_between(Stamp a, Stamp b) {
  float milliseconds = 0;
  check_cuda(cudaEventSynchronize(events_[b]), "cudaEventSynchronize");
  check_cuda(cudaEventElapsedTime(&milliseconds, events_[a], events_[b]), "cudaEventElapsedTime");
  return 1e-3 * milliseconds;
}

}  // namespace grove
