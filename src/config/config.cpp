#include "src/config/config.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/config/config_builder.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/config/toml_advice.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/integrators/tableaux.hpp"

namespace grove {

namespace {

constexpr std::size_t longest_config = std::size_t{1} << 24;

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

std::uint64_t TimeParameters::forces_a_step() const {
  return chooses_steps() ? 0 : find_integrator_info(integrator)->forces_a_step * substeps;
}

bool TimeParameters::counts_forces() const { return divide() || find_integrator_info(integrator)->forces_a_step == 0; }

bool TimeParameters::chooses_steps() const {
  const auto error = parameters.find(error_key);
  return steps != steps::shared || (error != parameters.end() && std::get<double>(error->second) > 0);
}

FieldChoice OutputParameters::field_choice() const {
  return {parts_between_commas(fields), parts_between_commas(leave_out), parts_between_commas(single_precision)};
}

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides, const ReadInfo* in_file) {
  return build_config(name, read_toml(text, name), read_overrides(overrides), config_table(), in_file);
}

Config parse_recorded_config(const std::string& text, const std::string& name) {
  std::vector<GivenSetting> today, former;
  for (GivenSetting& recorded : read_toml(text, name)) {
    const FormerName* const row = config_table().find_former(recorded.section, recorded.name);
    if (!row) {
      today.push_back(std::move(recorded));
    } else if (!row->is_unset(recorded)) {
      recorded.name = row->now;
      former.push_back(std::move(recorded));
    }
  }
  // The later of two wins.
  std::move(former.begin(), former.end(), std::back_inserter(today));
  return build_config(name, today, {}, config_table());
}

std::string read_config_text(const std::string& path) {
  // Those of the shell have a writer: a pipe by name may wait for one for ever.
  const bool is_stream = path == "/dev/stdin" || path.starts_with("/dev/fd/");
  std::error_code ignored;
  if (!is_stream && std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw ConfigError(fmt::format("the configuration {} is not a regular file: name a text file in TOML", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(fmt::format("cannot read the configuration {}: {}", path, std::strerror(errno)));
  // Files of particles, which may be larger than the memory, are refused by their beginning.
  std::string text(longest_config, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw ConfigError(fmt::format("the configuration {} cannot be read: {}", path, std::strerror(errno)));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.empty()) throw ConfigError(fmt::format("the configuration {} is empty", path));
  require_configuration(text, path);
  if (text.size() == longest_config)
    throw ConfigError(fmt::format("the configuration {} has {} MiB or more: name a text file in TOML", path, longest_config >> 20));
  return text;
}

GivenInput given_input(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  return given_input(read_toml(text, name), read_overrides(overrides));
}

}  // namespace grove
