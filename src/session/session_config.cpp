#include "src/session/session_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_source.hpp"
#include "src/config/given_units.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

/// Keys that mean something for `grove run` alone.
bool is_of_a_run(const GivenSetting& given) {
  constexpr std::array<std::string_view, 5> of_snapshots{"order", "fields", "leave_out", "single_precision", "compression"};
  if (given.section == "output") return std::find(of_snapshots.begin(), of_snapshots.end(), given.name) == of_snapshots.end();
  return given.section == "pictures" || (given.section == "time" && given.name == "end") ||
         (given.section == "run" && given.name == "max_wall_time");
}

/// What a configuration must say, and this one need not.
std::vector<std::string> overrides_for(const std::vector<GivenSetting>& given, bool has_initial_conditions) {
  for (const GivenSetting& one : given)
    if (!one.name.empty() && is_of_a_run(one))
      throw ConfigError(fmt::format("{}: {}: has no effect here and must go: the calling program says when steps end and what is written",
                                    one.where, full_name(one)));
  // A configuration names one, and ends where it begins or later.
  std::vector<std::string> overrides;
  if (!has_initial_conditions) overrides.emplace_back("initial_conditions.generator=plummer");
  for (const GivenSetting& one : given)
    if (one.section == "time" && one.name == "begin" && !one.says(of_the_file)) overrides.push_back("time.end=" + one.shown);
  return overrides;
}

}  // namespace

SessionConfig read_session_config(const std::string& toml, const Communicator& comm) {
  SessionConfig found;
  std::vector<std::string> overrides;
  std::string file;
  comm.agree([&] {
    const std::vector<GivenSetting> given = read_toml(toml, name_of_session_config);
    found.has_initial_conditions =
        std::any_of(given.begin(), given.end(), [](const GivenSetting& one) { return one.section == "initial_conditions"; });
    overrides = overrides_for(given, found.has_initial_conditions);
    const GivenInput input = given_input(toml, name_of_session_config, overrides);
    if (input.is_asked) file = *input.file.text();
  });
  ReadInfo info;
  if (!file.empty()) info = read_info(file, comm);
  // Later than its time, in whatever units.
  if (info.time) overrides.push_back(fmt::format("time.end={}", 1e4 * std::max(1.0, std::abs(*info.time))));
  comm.agree([&] { found.config = parse_config(toml, name_of_session_config, overrides, file.empty() ? nullptr : &info); });
  require_same_config(found.config, comm);
  return found;
}

}  // namespace grove
