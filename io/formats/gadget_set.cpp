#include "io/formats/gadget_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

constexpr const char* groups[] = {"Header", "Parameters", "Units", "Cosmology"};

bool is_common(const std::string& attribute) {
  static const std::vector<std::string> names = parts_between_commas(
      "Time, Redshift, Scale-factor, BoxSize, Omega0, OmegaLambda, HubbleParam, NumFilesPerSnapshot, G, NBodyUnits, NumPart_Total, "
      "NumPart_Total_HighWord, Cosmological run, ComovingIntegrationOn, h");
  // GADGET's UnitLength_in_cm, SWIFT's "Unit length in cgs (U_L)".
  return attribute.starts_with("Unit") || std::find(names.begin(), names.end(), attribute) != names.end();
}

[[noreturn]] void fail(const CommonHeader& first, const CommonHeader& other, const std::string& name, const std::string& in_first,
                       const std::string& in_other) {
  throw DataError(fmt::format("{}: {} is {}, but {} in {}: they are no files of one snapshot", other.path.string(), name, in_other,
                              in_first, first.path.string()));
}

std::string text_of(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{:.10g}", numbers[0]) : fmt::format("[{:.10g}]", fmt::join(numbers, ", "));
}

}  // namespace

CommonHeader read_common_header(const Hdf5Handle& file, const std::filesystem::path& path) {
  CommonHeader header{path, {}, {}};
  for (const char* name : groups) {
    if (!has_link(file, name)) continue;
    const Hdf5Handle group = open_group(file, name);
    for (const std::string& attribute : attribute_names(group))
      if (is_common(attribute) && read_number_if_number(group, attribute))
        header.numbers[fmt::format("/{} {}", std::string(name), attribute)] = *read_numbers(group, attribute);
  }
  for (int type = 0; type < particle_type_count; ++type) {
    const std::string name = gadget_group(type);
    if (!has_link(file, name)) continue;
    if (const auto text = read_component_name(open_group(file, name)))
      header.texts[fmt::format("/{} ComponentName", name)] = '"' + *text + '"';
  }
  return header;
}

bool names_units(const CommonHeader& header) {
  return std::any_of(header.numbers.begin(), header.numbers.end(),
                     [](const auto& entry) { return entry.first.find(" Unit") != std::string::npos; });
}

void require_same_header(const CommonHeader& first, const CommonHeader& other) {
  for (const auto& [name, numbers] : other.numbers)
    if (const auto found = first.numbers.find(name); found != first.numbers.end() && found->second != numbers)
      fail(first, other, name, text_of(found->second), text_of(numbers));
  for (const auto& [name, text] : other.texts)
    if (const auto found = first.texts.find(name); found != first.texts.end() && found->second != text)
      fail(first, other, name, found->second, text);
}

}  // namespace grove
