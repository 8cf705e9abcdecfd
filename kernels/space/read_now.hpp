// Reads that the compiler does not delay until their result is used.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// Reads a whole object: on the GPU in words of 16 bytes (or one of 4), all at once. Otherwise the compiler may read parts later, one by
/// one, and wait for each.
template <class T>
GROVE_HD inline T read_now(const T* from) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) == 4 || (sizeof(T) % 16 == 0 && alignof(T) % 16 == 0));
  constexpr int words = sizeof(T) / 16;
  union Words {
    __device__ Words() {}
    std::uint32_t small;
    uint4 word[words > 0 ? words : 1];
    T whole;
  } read;
  if constexpr (words == 0) {
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(read.small) : "l"(from));
  } else {
#pragma unroll
    for (int k = 0; k < words; ++k) {
      uint4& w = read.word[k];
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                   : "l"(reinterpret_cast<const uint4*>(from) + k));
    }
  }
  return read.whole;
#else
  return *from;
#endif
}

}  // namespace grove
