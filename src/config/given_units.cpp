#include "src/config/given_units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/quantity.hpp"

namespace grove {

namespace {

constexpr const char* how_to_say_it = "give them, as in units.system = \"kpc, km/s, 1e10 Msun\"";

UnitSystem units_in(const GivenSetting& system, const std::string& path, const ReadInfo* info) {
  if (path.empty()) fail(system, "takes the units of initial_conditions.file, but the particles come from a generator");
  if (!info) fail(system, fmt::format("the units of {} are not known here", path));
  if (!info->units) fail(system, fmt::format("{} ({}) does not say its units: {}", path, info->format, how_to_say_it));
  const UnitSystem& units = *info->units;
  if (!are_usable(units))
    fail(system, fmt::format("{} says {:.6g} cm, {:.6g} g and {:.6g} cm/s, which cannot be: {}", path, units.length_in_cm, units.mass_in_g,
                             units.velocity_in_cm_per_s, how_to_say_it));
  if (!is_physical(units) && !info->has_n_body_units)
    fail(system,
         fmt::format("{} says 1 cm, 1 g and 1 cm/s, which Grove takes for N-body units, and they may not be meant: leave [units] out "
                     "for N-body units, or {}",
                     path, how_to_say_it));
  return units;
}

}  // namespace

GivenUnits given_units(const std::function<const GivenSetting*(const std::string&)>& find, const std::vector<std::string>& names) {
  GivenUnits given;
  given.system = find(units_key);
  // An empty one says nothing: it is what a printed configuration shows.
  if (given.system && given.system->text() && given.system->text()->empty()) given.system = nullptr;
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (const GivenSetting* const found = find(name))
      given.single.push_back(found);
    else
      missing.push_back("units." + name);
  }
  if (given.single.empty()) return given;
  if (given.system) {
    const bool some_on_command_line =
        std::any_of(given.single.begin(), given.single.end(), [](const GivenSetting* one) { return one->from_command_line; });
    if (given.system->from_command_line == some_on_command_line)
      fail(*given.system, fmt::format("says all three units: {} must go", full_name(*given.single.front())));
    if (given.system->from_command_line) {
      given.single.clear();
      return given;
    }
    given.system = nullptr;
  }
  if (!missing.empty())
    fail(*given.single.front(),
         fmt::format("needs {} too: give all three units, or none for N-body units, or units.system = \"kpc, km/s, 1e10 Msun\"",
                     fmt::join(missing, " and ")));
  return given;
}

UnitSystem resolve_units(const GivenSetting& system, const std::string& path, const ReadInfo* in_file) {
  const std::string* const text = system.text();
  if (!text) fail(system, "must be a text, as \"kpc, km/s, 1e10 Msun\" or \"file\"");
  if (*text == of_the_file) return units_in(system, path, in_file);
  const Understood<UnitSystem> units = read_unit_system(*text);
  if (!units.value) fail(system, units.complaint + "; or \"file\", for the units that the input file says");
  return *units.value;
}

}  // namespace grove
