#include "io/formats/gadget_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/files/component_name.hpp"
#include "io/files/printable.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_storage.hpp"
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

/// The units in a group. GADGET-4 and Grove repeat them in several groups; SWIFT has its own names.
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

/// Throws if two groups name different units.
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
  // SWIFT describes itself in /Code.
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

/// The first of these attributes that one of the groups has.
std::optional<double> first_number(const Hdf5Handle& file, std::initializer_list<const char*> groups,
                                   std::initializer_list<const char*> names) {
  for (const char* group_name : groups) {
    if (!has_link(file, group_name)) continue;
    const Hdf5Handle group = open_group(file, group_name);
    for (const char* name : names)
      if (const auto number = read_number_if_number(group, name)) return number;
  }
  return std::nullopt;
}

void read_swift_cosmology(const Hdf5Handle& cosmology, HeaderFacts& facts) {
  facts.has_h_in_units = false;
  if (const auto runs = read_number(cosmology, "Cosmological run")) facts.expands = *runs != 0;
  if (!facts.expands.value_or(false)) return;
  facts.h = read_number(cosmology, "h");
  facts.omega_matter = read_number(cosmology, "Omega_m");
  facts.omega_lambda = read_number(cosmology, "Omega_lambda");
}

std::optional<bool> read_periodic(const Hdf5Handle& file) {
  // GADGET-4 and AREPO record their compile-time settings.
  if (has_link(file, "Config")) {
    const Hdf5Handle config = open_group(file, "Config");
    if (has_attribute(config, "GRAVITY_NOT_PERIODIC")) return false;
    if (has_attribute(config, "PERIODIC")) return true;
  }
  // SWIFT stores all parameters as text.
  if (has_link(file, "Parameters"))
    if (const auto text = read_text(open_group(file, "Parameters"), "InitialConditions:periodic")) return *text != "0";
  return std::nullopt;
}

/// The softening length of a particle type in the parameters of GADGET-4 and AREPO, through its softening class.
std::optional<double> softening_parameter(const Hdf5Handle& parameters, int type, std::string& name) {
  const auto softening_class = read_number_if_number(parameters, fmt::format("SofteningClassOfPartType{}", type));
  // AREPO calls its classes types.
  const auto arepo_class = read_number_if_number(parameters, fmt::format("SofteningTypeOfPartType{}", type));
  const double number = softening_class.value_or(arepo_class.value_or(-1));
  if (!(number >= 0 && number < 1000 && std::floor(number) == number)) return std::nullopt;
  name = fmt::format("SofteningComoving{}{}", softening_class ? "Class" : "Type", static_cast<int>(number));
  return read_number_if_number(parameters, name);
}

/// The lowest and the highest number in a dataset.
FileSoftening range_of(const Hdf5Handle& dataset, const std::string& name, std::uint64_t count) {
  constexpr std::uint64_t rows_at_once = 1 << 20;
  require_stored(dataset);
  FileSoftening range{name};
  std::vector<double> values;
  for (std::uint64_t first = 0; first < count; first += rows_at_once) {
    values.resize(std::min(rows_at_once, count - first));
    Hdf5Handle memory;
    const Hdf5Handle space = select_rows(dataset, first, values.size(), memory);
    check_hdf5(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()), hdf5_name(dataset));
    for (const double length : values) {
      if (std::isnan(length)) return {name, length, length};
      range.include(length);
    }
  }
  return range;
}

/// Adds the range of a dataset with one softening length per particle.
void add_dataset(const Hdf5Handle& group, int type, std::uint64_t count, std::vector<FileSoftening>& softenings) {
  for (const char* name : {"Softenings", "Softening", "SofteningLength"}) {
    if (!is_dataset(group, name)) continue;
    const Hdf5Handle dataset = open_dataset(group, name);
    const DatasetInfo found = describe_dataset(dataset);
    if (found.kind != H5T_FLOAT || found.shape.empty() || found.shape[0] != count || found.shape.size() > 1) continue;
    softenings.push_back(range_of(dataset, fmt::format("{}/{}", gadget_group(type), name), count));
    softenings.back().type = type;
  }
}

/// What GADGET, AREPO, GIZMO and SWIFT keep in /Header, /Parameters, /Config and /Cosmology.
HeaderFacts read_header_facts(const Hdf5Handle& file, const TypeCounts& counts) {
  HeaderFacts facts;
  const Hdf5Handle header = open_group(file, "Header");
  facts.time = read_number(header, "Time");
  facts.redshift = read_number(header, "Redshift");
  facts.scale_factor = first_number(file, {"Header"}, {"Scale-factor", "ExpansionFactor"});
  facts.box_size = read_number(header, "BoxSize");
  facts.gas = counts[0];
  facts.particles = sum_of(counts);
  if (has_link(file, "Cosmology")) {
    read_swift_cosmology(open_group(file, "Cosmology"), facts);
  } else {
    facts.omega_matter = first_number(file, {"Header", "Parameters"}, {"Omega0", "Omega_Matter"});
    facts.omega_lambda = first_number(file, {"Header", "Parameters"}, {"OmegaLambda", "Omega_Lambda"});
    facts.h = first_number(file, {"Header", "Parameters"}, {"HubbleParam"});
    if (const auto comoving = first_number(file, {"Parameters", "Header"}, {"ComovingIntegrationOn"})) facts.expands = *comoving != 0;
  }
  facts.is_periodic = read_periodic(file);
  return facts;
}

}  // namespace

std::vector<FileSoftening> read_softenings(const Hdf5Handle& file, const TypeCounts& counts) {
  std::vector<FileSoftening> softenings = read_softening_parameters(file, counts);
  for (int type = 0; type < particle_type_count; ++type) {
    const std::uint64_t count = counts[static_cast<std::size_t>(type)];
    if (count > 0 && has_link(file, gadget_group(type))) add_dataset(open_group(file, gadget_group(type)), type, count, softenings);
  }
  return softenings;
}

std::vector<FileSoftening> read_softening_parameters(const Hdf5Handle& file, const TypeCounts& counts) {
  std::vector<FileSoftening> softenings;
  for (int type = 0; type < particle_type_count; ++type) {
    std::string name;
    if (counts[static_cast<std::size_t>(type)] == 0 || !has_link(file, "Parameters")) continue;
    if (const auto length = softening_parameter(open_group(file, "Parameters"), type, name))
      softenings.push_back({"/Parameters " + name, *length, *length, type});
  }
  if (!has_link(file, "GravityScheme")) return softenings;
  // The names of these attributes depend on the version of SWIFT.
  const Hdf5Handle scheme = open_group(file, "GravityScheme");
  for (const std::string& name : attribute_names(scheme)) {
    if (name.find("softening length") == std::string::npos || name.find("internal units") == std::string::npos) continue;
    if (const auto length = read_number_if_number(scheme, name))
      softenings.push_back({"/GravityScheme " + printable_line(name), *length, *length, -1});
  }
  return softenings;
}

std::optional<std::string> read_component_name(const Hdf5Handle& group) {
  const auto text = read_text(group, "ComponentName");
  if (!text) return std::nullopt;
  // Not shortened: two shortened names could be equal.
  const std::string name = printable_line(*text, text->size() + 1);
  if (name.size() > longest_component_name)
    throw DataError(fmt::format("{}: ComponentName is \"{}\", of {} bytes; a name has at most {}", hdf5_name(group),
                                printable_line(name, 60), name.size(), longest_component_name));
  return name;
}

void read_gadget_info(const Hdf5Handle& file, ReadInfo& info) {
  info.universe = read_header_facts(file, info.count_of_type);
  info.time = info.universe.time;
  info.has_n_body_units = has_n_body_units(file);
  info.units = info.has_n_body_units ? UnitSystem{} : read_units(file, info.notes);
  if (has_link(file, "Units")) info.G = read_number(open_group(file, "Units"), "G");
  for (int type = 0; type < particle_type_count; ++type) {
    if (!has_link(file, gadget_group(type))) continue;
    const std::string name = read_component_name(open_group(file, gadget_group(type))).value_or("");
    if (name.empty()) continue;
    info.components[static_cast<std::size_t>(type)] = name;
    info.is_named[static_cast<std::size_t>(type)] = true;
  }
  read_provenance(file, info);
}

}  // namespace grove
