#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thread>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/space/sample_sort.cuh"
#include "kernels/space/space.hpp"

namespace grove {

namespace {

/// Advice to the user for a CUDA error; empty for errors that only a change of the program can mend.
const char* advice_on(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "; the GPU is out of memory: use more GPUs or fewer particles";
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorSystemNotReady:
    case cudaErrorUnknown:
      return "; the GPU is lost to this run: look at nvidia-smi and at the kernel's log (Xid) on this host, and leave the GPU or the host "
             "out "
             "if it happens again";
    default:
      return "";
  }
}

/// The items of a scan, whose result has one more item; the item read for it has no effect.
template <class T>
struct ItemOrZero {
  const T* items;
  std::size_t count;
  GROVE_HD T operator()(std::size_t i) const { return i < count ? items[i] : T{}; }
};

/// One block copies bytes to the host.
__global__ void copy_to_host_kernel(const std::byte* from, unsigned bytes, std::byte* to, detail::Mark mark) {
  await_previous_launch();
  for (unsigned b = threadIdx.x; b < bytes; b += blockDim.x) to[b] = from[b];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) mark.set();
}

// The host polls a mark for this long; then it synchronises, which also reports an error.
constexpr auto longest_look = std::chrono::milliseconds(2);

// Up to this number of nearly sorted items, the sort by samples is faster, since it needs fewer launches (docs/development/constants.md).
constexpr std::size_t most_to_sort_by_samples = std::size_t{1} << 20;

}  // namespace

void check_cuda(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw SystemError(std::string("CUDA: ") + call + ": " + cudaGetErrorString(code) + advice_on(code));
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
  if (code == cudaErrorMemoryAllocation) {
    // The caller may continue without the memory; the next kernel launch must not report this error.
    cudaGetLastError();
    throw SystemError("the host is out of page-locked memory: " + std::to_string(bytes >> 20) + " MiB more wanted; " + more_host_memory);
  }
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
  check_cuda(cudaGetDevice(&former_device_), "cudaGetDevice");
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  int major = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  // Code for older GPUs that CUDA translates for this one has no await_previous_launch().
  cudaFuncAttributes code{};
  check_cuda(cudaFuncGetAttributes(&code, copy_to_host_kernel), "cudaFuncGetAttributes");
  overlaps_launches_ = major >= 9 && code.ptxVersion >= 90;
  int reads_host = 0;
  check_cuda(cudaDeviceGetAttribute(&reads_host, cudaDevAttrPageableMemoryAccessUsesHostPageTables, device), "cudaDeviceGetAttribute");
  reads_pageable_memory_ = reads_host != 0;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  check_cuda(cudaStreamCreateWithFlags(&copy_stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  check_cuda(cudaEventCreateWithFlags(&ordering_, cudaEventDisableTiming), "cudaEventCreate");
  check_cuda(cudaHostAlloc(&small_copy_, small_copy + most_later * later_bytes, cudaHostAllocMapped), "cudaHostAlloc");
  later_ = static_cast<std::byte*>(small_copy_) + small_copy;
  void* words = nullptr;
  check_cuda(cudaHostAlloc(&words, (2 + most_later) * sizeof(unsigned), cudaHostAllocMapped), "cudaHostAlloc");
  marks_.word = static_cast<unsigned*>(words);
  for (std::size_t k = 0; k < most_later; ++k) later_marks_[k].word = marks_.word + 1 + k;
  samples_.last_slow = marks_.word + 1 + most_later;
  std::fill_n(marks_.word, 2 + most_later, 0U);
  check_cuda(cudaMalloc(&blocks_done_, sizeof(unsigned)), "cudaMalloc");
  check_cuda(cudaMemsetAsync(blocks_done_, 0, sizeof(unsigned), stream_), "cudaMemsetAsync");
}

CudaSpace::~CudaSpace() {
  for (const auto& bank : events_)
    for (cudaEvent_t event : bank) cudaEventDestroy(event);
  cudaFree(blocks_done_);
  cudaFreeHost(marks_.word);
  cudaFreeHost(small_copy_);
  cudaEventDestroy(ordering_);
  cudaStreamDestroy(copy_stream_);
  cudaStreamDestroy(stream_);
  cudaSetDevice(former_device_);
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

DeviceState CudaSpace::state() const {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
  DeviceState state{"GPU " + std::to_string(device_) + ", " + properties.name, "", 0, 0};
  constexpr char digits[] = "0123456789abcdef";
  for (const char byte : properties.uuid.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    state.id += {digits[value / 16], digits[value % 16]};
  }
  check_cuda(cudaGetDeviceCount(&state.visible), "cudaGetDeviceCount");
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  state.free_bytes = free;
  return state;
}

void CudaSpace::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
}
void CudaSpace::fill_bytes(void* to, int value, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemsetAsync(to, value, bytes, stream_), "cudaMemsetAsync");
}
void CudaSpace::copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && bytes <= small_copy) {
    const detail::Mark mark = marks_.next();
    launch("copy to the host", 1, 256, copy_to_host_kernel, static_cast<const std::byte*>(from), static_cast<unsigned>(bytes),
           static_cast<std::byte*>(small_copy_), mark);
    wait_for(mark);
    std::memcpy(to, small_copy_, bytes);
    return;
  }
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  synchronize();
}
void CudaSpace::copy_from_host(void* to, const void* from, std::size_t bytes) {
  // For pageable memory CUDA makes a copy before it returns, unless the GPU can read the memory in place.
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  if (reads_pageable_memory_) synchronize();
}

void CudaSpace::copy_to_host_async(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copy_stream_), "cudaMemcpyAsync");
}
void CudaSpace::copy_from_host_async(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copy_stream_), "cudaMemcpyAsync");
}
void CudaSpace::copy_async(void* to, const void* from, std::size_t bytes) {
  if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, copy_stream_), "cudaMemcpyAsync");
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
void CudaSpace::wait_for(const detail::Mark& mark) {
  const std::atomic_ref<unsigned> word(*mark.word);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int k = 0; k < 64; ++k)
      if (word.load(std::memory_order_acquire) == mark.value) return;
    std::this_thread::yield();  // where ranks share a core
  } while (std::chrono::steady_clock::now() - start < longest_look);
  synchronize();
  if (word.load(std::memory_order_acquire) != mark.value) throw SystemError("CUDA: a result of the GPU has not reached the host");
}
void CudaSpace::synchronize() { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

template <class T>
void CudaSpace::exclusive_scan(View<const T> in, View<T> out) {
  if (in.size == 0) return fill_bytes(out.data, 0, sizeof(T));
  const auto items = thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), ItemOrZero<T>{in.data, in.size});
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    check_cuda(cub::DeviceScan::ExclusiveSum(scratch, bytes, items, out.data, cuda_count(in.size + 1), stream_), "DeviceScan");
  };
  scan(nullptr);
  Scratch<CudaSpace, std::byte> scratch(*this, bytes);
  scan(scratch.data());
}

void CudaSpace::sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits, KeyOrder order) {
  if (keys.empty()) return;
  if (order == KeyOrder::nearly_sorted && keys.size <= most_to_sort_by_samples && samples_.serve())
    return sort_by_samples(keys, values, bits);
  // With a second buffer for each array CUB needs little other scratch; without, it needs two buffers.
  Scratch<CudaSpace, std::uint64_t> spare_keys(*this, keys.size);
  Scratch<CudaSpace, std::uint32_t> spare_values(*this, keys.size);
  cub::DoubleBuffer<std::uint64_t> both_keys(keys.data, spare_keys.data());
  cub::DoubleBuffer<std::uint32_t> both_values(values.data, spare_values.data());
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    check_cuda(cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, cuda_count(keys.size), 0, bits, stream_),
               "DeviceRadixSort");
  };
  sort(nullptr);
  Scratch<CudaSpace, std::byte> scratch(*this, bytes);
  sort(scratch.data());
  if (both_keys.Current() != keys.data) copy(keys.data, both_keys.Current(), keys.size * sizeof(std::uint64_t));
  if (both_values.Current() != values.data) copy(values.data, both_values.Current(), values.size * sizeof(std::uint32_t));
}

/// After a slow sort by samples the next sorts are radix sorts, each time twice as many.
bool CudaSpace::SortsBySamples::serve() {
  if (others_left > 0) {
    --others_left;
    return false;
  }
  if (last_was_one && *static_cast<volatile unsigned*>(last_slow) == number) {
    last_was_one = false;
    others_left = others - 1;
    others = std::min(2 * others, most_others);
    return false;
  }
  if (last_was_one) others = fewest_others;
  last_was_one = true;
  ++number;
  return true;
}

void CudaSpace::sort_by_samples(View<std::uint64_t> keys, View<std::uint32_t> values, int bits) {
  using namespace sample_sort;
  const LessInBits less{~std::uint64_t{0} >> (64 - bits)};
  const Pairs pairs{keys.data, values.data};
  // Tiles have threads * items pairs; buckets may have some more.
  const auto sort = [&]<int threads, int items, int bucket_items>(std::integer_sequence<int, threads, items, bucket_items>) {
    const bool is_one_tile = keys.size <= threads * items;
    Scratch<CudaSpace, std::uint64_t> tile_keys(*this, is_one_tile ? 0 : keys.size);
    Scratch<CudaSpace, std::uint32_t> tile_values(*this, is_one_tile ? 0 : keys.size), border(*this, most_tiles);
    Scratch<CudaSpace, std::uint64_t> sample(*this, is_one_tile ? 0 : most_tiles * samples_of_tile);
    const Tiles tiles{is_one_tile ? pairs : Pairs{tile_keys.data(), tile_values.data()}, is_one_tile ? nullptr : sample.data(),
                      static_cast<unsigned>(keys.size), threads * items};
    launch("sort of tiles", tiles.tiles(), threads, sort_tiles_kernel<threads, items>, pairs, tiles, less);
    if (is_one_tile) return;
    launch("borders of buckets", (tiles.samples() - 1) / (borders_threads / 32) + 1, borders_threads, find_borders_kernel, tiles,
           border.data(), less);
    launch("sort of buckets", tiles.buckets(), threads, sort_buckets_kernel<threads, bucket_items>, tiles, border.data(), pairs, less,
           Slowness{samples_.last_slow, samples_.number});
  };
  // Small tiles, if they are no more than the multiprocessors of a large GPU; otherwise the smallest tiles that are not too many.
  if (keys.size <= most_tiles / 2 * 1024)
    sort(std::integer_sequence<int, 256, 4, 6>{});
  else if (keys.size <= most_tiles * 2048)
    sort(std::integer_sequence<int, 512, 4, 6>{});
  else
    sort(std::integer_sequence<int, 512, 8, 10>{});
}

template void CudaSpace::exclusive_scan(View<const std::uint32_t>, View<std::uint32_t>);
template void CudaSpace::exclusive_scan(View<const std::uint64_t>, View<std::uint64_t>);

CudaSpace::Stamp CudaSpace::stamp() {
  std::vector<cudaEvent_t>& events = events_[stamp_bank_];
  if (stamps_used_ == events.size()) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreate(&event), "cudaEventCreate");
    events.push_back(event);
  }
  check_cuda(cudaEventRecord(events[stamps_used_], stream_), "cudaEventRecord");
  return events[stamps_used_++];
}

double CudaSpace::seconds_between(Stamp a, Stamp b) {
  float milliseconds = 0;
  check_cuda(cudaEventSynchronize(b), "cudaEventSynchronize");
  check_cuda(cudaEventElapsedTime(&milliseconds, a, b), "cudaEventElapsedTime");
  return 1e-3 * milliseconds;
}

}  // namespace grove
