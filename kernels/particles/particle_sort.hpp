// Step 4 of the particle's journey: sorted by Morton key with all its fields.
#pragma once

#include "kernels/particles/morton_key.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Sets `keys` [n] to the Morton keys of `position` [n] in `cube`. Asynchronous.
template <class Space>
void compute_keys(Space& space, View<const Double4> position, const KeyCube& cube, View<std::uint64_t> keys);

/// Sorts `keys` and sets `order` to the permutation that did it: keys[i] was keys[order[i]] before; equal keys keep their order. Both of
/// length n < 2^32. Asynchronous.
template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order);

/// Sorts `keys` [particles] and the particles by them. Of the acceleration only its magnitude is kept, which is all that opening criteria
/// look at: the result [particles] is |a| / `acceleration_unit`, in the new order. It lies in the memory of `particles.acceleration`, the
/// contents of which are undefined from here on, and holds until something is written there. Asynchronous; takes 20 bytes of scratch a
/// particle.
template <class Space>
View<const float> sort_particles(Space& space, View<std::uint64_t> keys, double acceleration_unit, Particles<Space>& particles);

}  // namespace grove
