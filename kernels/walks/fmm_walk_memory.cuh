// Shared memory of the walk of `fmm` on the GPU.
#pragma once

#include <cstdint>

#include "kernels/gravity/interaction.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/fmm_walk_cuda.hpp"

namespace grove::fmm_walk {

/// Source particles in the form that the inner loops need.
struct ParticleMemory {
  union {
    Float4 offset[2 * warp_size];      ///< from the targets' centre; w: mass. evaluate_own() writes its sources twice in a row
    float without_mass[3][warp_size];  ///< x, y, z
  };
  std::uint32_t index[warp_size];     ///< in the source tree
  std::uint32_t near[2 * warp_size];  ///< particles that may be close to a target, in the source tree
};

/// The sums of one warp of a team for the team's target.
template <int terms>
struct TeamShare {
  float local[terms];
  Force<float> force[warp_size];
  GroupWork work;
  std::uint32_t own;  ///< see TargetForces::own_bits()
};

/// Shared memory of one warp for sources. Its members are used at different times.
template <class Terms>
union SourceMemory {
  static constexpr int terms = Terms::count, words = multipole_stride(Terms::form) / 4;
  // Rows have an odd number of 16-byte words, so that lanes that read their rows 16 bytes at a time have no bank conflicts.
  float4 moments[warp_size][words | 1];
  float local[warp_size][terms | 1];
  CellSource cell[warp_size];
  ParticleMemory particle;
  TeamShare<terms> share;
};

/// A queue in shared memory. Whenever it has 32 entries, these are taken out, so that the entries of one round of tests always fit.
template <class T>
struct Queue {
  T entry[(1 + tests_a_lane) * warp_size];
};

/// One warp's part of shared memory.
template <class Terms>
struct WarpMemory {
  SourceMemory<Terms> sources;
  Queue<std::uint32_t> accepted;  ///< cells for the local expansion
  Queue<std::uint32_t> direct;    ///< cells for each target
  Queue<uint2> leaves;            ///< first particle and number of particles
};

}  // namespace grove::fmm_walk
