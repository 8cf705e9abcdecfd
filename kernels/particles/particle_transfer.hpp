// Particles between the host and a space: every field of the table.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/particles/particle_set.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Particles are copied this many at a time: the host has no room for all of them once more.
inline constexpr std::size_t transfer_chunk = std::size_t{1} << 18;

/// Calls f(first, count) for the parts of [0, n) that are copied at a time, in order.
template <class F>
void for_each_chunk(std::size_t n, F f) {
  for (std::size_t first = 0; first < n; first += transfer_chunk) f(first, std::min(transfer_chunk, n - first));
}

/// Replaces all particles of `particles`, which has the same table of fields, by those of `set`. Fields that `set` does not know get their
/// initial value. Synchronises. Throws std::logic_error for another table.
template <class Space>
void upload(Space& space, const ParticleSet& set, Particles<Space>& particles);

/// All particles with all their fields, in the order in which they are. Synchronises.
template <class Space>
ParticleSet download(Space& space, const Particles<Space>& particles);

}  // namespace grove
