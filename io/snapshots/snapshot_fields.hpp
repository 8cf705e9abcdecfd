// Which particle fields a snapshot has, and how exactly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/particles/fields.hpp"

namespace grove {

/// What the user chooses; all by the names of the table.
struct FieldChoice {
  std::vector<std::string> further{};           ///< fields on request that are to be written
  std::vector<std::string> left_out{};          ///< fields that are not written, although they usually are
  std::vector<std::string> single_precision{};  ///< fields that are written in 32 bits instead of 64
};

/// The fields of a table that a snapshot has if they are known: those that are always written, without those that are left out, and those
/// on request that are chosen. Names that are not in the table are passed over.
std::vector<const ParticleField*> snapshot_fields(const FieldTable& fields, const FieldChoice& choice);

/// The field with the elements that it has in the file.
ParticleField as_written(const ParticleField& field, const FieldChoice& choice);

/// Throws ConfigError, which begins with `key`, unless all of `names` are fields of the table that are written on request; or that may be
/// left out, which those that an input must have may not; or that are numbers of 64 bits in files. With `choice`, they must be written.
void require_fields_on_request(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key);
void require_fields_to_leave_out(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key);
void require_fields_to_shorten(const FieldTable& fields, const FieldChoice& choice, const std::string& key);

/// Puts numbers of 64 bits [bytes / 8] as numbers of 32 bits to `to`, the nearest ones. Throws DataError, naming the field, for a finite
/// one that is too large for them, and for a mass that would be 0.
void shorten(std::span<const std::byte> numbers, const ParticleField& field, std::byte* to);

}  // namespace grove
