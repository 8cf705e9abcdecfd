#include "src/external/external_info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/named_rows.hpp"
#include "kernels/base/type_table.hpp"
#include "src/external/external_potentials.hpp"
#include "src/external/free_orbits.hpp"

namespace grove {

const std::vector<ExternalInfo>& external_infos() {
  static const std::vector<ExternalInfo> table = [] {
    std::vector<ExternalInfo> infos = infos_of<ExternalPotentials>();
    for (ExternalInfo& info : infos) {
      for (const char* axis : {"x", "y", "z"})
        info.settings.push_back({axis, 0.0, any_number, std::string("centre, ") + axis + " component", {}, {}, Dimension::length});
      info.settings.push_back(
          {"orbit",
           "",
           {},
           "file of the centre's path, a row a time: t x y z in code units, which are added to the centre; \"\": it rests",
           {},
           "or \"free\": the centre moves as a point in the other potentials, from its place at time.begin"});
      for (const char* axis : {"x", "y", "z"})
        info.settings.push_back(
            {std::string("v") + axis, 0.0, any_number, "velocity at time.begin, with orbit = \"free\"", {}, {}, Dimension::velocity});
      info.settings.push_back({"coulomb_logarithm", 0.0, not_negative,
                               "of Chandrasekhar's dynamical friction in the matter of the first potential, with orbit = \"free\"; it "
                               "fades where twice to once the mass of this potential is inside. 0: none"});
      info.settings.push_back({"dispersion",
                               0.0,
                               not_negative,
                               "of the velocities of that matter in one direction; 0: its circular speed over sqrt(2)",
                               {},
                               {},
                               Dimension::velocity});
    }
    return infos;
  }();
  return table;
}

double ExternalParameters::number(const std::string& name) const {
  return number_among(parameters, settings_of(external_infos(), potential), "external potential " + potential, name);
}

const std::string& ExternalParameters::text(const std::string& name) const {
  return text_among(parameters, settings_of(external_infos(), potential), "external potential " + potential, name);
}

bool has_potential(const std::vector<ExternalParameters>& sections) {
  return std::any_of(sections.begin(), sections.end(), [](const ExternalParameters& section) { return section.is_there(); });
}

std::vector<std::string> external_texts(const std::vector<ExternalParameters>& sections) {
  std::vector<std::string> texts;
  for (const ExternalParameters& section : sections) {
    if (!section.is_there()) continue;
    std::string text = "external potential " + section.potential;
    const char* separator = ": ";
    for (const Setting& setting : settings_of(external_infos(), section.potential)) {
      if (!std::holds_alternative<double>(setting.default_value)) continue;
      const double value = section.number(setting.name);
      if (value == 0 && std::get<double>(setting.default_value) == 0) continue;
      text += fmt::format("{}{} {:.6g}", separator, setting.name, value);
      separator = ", ";
    }
    if (const std::string& file = section.text("orbit"); !file.empty())
      text += file == free_orbit ? ", on a free orbit" : ", on the orbit " + file;
    texts.push_back(text);
  }
  return texts;
}

}  // namespace grove
