// Tables of particle fields for tests, and particles all bytes of which follow from their ids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/particles/particle_set.hpp"
#include "tests/support/mixed_bits.hpp"

namespace grove::tests {

inline const ParticleField spin{.name = "spin",
                                .dataset = "Spin",
                                .type = ElementType::f4,
                                .components = 3,
                                .unit = {1, 0, 1},
                                .snapshot = InSnapshot::always,
                                .input = InInput::when_there};
inline const ParticleField tag{.name = "tag",
                               .dataset = "Tag",
                               .type = ElementType::u1,
                               .snapshot = InSnapshot::on_request,
                               .input = InInput::when_there,
                               .initial = 7};

/// A table of the test, by the name that it has in test names.
struct TableCase {
  std::string name;
  std::vector<ParticleField> further;
};

/// Elements of all types, of one to five a particle, in all roles.
inline std::vector<ParticleField> rows_of_all_kinds() {
  using Type = ElementType;
  constexpr auto always = InSnapshot::always, on_request = InSnapshot::on_request;
  constexpr auto when_there = InInput::when_there;
  return {
      spin,
      tag,
      {.name = "bin", .dataset = "TimeBins", .type = Type::u2, .snapshot = on_request, .initial = 40000},
      {.name = "charge", .dataset = "Charges", .type = Type::i4, .components = 2, .snapshot = always, .input = when_there, .initial = -3},
      {.name = "parent", .dataset = "ParentIDs", .type = Type::i8, .snapshot = always, .input = when_there, .initial = -1},
      {.name = "tensor",
       .dataset = "Tensors",
       .type = Type::f8,
       .components = 5,
       .snapshot = on_request,
       .input = when_there,
       .initial = 0.1},
      {.name = "hidden", .dataset = "Hidden", .type = Type::f4, .input = when_there, .initial = 0.1},
      {.name = "inner", .type = Type::u2, .components = 3},
      {.name = "left", .dataset = "Left", .type = Type::u2, .snapshot = always, .array = "pair"},
      {.name = "right", .dataset = "Right", .type = Type::u2, .components = 2, .snapshot = always, .array = "pair", .at = 1},
      {.name = "loan", .dataset = "Loans", .type = Type::u8, .components = 2, .snapshot = always, .is_scratch = true},
      {.name = "draft", .type = Type::u4, .travels = false},
  };
}

inline std::vector<TableCase> table_cases() {
  return {{"StandardFields", {}}, {"TwoFurtherRows", {spin, tag}}, {"RowsOfAllKinds", rows_of_all_kinds()}};
}

inline FieldTablePtr table_of(const TableCase& table) { return table.further.empty() ? standard_fields() : fields_with(table.further); }

/// The names of all fields that are written on request.
inline std::vector<std::string> all_on_request(const FieldTable& fields) {
  std::vector<std::string> names;
  for (const ParticleField& field : fields.rows())
    if (field.snapshot == InSnapshot::on_request) names.push_back(field.name);
  return names;
}

static_assert(std::endian::native == std::endian::little, "the first bytes of a number are its lowest");

inline std::uint64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  for (const char c : name) number = mixed(number + static_cast<unsigned char>(c));
  return number;
}

/// The bits of an element that has all values its field may have. Floating-point numbers lie between 0.5 and 1, of either sign: they are
/// finite, and the positions have many different keys.
inline std::uint64_t element_of(const ParticleField& field, std::uint64_t id, std::size_t component) {
  const std::uint64_t bits = mixed(id ^ mixed(number_of(field.name) + component));
  if (field.name == "id") return id;
  if (field.name == "type") return bits % particle_type_count;
  const std::uint64_t sign = field.name == "mass" ? 0 : 1;
  if (field.type == ElementType::f8) return (bits & (sign << 63 | 0x000fffffffffffff)) | 0x3fe0000000000000;
  if (field.type == ElementType::f4) return (bits & (sign << 31 | 0x007fffff)) | 0x3f000000;
  return bits;
}

inline std::vector<std::byte> row_of(const ParticleField& field, std::uint64_t id) {
  std::vector<std::byte> row(field.row_bytes());
  const std::size_t size = size_of(field.type);
  for (std::size_t c = 0; c < field.components; ++c) {
    const std::uint64_t bits = element_of(field, id, c);
    std::memcpy(row.data() + c * size, &bits, size);
  }
  return row;
}

/// Sets a field of all particles, which have their ids.
inline void set_field(ParticleSet& particles, const ParticleField& field) {
  const std::span<std::byte> values = particles.resize(field, particles.id.size());
  for (std::size_t i = 0; i < particles.id.size(); ++i) {
    const std::vector<std::byte> row = row_of(field, particles.id[i]);
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(i * row.size()));
  }
}

inline ParticleSet particles_of(const FieldTablePtr& fields, const std::vector<std::uint64_t>& ids) {
  ParticleSet particles;
  particles.fields = fields;
  particles.id = ids;
  for (const ParticleField& field : fields->rows()) set_field(particles, field);
  return particles;
}

}  // namespace grove::tests
