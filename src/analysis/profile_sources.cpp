#include "src/analysis/profile_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/reader.hpp"
#include "src/analysis/named_units.hpp"
#include "src/config/config_source.hpp"
#include "src/config/units.hpp"
#include "src/run/same_on_all_ranks.hpp"

namespace grove {

namespace {

/// Whether one of the settings is gravity.G, or is in [units].
bool has_G(const std::vector<std::string>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const std::string& text) {
    const GivenSetting given = read_override(text);
    return given.section == "gravity" && given.name == "G";
  });
}
bool has_units(const std::vector<std::string>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const std::string& text) { return read_override(text).section == "units"; });
}

}  // namespace

std::vector<ProfileSource> profile_sources(const std::vector<std::string>& files, const std::vector<std::string>& settings,
                                           const Communicator& comm) {
  std::vector<ReadInfo> infos;
  std::vector<NamedUnits> units;
  for (const std::string& file : files) {
    require_same_file(file, "SNAPSHOT", comm);
    infos.push_back(read_info(file, comm));
    units.push_back(named_units(file, infos.back()));
  }
  std::vector<ProfileSource> sources;
  comm.agree([&] {
    const NamedUnits* const common = has_units(settings) ? nullptr : common_units(units);
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (common && !units[k].units) infos[k].units = common->units;
      ProfileSource& source = sources.emplace_back(ProfileSource{files[k], {files[k], infos[k], settings}, {}});
      if (std::string note = note_on_units(units[k], common); !note.empty()) source.notes.push_back(std::move(note));
    }
  });
  return sources;
}

std::string origin_of_G(const RecordedPhysics& physics, const std::vector<std::string>& settings, const UnitSystem& units) {
  if (has_G(settings)) return "--set";
  if (has_G(physics.overrides())) return "recorded in the file";
  // A G in the file would be that of the units in the file.
  const char* const reason = has_units(settings) ? "for the units of --set" : "the file does not say";
  return fmt::format("{}; {}", is_physical(units) ? "the physical constant" : "by default", reason);
}

}  // namespace grove
