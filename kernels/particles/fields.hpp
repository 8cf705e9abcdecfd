// The table of particle fields: each field of a particle is one row.
//
// Device arrays, the sort, the exchange between ranks, copies between host and device, the sort by id, snapshots and readers are loops over
// this table. To add a field, add a row to standard_rows() in fields.cpp. A run may add rows, such as those of its integrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/units.hpp"

namespace grove {

struct ParticleSet;

/// Type of one element of a field: unsigned integer (u), signed integer (i) or floating-point number (f), with its number of bytes.
enum class ElementType : std::uint8_t { u1, u2, u4, u8, i4, i8, f4, f8 };
std::size_t size_of(ElementType type);

/// Whether a field is written to snapshots. Unknown fields, such as the accelerations of initial conditions, are omitted.
enum class InSnapshot : std::uint8_t { never, always, on_request };
/// Whether readers look for a field in a file.
enum class InInput : std::uint8_t { never, required, when_there };

/// Access to a field that is a member of ParticleSet.
struct HostMember {
  /// The values [size * row bytes]; empty if they are unknown.
  std::span<const std::byte> (*bytes)(const ParticleSet& particles) = nullptr;
  /// Makes room for `n` particles; new elements are zero.
  std::span<std::byte> (*resize)(ParticleSet& particles, std::size_t n) = nullptr;
  /// Makes the values unknown and frees their memory.
  void (*release)(ParticleSet& particles) = nullptr;
};

/// One row of the table.
struct ParticleField {
  std::string name;       ///< e.g. "velocity"
  std::string dataset{};  ///< its name in HDF5 files, e.g. "Velocities"; empty if it has none
  ElementType type = ElementType::f8;
  std::size_t components = 1;  ///< elements for each particle
  FieldUnit unit{};
  InSnapshot snapshot = InSnapshot::never;
  InInput input = InInput::never;
  bool travels = true;      ///< moves with its particle to another place or rank; otherwise its values are lost
  bool is_scratch = false;  ///< a force evaluation uses its memory as scratch before it computes the field
  bool restart = true;      ///< part of the state for a restart
  double initial = 0;       ///< value of each element if the input does not have the field
  std::string array{};      ///< the device array, if shared with other fields; empty: an array of its own name
  std::size_t at = 0;       ///< index of its first element in an item of that array
  HostMember host{};        ///< empty if the values are in ParticleSet::further

  std::size_t row_bytes() const { return components * size_of(type); }  ///< of one particle
};

/// An array on the device: one item for each particle, with one or more fields.
struct FieldArray {
  std::string name;
  std::size_t item_bytes = 0;
  std::vector<std::size_t> fields;  ///< rows of the table
  bool travels = false, is_scratch = false;
};

/// The fields of all particles of a run, and the arrays that hold them. Immutable.
class FieldTable {
 public:
  /// Throws std::logic_error for two rows with one name, and for rows of one array that overlap or have elements of different size.
  explicit FieldTable(std::vector<ParticleField> rows);

  const std::vector<ParticleField>& rows() const { return rows_; }
  const std::vector<FieldArray>& arrays() const { return arrays_; }
  /// The row of that name, or null.
  const ParticleField* find(const std::string& name) const;
  /// Number of the array of that name. Throws std::logic_error when there is none.
  std::size_t array_of(const std::string& name) const;

 private:
  void add_to_array(std::size_t row);

  std::vector<ParticleField> rows_;
  std::vector<FieldArray> arrays_;
};
using FieldTablePtr = std::shared_ptr<const FieldTable>;

/// Numbers of the arrays that every table has; see Particles.
enum StandardArray : std::size_t { position_array, velocity_array, id_array, acceleration_array, type_array, work_array, tree_level_array };

/// The fields that every particle has.
const FieldTablePtr& standard_fields();

/// The standard fields and further ones. Throws std::logic_error like FieldTable, and for rows that would enlarge an item of a standard
/// array, which code uses as vectors of fixed length.
FieldTablePtr fields_with(const std::vector<ParticleField>& further);

}  // namespace grove
