// Step 4 (docs/architecture.md): particles are sorted by Morton key, with all their fields.
#pragma once

#include "kernels/particles/acceleration_measure.hpp"
#include "kernels/particles/particle_keys.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/particles/type_classes.hpp"

namespace grove {

/// Sorts `keys` by their lowest `bits` bits, and sets `order` to the permutation that did it: keys[i] was keys[order[i]] before; equal keys
/// keep their order. Both of length n < 2^32. Asynchronous.
template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order, int bits = key_bits);

/// How keys are made of particles: Morton keys in `cube`, of the positions after the time `lead`. With several classes, that of the
/// particle's type is above: see key_in_class().
struct KeyRule {
  KeyCube cube;
  int class_count = 1;
  ClassOfType class_of_type = {};
  double lead = 0;
};

/// Whether the sort takes an array to other memory and back. Positions stay there, and of what does not travel, or is lent, nothing is
/// kept.
inline bool goes_there_and_back(const FieldTable& table, std::size_t array) {
  const FieldArray& described = table.arrays()[array];
  return array != position_array && described.travels && !described.is_lent;
}

/// The scratch with which sort_particles() takes all arrays of `n` particles, and the magnitudes, to other memory and back at once, bytes.
inline std::size_t scratch_to_sort_at_once(const FieldTable& table, std::size_t n) {
  std::size_t item_bytes = sizeof(float);
  for (std::size_t a = 0; a < table.arrays().size(); ++a)
    if (goes_there_and_back(table, a)) item_bytes += table.arrays()[a].item_bytes;
  return (n + 1) * item_bytes;  // places between the arrays are shorter than an item
}

/// The most that is taken for it, on a GPU to save launches, on a CPU passes over the order (docs/measurements.md). It is enough for
/// 400,000 particles of the standard fields; with more, launches hardly count beside the sort itself, while memory begins to.
inline constexpr std::size_t most_scratch_to_sort_at_once = std::size_t{1} << 24;

/// What a sort of particles starts from, [particles] each.
template <class Space>
struct SortInput {
  /// Sets `keys_to_set`, takes scratch for the rest, and sets it. Asynchronous, in one launch. Throws SystemError when memory is short.
  SortInput(Space& space, const Particles<Space>& particles, const KeyRule& rule, const AccelerationMeasure& measure,
            View<std::uint64_t> keys_to_set);

  View<std::uint64_t> keys;
  Scratch<Space, float> magnitude;      ///< what the measure makes of the accelerations
  Scratch<Space, std::uint32_t> order;  ///< the present one
  KeyOrder key_order;                   ///< particles with accelerations were sorted before they got these
};

/// Sorts the keys, and the particles by them; equal keys keep their order. Of the accelerations only the magnitudes are kept, since opening
/// criteria look at nothing else. Returns them [particles] in the new order. The result lies in the memory of `particles.acceleration` and
/// is valid until something is written there; the accelerations, and all of `input` but the keys, are undefined from here on.
///
/// Arrays are sorted all at once where that takes no more scratch than `most_scratch` bytes, and by turns otherwise, with the same result.
/// docs/architecture.md says how much scratch there is beside it. Asynchronous. Throws SystemError when memory is short.
template <class Space>
View<const float> sort_particles(Space& space, const SortInput<Space>& input, Particles<Space>& particles,
                                 std::size_t most_scratch = most_scratch_to_sort_at_once);

}  // namespace grove
