// The table of particle fields: what a particle has, each field in one row.
//
// Arrays on the device, the sort, the exchange between ranks, copies between host and device, the sort by id, snapshots and readers are
// loops over this table. To add a field, add one row to standard_fields() in fields.cpp; a run may have further rows of its own, such as
// those of its integrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grove {

struct ParticleSet;

/// Type of one element of a field: unsigned integer (u), signed integer (i) or floating-point number (f), and its bytes.
enum class ElementType : std::uint8_t { u1, u2, u4, u8, i4, i8, f4, f8 };
std::size_t size_of(ElementType type);

/// A quantity is length^length * mass^mass * velocity^velocity.
struct FieldUnit {
  double length = 0, mass = 0, velocity = 0;
};

/// Whether a field is written to snapshots. A field that is not known, such as the accelerations of initial conditions, is left out.
enum class InSnapshot : std::uint8_t { never, always, on_request };
/// Whether readers look for a field in a file.
enum class InInput : std::uint8_t { never, required, when_there };

/// Access to a field that is a member of ParticleSet.
struct HostMember {
  /// The values [size * row bytes]; empty when they are not known.
  std::span<const std::byte> (*bytes)(const ParticleSet& particles) = nullptr;
  /// Makes room for `n` particles; new elements are zero.
  std::span<std::byte> (*resize)(ParticleSet& particles, std::size_t n) = nullptr;
  /// Makes the values unknown and gives their memory back.
  void (*release)(ParticleSet& particles) = nullptr;
};

/// One row of the table.
struct ParticleField {
  std::string name;       ///< e.g. "velocity"
  std::string dataset{};  ///< its name in HDF5 files, e.g. "Velocities"; empty: it has none
  ElementType type = ElementType::f8;
  std::size_t components = 1;  ///< elements a particle
  FieldUnit unit{};
  InSnapshot snapshot = InSnapshot::never;
  InInput input = InInput::never;
  bool travels = true;   ///< moves with its particle to another place or rank; if false, its values are then lost
  bool is_lent = false;  ///< a force evaluation uses its memory as scratch, and then computes the field anew
  bool restart = true;   ///< part of the state from which a run can continue
  double initial = 0;    ///< value of each element if the input does not have the field
  std::string array{};   ///< the device array that it shares with other fields; empty: an array of its own name
  std::size_t at = 0;    ///< place of its first element in an item of that array
  HostMember host{};     ///< empty: ParticleSet::further has the values

  std::size_t row_bytes() const { return components * size_of(type); }  ///< of one particle
};

/// An array on the device: one item a particle, with one or more fields in it.
struct FieldArray {
  std::string name;
  std::size_t item_bytes = 0;
  std::vector<std::size_t> fields;  ///< rows of the table
  bool travels = false, is_lent = false;
};

/// The fields of all particles of a run, and the arrays that hold them. Does not change once it is made.
class FieldTable {
 public:
  /// Throws std::logic_error for two rows of one name, and for rows of one array that overlap or have elements of different size.
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

/// The arrays that every table has, which the code knows by their names; see Particles.
enum StandardArray : std::size_t { position_array, velocity_array, id_array, acceleration_array, type_array, work_array, tree_level_array };

/// The fields that every particle has.
const FieldTablePtr& standard_fields();

/// The standard fields and further ones. Throws std::logic_error as FieldTable does, and for rows that make an item of a standard array
/// longer: the code uses these items as vectors of fixed length.
FieldTablePtr fields_with(const std::vector<ParticleField>& further);

}  // namespace grove
