// grove ic: generates particles on all ranks, or joins those of files, and writes them as one snapshot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "kernels/space/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/ic_join.hpp"
#include "src/commands/options.hpp"
#include "src/config/config_source.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/last_words.hpp"
#include "src/run/snapshot_writer.hpp"

namespace grove {

namespace {

struct IcOptions {
  std::string generator, n, seed, recentre, out;
  std::map<std::string, std::string> parameters;  ///< as given; the configuration checks them
  CommonOptions common;
  bool overwrite = false;
  JoinOptions join;
  CLI::App* joining = nullptr;  ///< the subcommand; owned by the App
};

/// The option of a key: underscores may be typed as dashes.
std::string option_name(const std::string& key) {
  std::string dashed = key;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == key ? "--" + key : "--" + dashed + ",--" + key;
}

/// One subcommand a generator, so that --help shows the parameters it has.
void declare_generator(CLI::App& app, const Generator& generator, const std::shared_ptr<IcOptions>& options) {
  CLI::App& own = *app.add_subcommand(generator.name, generator.meaning)->group("Generators");
  own.callback([options, name = generator.name] { options->generator = name; });
  own.add_option("--n", options->n, "number of particles, all ranks together")->required()->type_name("N");
  own.add_option("--out", options->out, "snapshot to write, e.g. ic.hdf5")->required()->type_name("FILE");
  own.add_option("--seed", options->seed, "of the random numbers")->type_name("SEED");
  own.add_option("--recentre", options->recentre, "every component gets its centre of mass and mean velocity exactly [true]")
      ->type_name("TRUE|FALSE");
  own.add_flag("--overwrite", options->overwrite, "replace the file if it exists");
  for (const Setting& setting : generator.settings)
    own.add_option(option_name(setting.name), options->parameters[generator.name + "." + setting.name],
                   fmt::format("{} [{}]", setting.meaning, to_toml(setting.default_value)))
        ->type_name(what_is_allowed(setting));
  options->common.declare_settings(own);
  own.footer("After: " + generator.source);
}

/// Throws ConfigError when --set gives a key another value than the words of the command before.
void require_no_other_value(const std::string& setting, const std::vector<std::string>& others) {
  const GivenSetting given = read_override(setting);
  for (const std::string& text : others) {
    const GivenSetting other = read_override(text);
    if (other.section == given.section && other.name == given.name && other.raw != given.raw)
      throw ConfigError(fmt::format("--set {}: the command says {} = {} already", setting, other.name, other.raw));
  }
}

std::vector<std::string> overrides_of(const IcOptions& options) {
  const std::string section = "initial_conditions.";
  std::vector<std::string> overrides{section + "generator=" + options.generator, section + "n=" + options.n};
  if (!options.seed.empty()) overrides.push_back(section + "seed=" + options.seed);
  if (!options.recentre.empty()) overrides.push_back(section + "recentre=" + options.recentre);
  const std::string prefix = options.generator + ".";
  for (const auto& [name, value] : options.parameters)
    if (!value.empty() && name.rfind(prefix, 0) == 0) overrides.push_back(section + name.substr(prefix.size()) + "=" + value);
  for (const std::string& setting : options.common.settings) require_no_other_value(setting, overrides);
  return options.common.overrides(overrides);
}

/// A snapshot of particles has units, a time, G and softening; all other keys are those of a run.
void require_effect(const std::vector<std::string>& settings) {
  static const std::set<std::string> kept{"time.begin", "gravity.G", "gravity.softening", "gravity.softening_kernel"};
  for (const std::string& setting : settings) {
    const GivenSetting given = read_override(setting);
    if (given.section == "initial_conditions" || given.section == "units" || kept.contains(given.section + "." + given.name)) continue;
    throw ConfigError(
        fmt::format("{}: {}: has no effect on initial conditions and must go: beside the options, [initial_conditions] and "
                    "[units], there are {}",
                    given.where, full_name(given), fmt::join(kept, ", ")));
  }
}

int make_initial_conditions(const IcOptions& options, const Communicator& comm) {
  std::vector<std::string> overrides;
  comm.agree([&] { overrides = overrides_of(options); });
  const Config config = load_config_on_all_ranks("", overrides, comm);
  comm.agree([&] {
    require_effect(options.common.settings);
    if (comm.is_root()) require_new_snapshot(options.out, options.overwrite);
  });
  const InitialState state = load_initial_state(config, comm);
  const std::filesystem::path out = options.out;
  remove_partial_files_on_failure(out.parent_path(), [own = out.filename().string()](const std::string& file) { return file == own; });
  save_snapshot(options.out, state.particles, config.time.begin, config, "", comm, state.components);
  if (!comm.is_root()) return 0;
  fmt::print("{}, written to {}\n", state.description, options.out);
  for (const std::string& note : state.info.notes) fmt::print("note: {}\n", note);
  if (const std::string note = advice_on_G(config.gravity.G, config.units); !note.empty()) fmt::print("note: {}\n", note);
  return 0;
}

}  // namespace

CommandAction declare_ic(CLI::App& app) {
  auto options = std::make_shared<IcOptions>();
  for (const Generator& generator : generators()) declare_generator(app, generator, options);
  options->joining = declare_ic_join(app, options->join);
  app.require_subcommand(1);
  app.footer("'grove ic GENERATOR --help' shows the parameters of a generator.");
  return [options](const Communicator& comm) {
    return options->joining->parsed() ? join_initial_conditions(options->join, comm) : make_initial_conditions(*options, comm);
  };
}

}  // namespace grove
