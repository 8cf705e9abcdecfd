#include "io/formats/gadget_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/files/printable.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_storage.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::size_t longest_name = 255;

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
  // GADGET-4 and AREPO keep the settings of their compilation.
  if (has_link(file, "Config")) {
    const Hdf5Handle config = open_group(file, "Config");
    if (has_attribute(config, "GRAVITY_NOT_PERIODIC")) return false;
    if (has_attribute(config, "PERIODIC")) return true;
  }
  // SWIFT keeps all its parameters as texts.
  if (has_link(file, "Parameters"))
    if (const auto text = read_text(open_group(file, "Parameters"), "InitialConditions:periodic")) return *text != "0";
  return std::nullopt;
}

/// A softening length among the parameters of GADGET-4 and AREPO, by particle type: through its class or by itself.
std::optional<double> softening_parameter(const Hdf5Handle& parameters, int type, std::string& name) {
  const auto softening_class = read_number_if_number(parameters, fmt::format("SofteningClassOfPartType{}", type));
  // AREPO calls the classes types.
  const auto arepo_class = read_number_if_number(parameters, fmt::format("SofteningTypeOfPartType{}", type));
  const double number = softening_class.value_or(arepo_class.value_or(-1));
  if (!(number >= 0 && number < 1000 && std::floor(number) == number)) return std::nullopt;
  name = fmt::format("SofteningComoving{}{}", softening_class ? "Class" : "Type", static_cast<int>(number));
  return read_number_if_number(parameters, name);
}

/// The lowest and the highest number of a dataset.
FileSoftening range_of(const Hdf5Handle& dataset, const std::string& name, std::uint64_t count) {
  constexpr std::uint64_t rows_at_once = 1 << 20;
  require_stored(dataset);
  FileSoftening range{name, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  std::vector<double> values;
  for (std::uint64_t first = 0; first < count; first += rows_at_once) {
    values.resize(std::min(rows_at_once, count - first));
    Hdf5Handle memory;
    const Hdf5Handle space = select_rows(dataset, first, values.size(), memory);
    check_hdf5(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()), hdf5_name(dataset));
    const auto wrong = std::find_if(values.begin(), values.end(), [](double length) { return std::isnan(length); });
    if (wrong != values.end()) return {name, *wrong, *wrong};
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    range.lowest = std::min(range.lowest, *lowest);
    range.highest = std::max(range.highest, *highest);
  }
  return range;
}

/// A dataset of softening lengths, one a particle, that has as many numbers as there are particles.
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

}  // namespace

HeaderFacts read_header_facts(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts) {
  HeaderFacts facts;
  const Hdf5Handle header = open_group(file, "Header");
  facts.time = read_number(header, "Time");
  facts.redshift = read_number(header, "Redshift");
  facts.scale_factor = read_number(header, "Scale-factor");
  facts.box_size = read_number(header, "BoxSize");
  facts.gas = counts[0];
  facts.particles = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
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

std::vector<FileSoftening> read_softenings(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts) {
  std::vector<FileSoftening> softenings = read_softening_parameters(file, counts);
  for (int type = 0; type < particle_type_count; ++type) {
    const std::uint64_t count = counts[static_cast<std::size_t>(type)];
    if (count > 0 && has_link(file, gadget_group(type))) add_dataset(open_group(file, gadget_group(type)), type, count, softenings);
  }
  return softenings;
}

std::vector<FileSoftening> read_softening_parameters(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts) {
  std::vector<FileSoftening> softenings;
  for (int type = 0; type < particle_type_count; ++type) {
    std::string name;
    if (counts[static_cast<std::size_t>(type)] == 0 || !has_link(file, "Parameters")) continue;
    if (const auto length = softening_parameter(open_group(file, "Parameters"), type, name))
      softenings.push_back({"/Parameters " + name, *length, *length, type});
  }
  if (!has_link(file, "GravityScheme")) return softenings;
  // SWIFT says what it used, in names that have changed from version to version.
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
  // Not shortened: two names that are cut could become one.
  const std::string name = printable_line(*text, text->size() + 1);
  if (name.size() > longest_name)
    throw DataError(fmt::format("{}: ComponentName is \"{}\", of {} bytes; a name has at most {}", hdf5_name(group),
                                printable_line(name, 60), name.size(), longest_name));
  return name;
}

ComponentNames read_component_names(const Hdf5Handle& file) {
  ComponentNames names = usual_component_names();
  for (int type = 0; type < particle_type_count; ++type) {
    if (!has_link(file, gadget_group(type))) continue;
    const std::string name = read_component_name(open_group(file, gadget_group(type))).value_or("");
    if (!name.empty()) names[static_cast<std::size_t>(type)] = name;
  }
  return names;
}

}  // namespace grove
