// Step 4 (docs/architecture.md): particles are sorted by Morton key, with all their fields.
#pragma once

#include "kernels/particles/acceleration_measure.hpp"
#include "kernels/particles/morton_key.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/particles/type_classes.hpp"

namespace grove {

/// Sets `keys` [n] to the Morton keys of `position` [n] in `cube`. Asynchronous.
template <class Space>
void compute_keys(Space& space, View<const Double4> position, const KeyCube& cube, View<std::uint64_t> keys);
/// The same with the class of each particle's type above its key: see key_in_class().
template <class Space>
void compute_keys_in_classes(Space& space, const Particles<Space>& particles, const ClassOfType& class_of_type, const KeyCube& cube,
                             View<std::uint64_t> keys);

/// Sorts `keys` by their lowest `bits` bits, and sets `order` to the permutation that did it: keys[i] was keys[order[i]] before; equal keys
/// keep their order. Both of length n < 2^32. Asynchronous.
template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order, int bits = key_bits);

/// Sorts `keys` [particles], and the particles by them. Of the accelerations only the magnitudes are kept, since opening criteria look at
/// nothing else. Returns what `measure` makes of them [particles], in the new order. The result lies in the memory of
/// `particles.acceleration` and is valid until something is written there; the accelerations are undefined from here on. Asynchronous.
/// docs/architecture.md says how much scratch it takes.
template <class Space>
View<const float> sort_particles(Space& space, View<std::uint64_t> keys, const AccelerationMeasure& measure, Particles<Space>& particles);

}  // namespace grove
