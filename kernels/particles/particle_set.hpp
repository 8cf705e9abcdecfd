// Particles on the host, field by field, from readers and generators and for writers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/particles/fields.hpp"

namespace grove {

/// GADGET's particle types; the number K of a group `/PartTypeK`.
inline constexpr int particle_type_count = 6;

/// The usual name of the component of each particle type, e.g. "disc" for type 2.
const char* component_name(int type);

/// The names of the components of a run, by particle type.
using ComponentNames = std::array<std::string, particle_type_count>;
/// component_name() of all types.
ComponentNames usual_component_names();

/// The values of a field that has no member in ParticleSet.
struct FurtherField {
  std::string name;
  std::vector<std::byte> bytes;  ///< [size * row bytes of the field]
};

/// The particles of one rank, in the same order in all vectors. An empty field is unknown.
struct ParticleSet {
  std::vector<double> position;              ///< [3 * size], x y z of each particle, code units
  std::vector<double> velocity;              ///< [3 * size], code units
  std::vector<double> mass;                  ///< [size], code units, >= 0
  std::vector<std::uint64_t> id;             ///< [size], unique over all ranks
  std::vector<std::uint8_t> type;            ///< [size], 0 .. particle_type_count - 1
  std::vector<double> acceleration;          ///< [3 * size]
  std::vector<double> potential;             ///< [size], per unit mass, without the self term
  std::vector<std::uint32_t> work{};         ///< [size], cost of the last force
  std::vector<FurtherField> further{};       ///< known fields without a member above
  FieldTablePtr fields = standard_fields();  ///< the fields that particles can have; the same on all ranks

  std::size_t size() const { return mass.size(); }

  /// Sets the length of the five input fields. Other fields do not change.
  void resize(std::size_t n);

  /// The values of a row of `fields` [size * row bytes]; empty if they are unknown.
  std::span<const std::byte> bytes(const ParticleField& field) const;
  /// Makes the field known and sets its length to `n` particles; new elements are zero.
  std::span<std::byte> resize(const ParticleField& field, std::size_t n);
  /// Makes the field unknown and frees its memory. Without masses, size() is 0.
  void release(const ParticleField& field);
};

}  // namespace grove
