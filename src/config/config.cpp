#include "src/config/config.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/config/config_builder.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/integrators/integrator_info.hpp"

namespace grove {

namespace {

std::vector<GivenSetting> read_overrides(const std::vector<std::string>& texts) {
  std::vector<GivenSetting> given;
  for (const std::string& text : texts) given.push_back(read_override(text));
  return given;
}

}  // namespace

double TimeParameters::number(const std::string& name) const {
  return number_among(parameters, settings_of(integrator_infos(), integrator), "integrator " + integrator, name);
}

const std::string& TimeParameters::text(const std::string& name) const {
  return text_among(parameters, settings_of(integrator_infos(), integrator), "integrator " + integrator, name);
}

FieldChoice OutputParameters::field_choice() const {
  return {parts_between_commas(fields), parts_between_commas(leave_out), parts_between_commas(single_precision)};
}

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides, const ReadInfo* in_file) {
  return build_config(name, read_toml(text, name), read_overrides(overrides), config_table(), in_file);
}

std::string read_config_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(fmt::format("cannot read the configuration {}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  // Fails for a directory, which opens like a file, and for an empty file.
  if (!(text << file.rdbuf())) throw ConfigError(fmt::format("the configuration {} is empty or not a file that can be read", path));
  return text.str();
}

std::string file_to_ask(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  return file_to_ask(read_toml(text, name), read_overrides(overrides));
}

}  // namespace grove
