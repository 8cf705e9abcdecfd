// Step 4 (docs/architecture.md): particles are sorted by Morton key, with all their fields.
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

/// Whether the sort copies an array to scratch and back. Positions stay in the new memory; fields that do not travel or are scratch are
/// lost.
inline bool is_sorted_through_scratch(const FieldTable& table, std::size_t array) {
  const FieldArray& described = table.arrays()[array];
  return array != position_array && described.travels && !described.is_scratch;
}

/// Bytes of scratch with which sort_particles() sorts all arrays of `n` particles, and the magnitudes, at once.
inline std::size_t scratch_to_sort_at_once(const FieldTable& table, std::size_t n) {
  std::size_t item_bytes = sizeof(float);
  for (std::size_t a = 0; a < table.arrays().size(); ++a)
    if (is_sorted_through_scratch(table, a)) item_bytes += table.arrays()[a].item_bytes;
  return (n + 1) * item_bytes;  // gaps between the arrays are shorter than an item
}

/// Most scratch for sorting at once, which saves launches on a GPU and passes over the order on a CPU (docs/measurements.md). It is enough
/// for 400,000 particles with the standard fields; with more, launches cost little compared with the sort.
inline constexpr std::size_t most_scratch_to_sort_at_once = std::size_t{1} << 24;

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
/// and `input` except the keys, are undefined afterwards.
///
/// Arrays are sorted at once if that needs at most `most_scratch` bytes of scratch, otherwise one after the other, with the same result;
/// for other scratch see docs/architecture.md. Asynchronous. Throws SystemError when memory is short.
template <class Space>
View<const float> sort_particles(Space& space, const SortInput<Space>& input, Particles<Space>& particles,
                                 std::size_t most_scratch = most_scratch_to_sort_at_once);

}  // namespace grove
