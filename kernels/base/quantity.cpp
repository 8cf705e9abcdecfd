#include "kernels/base/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>
#include <vector>

#include "kernels/base/named_rows.hpp"
#include "kernels/base/physical_constants.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

struct NamedUnit {
  const char* name;
  Dimension dimension;
  double cgs;
};

constexpr NamedUnit named_units[] = {{"cm", Dimension::length, 1},
                                     {"m", Dimension::length, 1e2},
                                     {"km", Dimension::length, 1e5},
                                     {"AU", Dimension::length, au_in_cm},
                                     {"pc", Dimension::length, parsec_in_cm},
                                     {"kpc", Dimension::length, 1e3 * parsec_in_cm},
                                     {"Mpc", Dimension::length, 1e6 * parsec_in_cm},
                                     {"g", Dimension::mass, 1},
                                     {"kg", Dimension::mass, 1e3},
                                     {"Mearth", Dimension::mass, earth_mass_in_g},
                                     {"Msun", Dimension::mass, solar_mass_in_g},
                                     {"s", Dimension::time, 1},
                                     {"yr", Dimension::time, year_in_s},
                                     {"kyr", Dimension::time, 1e3 * year_in_s},
                                     {"Myr", Dimension::time, 1e6 * year_in_s},
                                     {"Gyr", Dimension::time, 1e9 * year_in_s}};

constexpr const char* system_example = "\"kpc, km/s, 1e10 Msun\"";

const NamedUnit* find_unit(const std::string& name) { return find_named(named_units, name); }

/// The suggestion() of a unit: first the one that differs only in small and capital letters.
std::string suggested_unit(const std::string& wrong) {
  for (const NamedUnit& unit : named_units)
    if (::strcasecmp(wrong.c_str(), unit.name) == 0) return did_you_mean(unit.name);
  return suggestion(wrong, names_of(named_units));
}

/// One part of a text: a number, 1 if there is none, and a unit.
struct Part {
  double number = 1;
  bool has_number = false;
  std::string name;  ///< of the unit; empty: there is none
  Dimension dimension = Dimension::none;
  double cgs = 0;         ///< of the unit
  std::string complaint;  ///< why it is none
};

/// "kpc/h", "kpc h^-1" and "h^-1 kpc" -> "kpc"; other texts as they are.
std::string without_h(const std::string& name) {
  for (const std::string h : {"/h", "h^-1", "h-1"}) {
    if (name.ends_with(h)) return trimmed(name.substr(0, name.size() - h.size()));
    if (name.starts_with(h)) return trimmed(name.substr(h.size()));
  }
  return name;
}

/// A unit by its name, a length over a time, or a mass over a length^3.
void find_meaning(Part& part) {
  const std::size_t slash = part.name.find('/');
  const std::string physical = without_h(part.name);
  if (physical != part.name && find_unit(physical)) {
    part.complaint = fmt::format("\"{}\" has Hubble's h, which is a number and no unit: divide by it, as \"{:.5g} {}\" for h = 0.7",
                                 part.name, part.number / 0.7, physical);
  } else if (const NamedUnit* unit = find_unit(part.name)) {
    part.dimension = unit->dimension;
    part.cgs = unit->cgs;
  } else if (slash != std::string::npos) {
    std::string below = trimmed(part.name.substr(slash + 1));
    const bool is_cubed = below.ends_with("^3");
    if (is_cubed) below = trimmed(below.substr(0, below.size() - 2));
    const NamedUnit *above = find_unit(trimmed(part.name.substr(0, slash))), *divisor = find_unit(below);
    const auto is_ratio = [&](Dimension a, Dimension b) { return above && divisor && above->dimension == a && divisor->dimension == b; };
    if (!is_cubed && is_ratio(Dimension::length, Dimension::time)) {
      part.dimension = Dimension::velocity;
      part.cgs = above->cgs / divisor->cgs;
    } else if (is_cubed && is_ratio(Dimension::mass, Dimension::length)) {
      part.dimension = Dimension::density;
      part.cgs = above->cgs / std::pow(divisor->cgs, 3);
    } else {
      part.complaint = fmt::format(
          "\"{}\" is neither a velocity, a length over a time as km/s, nor a density, a mass over a length^3 as Msun/pc^3", part.name);
    }
  } else {
    part.complaint = fmt::format("\"{}\" is no unit{}", part.name, suggested_unit(part.name));
  }
}

Part read_part(const std::string& text) {
  Part part;
  const char *begin = text.data(), *const end = text.data() + text.size();
  // Not every word that from_chars takes is a number here: "inf", "nan".
  const bool begins_as_number = begin != end && ((*begin >= '0' && *begin <= '9') || *begin == '.' || *begin == '-');
  if (begins_as_number) {
    const auto [rest, mistake] = std::from_chars(begin, end, part.number);
    if (mistake == std::errc::result_out_of_range || (mistake == std::errc() && !std::isfinite(part.number)))
      part.complaint = fmt::format("\"{}\" has a number beyond those of 64 bits", text);
    part.has_number = mistake == std::errc();
    if (part.has_number) begin = rest;
  }
  part.name = trimmed(std::string(begin, end));
  if (part.complaint.empty() && !part.name.empty()) find_meaning(part);
  return part;
}

std::string allowed_units(Dimension dimension) { return fmt::format("a unit after it: {}", unit_names(dimension)); }

Understood<UnitSystem> complain(const std::string& complaint) { return {std::nullopt, complaint}; }

/// "kpc km/s 1e10 Msun" -> "kpc, km/s, 1e10 Msun": a comma after each word that is no number.
std::string with_commas(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  std::string list, between;
  for (std::string word; words >> word; between = read_part(word).name.empty() ? " " : ", ") list += between + word;
  return list;
}

/// A sentence on what keeps `part` from being one unit of a system; else empty.
std::string complaint_on(const Part& part, const std::string& text) {
  if (!part.complaint.empty())
    return fmt::format("{}. There are lengths ({}), velocities (km/s and other lengths over times), times ({}) and masses ({})",
                       part.complaint, unit_names(Dimension::length), unit_names(Dimension::time), unit_names(Dimension::mass));
  if (part.name.empty()) return fmt::format("\"{}\" has no unit", text);
  return part.number > 0 ? "" : fmt::format("\"{}\" must be > 0", text);
}

bool is_usable(double x) { return std::isnormal(x) && x > 0; }

}  // namespace

std::string unit_names(Dimension dimension) {
  if (dimension == Dimension::velocity) return "cm/s, m/s, km/s, other lengths over times";
  if (dimension == Dimension::density) return "Msun/pc^3, g/cm^3, other masses over lengths^3";
  std::vector<std::string> names;
  for (const NamedUnit& unit : named_units)
    if (unit.dimension == dimension) names.emplace_back(unit.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const char* example_of(Dimension dimension) {
  constexpr const char* examples[] = {"", "\"50 pc\"", "\"1e10 Msun\"", "\"3 Gyr\"", "\"220 km/s\"", "\"0.01 Msun/pc^3\""};
  return examples[static_cast<std::size_t>(dimension)];
}

double in_cgs(Dimension dimension, const UnitSystem& units) {
  constexpr FieldUnit units_of_dimensions[] = {{}, {1, 0, 0}, {0, 1, 0}, {1, 0, -1}, {0, 0, 1}, {-3, 1, 0}};
  return in_cgs(units_of_dimensions[static_cast<std::size_t>(dimension)], units);
}

Understood<double> read_quantity(const std::string& text, Dimension dimension, const UnitSystem& units) {
  const Part part = read_part(trimmed(text));
  if (!part.has_number && part.complaint.empty())
    return {std::nullopt, fmt::format("must begin with a number, as {}", example_of(dimension))};
  if (!part.complaint.empty()) return {std::nullopt, fmt::format("{}; the number must have {}", part.complaint, allowed_units(dimension))};
  if (part.name.empty())
    return {std::nullopt, fmt::format("is a text: give the number without quotes, or with {}", allowed_units(dimension))};
  if (part.dimension != dimension)
    return {std::nullopt, fmt::format("\"{}\" measures something else; the number must have {}", part.name, allowed_units(dimension))};
  if (!is_physical(units))
    return {std::nullopt,
            fmt::format("has a unit, but the run has N-body units, in which it has no meaning: give the number in code units, "
                        "or say what these are, as in units.system = {}",
                        system_example)};
  return {part.number * (part.cgs / in_cgs(dimension, units)), ""};
}

ShownUnit unit_of(const std::string& text, Dimension dimension, const UnitSystem& units) {
  const NamedUnit* const unit = find_unit(read_part(trimmed(text)).name);
  const Understood<double> one = unit ? read_quantity(fmt::format("1 {}", unit->name), dimension, units) : Understood<double>{};
  return one.value ? ShownUnit{unit->name, *one.value} : ShownUnit{};
}

Understood<UnitSystem> read_unit_system(const std::string& text) {
  const std::string must = fmt::format("must be a unit of mass and two of length, velocity and time, as {}", system_example);
  if (text.find(';') != std::string::npos) return complain(must + ": commas separate the units, not semicolons");
  const std::vector<std::string> texts = parts_between_commas(text);
  if (const std::string meant = with_commas(text); texts.size() < 3 && parts_between_commas(meant).size() == 3)
    return complain(fmt::format("{}: commas must separate the units: \"{}\"", must, meant));
  std::array<double, 6> parts{};  // by Dimension; 0: there is none
  for (const std::string& one : texts) {
    if (one.empty()) return complain(must + ": nothing stands before, between or after its commas");
    const Part part = read_part(one);
    if (const std::string complaint = complaint_on(part, one); !complaint.empty()) return complain(must + ": " + complaint);
    double& place = parts[static_cast<std::size_t>(part.dimension)];
    if (place > 0) return complain(fmt::format("{}: \"{}\" is one more of the same kind", must, one));
    place = part.number * part.cgs;
    if (!is_usable(place)) return complain(fmt::format("{}: \"{}\" is beyond the numbers of 64 bits", must, one));
  }
  const auto [none, length, mass, time, velocity, density] = parts;
  if (texts.size() != 3 || mass <= 0 || density > 0) return complain(must);
  const UnitSystem units{length > 0 ? length : velocity * time, mass, velocity > 0 ? velocity : length / time};
  if (!are_usable(units)) return complain(must + ": these are beyond the numbers of 64 bits");
  if (!is_physical(units))
    return complain("is 1 cm, 1 g and 1 cm/s, which Grove takes for N-body units: choose other ones, as \"km, km/s, kg\"");
  return {units, ""};
}

}  // namespace grove
