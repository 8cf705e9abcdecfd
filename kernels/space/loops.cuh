// Loops on an NVIDIA GPU: the kernels of CudaSpace::for_each() and for_each_by_team(), their teams, and the wait for the previous launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace grove {

/// A part of a warp with a power of two of lanes: see SerialTeam.
template <int lanes>
class CudaTeam {
 public:
  static constexpr int size = lanes;
  __device__ int rank() const { return static_cast<int>(threadIdx.x % size); }
  template <class T, int n>
  __device__ void sum_each(T (&x)[n]) const {
    combine(x, [](T a, T b) { return a + b; });
  }
  template <class T, int n>
  __device__ void largest_each(T (&x)[n]) const {
    combine(x, [](T a, T b) { return a > b ? a : b; });
  }
  template <class T>
  __device__ T sum(T x) const {
    return combine_one(x, [](T a, T b) { return a + b; });
  }
  template <class T>
  __device__ T smallest(T x) const {
    return combine_one(x, [](T a, T b) { return a < b ? a : b; });
  }
  template <class T>
  __device__ T largest(T x) const {
    return combine_one(x, [](T a, T b) { return a > b ? a : b; });
  }
  template <class T>
  __device__ T of_first(T x) const {
    return __shfl_sync(lanes_of_warp(), x, 0, size);
  }
  __device__ void synchronize() const { __syncwarp(lanes_of_warp()); }
  __device__ std::uint32_t votes(bool condition) const {
    return (__ballot_sync(lanes_of_warp(), condition) & lanes_of_warp()) >> first_lane();
  }

 private:
  /// For each distance all values: exchanges of several values overlap.
  template <class T, int n, class Op>
  __device__ void combine(T (&x)[n], Op op) const {
#pragma unroll
    for (int d = size / 2; d > 0; d /= 2) {
#pragma unroll
      for (T& value : x) value = op(value, __shfl_xor_sync(lanes_of_warp(), value, d));
    }
  }
  template <class T, class Op>
  __device__ T combine_one(T x, Op op) const {
    T one[1] = {x};
    combine(one, op);
    return one[0];
  }
  __device__ static unsigned first_lane() { return threadIdx.x % 32 / size * size; }
  __device__ static unsigned lanes_of_warp() { return (~0U >> (32 - size)) << first_lane(); }
};

/// Waits until the previous launch of the stream has ended. Every kernel that may start earlier must call it, since later launches wait
/// only for this one.
__device__ inline void await_previous_launch() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

namespace detail {
constexpr unsigned for_each_threads = 256;

template <unsigned threads, class F>
__global__ void __launch_bounds__(threads) for_each_kernel(std::size_t n, F f) {
  await_previous_launch();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class Team, class F>
__global__ void __launch_bounds__(for_each_threads) for_each_by_team_kernel(std::size_t n, F f) {
  await_previous_launch();
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Team::size;
  if (i < n) f(Team{}, i);
}

}  // namespace detail

}  // namespace grove
