// Numbers in no order, the same on every rank.
#pragma once

#include <cstdint>

namespace grove::tests {

/// The output function of splitmix64 (Steele, Lea and Flood 2014): one to one.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace grove::tests
