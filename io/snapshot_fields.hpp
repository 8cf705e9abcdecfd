// The fields of a snapshot. To add one: a member of ParticleSet that holds it and one line in the table of snapshot_fields.cpp.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/particles/particle_set.hpp"
#include "io/unit_system.hpp"

namespace grove {

/// All elements have 8 bytes.
enum class ElementType { f8, u8 };

/// A quantity is length^length * mass^mass * velocity^velocity.
struct UnitExponents {
  double length = 0, mass = 0, velocity = 0;

  /// One code unit of the quantity in cgs; 1 for numbers without unit.
  double to_cgs(const UnitSystem& units) const;
};

struct SnapshotField {
  const char* name;     ///< of the dataset in /PartTypeK
  std::size_t columns;  ///< numbers per particle
  ElementType type;
  UnitExponents units;
  bool required;  ///< others are left out of the snapshot when they are not known
  /// The numbers of all particles [size * columns * 8 bytes]; empty when they are not known. The result borrows from its argument.
  std::span<const std::byte> (*values)(const ParticleSet& particles);

  std::size_t row_bytes() const { return 8 * columns; }
};

/// All fields, in the order in which they are written.
std::span<const SnapshotField> snapshot_fields();

/// The name of each particle type's component, e.g. "disc" for type 2.
const char* component_name(int type);

}  // namespace grove
