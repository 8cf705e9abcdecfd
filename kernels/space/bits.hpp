// Functions of the bits of a word.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

GROVE_HD inline std::uint32_t count_ones(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(word));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

/// Index of the lowest set bit. There must be one.
GROVE_HD inline std::uint32_t lowest_one(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(word)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(word));
#endif
}

}  // namespace grove
