// Copies of particles between the host and a space, with every field of the table.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/particles/particle_set.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Particles are copied in chunks of this many, so that the host need not hold all of them twice.
inline constexpr std::size_t transfer_chunk = std::size_t{1} << 18;

/// Calls f(first, count) for each chunk of [0, n), in order.
template <class F>
void for_each_chunk(std::size_t n, F f) {
  for (std::size_t first = 0; first < n; first += transfer_chunk) f(first, std::min(transfer_chunk, n - first));
}

/// Replaces all particles by those of `set`, which has the same field table. Fields unknown to `set` get their initial value. Frees each
/// field of `set` once it is copied, so that a CPU does not hold all of them twice. Synchronises. Throws std::logic_error for another
/// table, and for a field of a wrong length.
template <class Space>
void upload(Space& space, ParticleSet set, Particles<Space>& particles);

/// All particles with all their fields, in their present order. Synchronises.
template <class Space>
ParticleSet download(Space& space, const Particles<Space>& particles);

}  // namespace grove
