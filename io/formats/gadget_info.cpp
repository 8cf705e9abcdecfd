#include "io/formats/gadget_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/files/printable.hpp"
#include "io/formats/gadget_facts.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

UnitSystem checked(const UnitSystem& units, const Hdf5Handle& group) {
  for (const double unit : {units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s})
    if (!(unit > 0) || !std::isfinite(unit))
      throw DataError(fmt::format("{}: the units are {} cm, {} g and {} cm/s; all must be larger than 0", hdf5_name(group),
                                  units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s));
  return units;
}

bool has_n_body_units(const Hdf5Handle& file) {
  return has_link(file, "Units") && read_number(open_group(file, "Units"), n_body_units_attribute).value_or(0) == 1;
}

/// The units that one group names. GADGET-4 and Grove name them alike in several groups; SWIFT has its own names.
std::optional<UnitSystem> units_in(const Hdf5Handle& group, std::vector<std::string>& notes) {
  const auto length = read_number(group, "UnitLength_in_cm"), mass = read_number(group, "UnitMass_in_g");
  const auto velocity = read_number(group, "UnitVelocity_in_cm_per_s");
  if (length && mass && velocity) return checked({*length, *mass, *velocity}, group);
  const auto swift_length = read_number(group, "Unit length in cgs (U_L)"), swift_mass = read_number(group, "Unit mass in cgs (U_M)");
  const auto swift_time = read_number(group, "Unit time in cgs (U_t)");
  if (swift_length && swift_mass && swift_time) return checked({*swift_length, *swift_mass, *swift_length / *swift_time}, group);
  if (length || mass || velocity || swift_length || swift_mass || swift_time)
    notes.push_back(hdf5_name(group) + " names some of the units of length, mass and velocity, and not all: it is left out");
  return std::nullopt;
}

/// Throws when two groups name different units.
void require_same_units(const Hdf5Handle& first, const UnitSystem& a, const Hdf5Handle& second, const UnitSystem& b) {
  // Programs round them differently.
  const auto differ = [](double x, double y) { return std::abs(x - y) > 1e-3 * x; };
  if (differ(a.length_in_cm, b.length_in_cm) || differ(a.mass_in_g, b.mass_in_g) || differ(a.velocity_in_cm_per_s, b.velocity_in_cm_per_s))
    throw DataError(fmt::format(
        "{}: the units are {:.10g} cm, {:.10g} g and {:.10g} cm/s, but {:.10g} cm, {:.10g} g and {:.10g} cm/s in {}", hdf5_name(second),
        b.length_in_cm, b.mass_in_g, b.velocity_in_cm_per_s, a.length_in_cm, a.mass_in_g, a.velocity_in_cm_per_s, hdf5_name(first)));
}

std::optional<UnitSystem> read_units(const Hdf5Handle& file, std::vector<std::string>& notes) {
  std::optional<UnitSystem> units;
  Hdf5Handle first;
  for (const char* name : {"Units", "Parameters", "Header"}) {
    if (!has_link(file, name)) continue;
    Hdf5Handle group = open_group(file, name);
    const std::optional<UnitSystem> own = units_in(group, notes);
    if (!own) continue;
    if (units) {
      require_same_units(first, *units, group, *own);
    } else {
      units = own;
      first = std::move(group);
    }
  }
  return units;
}

void read_provenance(const Hdf5Handle& file, ReadInfo& info) {
  const auto add = [&](const Hdf5Handle& group, const std::string& name) {
    const auto text = read_text(group, name);
    const auto known = std::find_if(info.provenance.begin(), info.provenance.end(), [&](const auto& entry) { return entry.first == name; });
    if (text && !text->empty() && known == info.provenance.end()) info.provenance.emplace_back(printable_line(name), *text);
  };
  const Hdf5Handle header = open_group(file, "Header");
  for (const char* name : {"Code", "Git_commit", "Git_date"}) add(header, name);
  // SWIFT keeps its own account under /Code.
  for (const char* name : {"Provenance", "Code"}) {
    if (!has_link(file, name)) continue;
    const Hdf5Handle group = open_group(file, name);
    for (const std::string& attribute : attribute_names(group)) {
      add(group, attribute);
      if (const auto count = attribute == "Ranks" ? read_counts(group, attribute) : std::nullopt; count && !count->empty())
        info.provenance.emplace_back(attribute, std::to_string(count->front()));
    }
  }
}

}  // namespace

void read_gadget_info(const Hdf5Handle& file, ReadInfo& info) {
  const Hdf5Handle header = open_group(file, "Header");
  info.time = read_number(header, "Time");
  info.box_size = read_number(header, "BoxSize");
  info.has_n_body_units = has_n_body_units(file);
  info.units = info.has_n_body_units ? UnitSystem{} : read_units(file, info.notes);
  if (has_link(file, "Units")) info.G = read_number(open_group(file, "Units"), "G");
  info.universe = read_header_facts(file, info.count_of_type);
  info.components = read_component_names(file);
  read_provenance(file, info);
}

}  // namespace grove
