#include "src/external/external_info.hpp"

#include <fmt/format.h>

#include <tuple>

#include "kernels/base/named_rows.hpp"
#include "src/external/external_potentials.hpp"

namespace grove {

namespace {

constexpr const char* centre[] = {"x", "y", "z"};

ExternalInfo with_centre(ExternalInfo info) {
  for (const char* axis : centre)
    info.settings.push_back({axis, 0.0, any_number, std::string("centre, ") + axis + " component", {}, {}, Dimension::length});
  return info;
}

template <class... Types>
std::vector<ExternalInfo> infos_of(const std::tuple<Types...>*) {
  return {with_centre(Types::info())...};
}

}  // namespace

const std::vector<ExternalInfo>& external_infos() {
  static const std::vector<ExternalInfo> table = infos_of(static_cast<const ExternalPotentials*>(nullptr));
  return table;
}

double ExternalParameters::number(const std::string& name) const {
  return number_among(parameters, settings_of(external_infos(), potential), "external potential " + potential, name);
}

std::vector<ParticleField> external_fields() { return {{.name = own_gravity_field, .type = ElementType::f8}}; }

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
