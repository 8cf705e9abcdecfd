// A pseudo-random number for each particle.
#pragma once

#include <cstdint>

namespace grove {

/// Output number `stream` of SplitMix64 (Steele, Lea & Flood 2014) from the state `id`: one to one for each stream, and the same in every
/// run on any number of ranks. The particles with the lowest numbers are a random sample.
constexpr std::uint64_t mixed_id(std::uint64_t id, std::uint64_t stream = 0) {
  std::uint64_t z = id + 0x9e3779b97f4a7c15U * (stream + 1);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace grove
