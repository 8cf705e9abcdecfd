// Step 4 (docs/development/overview.md): particles are sorted by Morton key, with all their fields.
#pragma once

#include "kernels/particles/acceleration_measure.hpp"
#include "kernels/particles/particle_keys.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/particles/type_classes.hpp"

namespace grove {

/// Sorts `keys` by their lowest `bits` bits, stable, and sets `order` to the permutation: keys[i] was keys[order[i]] before. Both have
/// length n < 2^32. Asynchronous.
template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order, int bits = key_bits);

/// How keys are made: Morton keys in `cube`, of the positions after the time `lead`. With several classes, the class of the particle's type
/// comes first: see key_in_class().
struct KeyRule {
  KeyCube cube;
  int class_count = 1;
  ClassOfType class_of_type = {};
  double lead = 0;
};

/// Input of a sort of particles, [particles] each.
template <class Space>
struct SortInput {
  /// Sets `keys_to_set` and the other members, in scratch. Asynchronous, in one launch. Throws SystemError when memory is short.
  SortInput(Space& space, const Particles<Space>& particles, const KeyRule& rule, const AccelerationMeasure& measure,
            View<std::uint64_t> keys_to_set);

  View<std::uint64_t> keys;
  Scratch<Space, float> magnitude;      ///< of the accelerations, by the measure
  Scratch<Space, std::uint32_t> order;  ///< the present order
  KeyOrder key_order;                   ///< particles with accelerations have been sorted before
};

/// Sorts the keys and the particles by them, stable. Of the accelerations only the magnitudes are kept, which opening criteria use. Returns
/// them [particles] in the new order, in the memory of `particles.acceleration`: valid until something is written there. The accelerations,
/// fields that do not travel, and `input` except the keys, are undefined afterwards. For scratch see docs/development/internals.md,
/// "Memory". Asynchronous. Throws SystemError when memory is short.
template <class Space>
View<const float> sort_particles(Space& space, const SortInput<Space>& input, Particles<Space>& particles);

}  // namespace grove
