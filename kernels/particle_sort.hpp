// Step 4 of the particle's journey: sorted by Morton key with all its fields.
#pragma once

#include "kernels/morton_key.hpp"
#include "kernels/particles.hpp"

namespace grove {

/// Sets every particle's key in `cube`. Asynchronous.
template <class Space>
void compute_keys(Space& space, Particles<Space>& particles, const KeyCube& cube);

/// The permutation that sorts keys: sorted_keys[i] = keys[order[i]]; equal keys keep their order. All of length n < 2^32. Asynchronous.
template <class Space>
void sort_keys(Space& space, View<const std::uint64_t> keys, View<std::uint64_t> sorted_keys, View<std::uint32_t> order);

/// Sorts particles with all fields by their keys. Holds spare memory for one field of each kind, which takes turns with the fields
/// themselves, so that nothing is copied back.
template <class Space>
class ParticleSorter {
 public:
  explicit ParticleSorter(Space& space) : spare4_(space), spare3_(space), spare64_(space), spare32_(space), spare8_(space) {}

  /// Asynchronous; needs the keys to be set.
  void sort(Space& space, Particles<Space>& particles);

 private:
  Buffer<Space, Double4> spare4_;
  Buffer<Space, Double3> spare3_;
  Buffer<Space, std::uint64_t> spare64_;
  Buffer<Space, std::uint32_t> spare32_;
  Buffer<Space, std::uint8_t> spare8_;
};

}  // namespace grove
