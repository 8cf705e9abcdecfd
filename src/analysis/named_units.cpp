#include "src/analysis/named_units.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace grove {

bool differ(const UnitSystem& a, const UnitSystem& b, double tolerance) {
  return differ(a.length_in_cm, b.length_in_cm, tolerance) || differ(a.mass_in_g, b.mass_in_g, tolerance) ||
         differ(a.velocity_in_cm_per_s, b.velocity_in_cm_per_s, tolerance);
}

NamedUnits named_units(const std::string& file, const ReadInfo& info) {
  return {file, info.units && are_usable(*info.units) ? info.units : std::nullopt};
}

const NamedUnits* common_units(std::span<const NamedUnits> files) {
  const NamedUnits* first = nullptr;
  for (const NamedUnits& file : files) {
    if (!file.units) continue;
    if (!first) first = &file;
    if (is_physical(*first->units) != is_physical(*file.units) || differ(*first->units, *file.units, same_when_joined))
      throw DataError(fmt::format("{} has {}, {} has {}: their numbers cannot stand beside each other, and nothing is converted",
                                  first->file, in_words(*first->units), file.file, in_words(*file.units)));
  }
  return first;
}

std::string note_on_units(const NamedUnits& file, const NamedUnits* common) {
  if (file.units || !common) return "";
  return fmt::format("{} does not name its units: they are taken for those of {}", file.file, common->file);
}

}  // namespace grove
