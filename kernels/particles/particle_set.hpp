// Particles on the host, field by field: what readers and generators make and writers take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace grove {

/// GADGET's particle types; the number K of a group `/PartTypeK`.
inline constexpr int particle_type_count = 6;

/// One rank's share of the particles; all vectors have the lengths given, in the same particle order.
struct ParticleSet {
  std::vector<double> position;      ///< [3 * size], x y z of each particle, code units
  std::vector<double> velocity;      ///< [3 * size], code units
  std::vector<double> mass;          ///< [size], code units, >= 0
  std::vector<std::uint64_t> id;     ///< [size], unique over all ranks
  std::vector<std::uint8_t> type;    ///< [size], 0 .. particle_type_count - 1
  std::vector<double> acceleration;  ///< [3 * size], or empty when not known
  std::vector<double> potential;     ///< [size], per unit mass, without the self term; or empty when not known

  std::size_t size() const { return mass.size(); }

  /// Sets the length of the five input fields; acceleration and potential stay as they are.
  void resize(std::size_t n) {
    position.resize(3 * n);
    velocity.resize(3 * n);
    mass.resize(n);
    id.resize(n);
    type.resize(n);
  }
};

}  // namespace grove
