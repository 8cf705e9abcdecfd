// The units of several files whose numbers are compared. Nothing is converted.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/formats/reader.hpp"
#include "kernels/base/units.hpp"

namespace grove {

/// A file and the units that it names; none where it names none, or such that cannot be.
struct NamedUnits {
  std::string file;
  std::optional<UnitSystem> units;
};

/// Whether one of the units differs by more than `tolerance`.
bool differ(const UnitSystem& a, const UnitSystem& b, double tolerance);

NamedUnits named_units(const std::string& file, const ReadInfo& info);

/// The first file that names units, which hold for all: a file that names none is taken to have them. Null where no file names any.
/// N-body units are units, too. Not collective; throws DataError where two files name different ones.
const NamedUnits* common_units(std::span<const NamedUnits> files);

/// A sentence on a file that names no units while `common` does; else empty.
std::string note_on_units(const NamedUnits& file, const NamedUnits* common);

}  // namespace grove
