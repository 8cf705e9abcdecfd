#include "src/config/config.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "kernels/space/error.hpp"
#include "src/config/config_builder.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/text/text_parts.hpp"

namespace grove {

namespace {

const std::vector<Setting>& settings_of(const std::string& integrator) {
  static const std::vector<Setting> none;
  const IntegratorInfo* found = find_integrator_info(integrator);
  return found ? found->settings : none;
}

}  // namespace

double TimeParameters::number(const std::string& name) const {
  return number_among(parameters, settings_of(integrator), "integrator " + integrator, name);
}

const std::string& TimeParameters::text(const std::string& name) const {
  return text_among(parameters, settings_of(integrator), "integrator " + integrator, name);
}

std::vector<std::string> OutputParameters::field_names() const { return parts_between_commas(fields); }

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<GivenSetting> given;
  for (const std::string& entry : overrides) given.push_back(read_override(entry));
  return build_config(name, read_toml(text, name), given, config_table());
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(fmt::format("cannot read the configuration {}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  // Fails for a directory, which opens like a file, and for an empty file.
  if (!(text << file.rdbuf())) throw ConfigError(fmt::format("the configuration {} is empty or not a file that can be read", path));
  return parse_config(text.str(), path, overrides);
}

}  // namespace grove
