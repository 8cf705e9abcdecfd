// Which particle fields a snapshot has, and their precision.
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

/// The fields that a snapshot has if they are known: those that are always written, except those left out, and those chosen on request.
/// Names that are not in the table are ignored.
std::vector<const ParticleField*> snapshot_fields(const FieldTable& fields, const FieldChoice& choice);

/// The field with its element type in the file.
ParticleField as_written(const ParticleField& field, const FieldChoice& choice);

/// Throw ConfigError, which begins with `key`, unless all names are fields of the table that are written on request; that may be left out,
/// which an input then need not have; or that are written and have 64 bits.
void require_fields_on_request(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key);
void require_fields_to_leave_out(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key);
void require_fields_to_shorten(const FieldTable& fields, const FieldChoice& choice, const std::string& key);

/// Converts numbers of 64 bits [bytes / 8] to the nearest ones of 32 bits at `to`. Throws DataError, naming the field, for a finite number
/// that is too large, and for a mass that would become 0.
void shorten(std::span<const std::byte> numbers, const ParticleField& field, std::byte* to);

}  // namespace grove
