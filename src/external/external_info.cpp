#include "src/external/external_info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/named_rows.hpp"
#include "kernels/base/type_table.hpp"
#include "src/external/external_potentials.hpp"

namespace grove {

const std::vector<ExternalInfo>& external_infos() {
  static const std::vector<ExternalInfo> table = [] {
    std::vector<ExternalInfo> infos = infos_of<ExternalPotentials>();
    for (ExternalInfo& info : infos)
      for (const char* axis : {"x", "y", "z"})
        info.settings.push_back({axis, 0.0, any_number, std::string("centre, ") + axis + " component", {}, {}, Dimension::length});
    return infos;
  }();
  return table;
}

double ExternalParameters::number(const std::string& name) const {
  return number_among(parameters, settings_of(external_infos(), potential), "external potential " + potential, name);
}

std::vector<ParticleField> external_fields(const std::vector<ExternalParameters>& sections) {
  if (std::none_of(sections.begin(), sections.end(), [](const ExternalParameters& p) { return p.is_there(); })) return {};
  return {{.name = own_gravity_field, .type = ElementType::f8}, {.name = first_energy_field, .type = ElementType::f8}};
}

std::vector<std::string> external_texts(const std::vector<ExternalParameters>& sections) {
  std::vector<std::string> texts;
  for (const ExternalParameters& section : sections) {
    if (!section.is_there()) continue;
    std::string text = "external potential " + section.potential;
    const char* separator = ": ";
    for (const Setting& setting : settings_of(external_infos(), section.potential)) {
      const double value = section.number(setting.name);
      if (setting.name.size() == 1 && value == 0) continue;
      text += fmt::format("{}{} {:.6g}", separator, setting.name, value);
      separator = ", ";
    }
    texts.push_back(text);
  }
  return texts;
}

}  // namespace grove
