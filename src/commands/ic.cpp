// grove ic: generates particles on all ranks, or joins those of files, and writes them as one snapshot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/files/component_name.hpp"
#include "io/files/printable.hpp"
#include "io/formats/read_info.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"
#include "src/commands/ic_check.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/config_source.hpp"
#include "src/config/galaxy_reference.hpp"
#include "src/config/given_galaxies.hpp"
#include "src/run/files/snapshot_writer.hpp"
#include "src/run/files/version.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/run/start/join.hpp"

namespace grove {

namespace {

/// Options of grove ic join, as given.
struct JoinOptions {
  std::vector<std::string> files, rotate, shift, boost, names, types;
  std::string out;
  JoinChoice choice;
  bool renumber = false, overwrite = false;
};

struct IcOptions {
  std::string configuration;  ///< a file; empty: the generator and what follows say it
  std::string generator, n, seed, recentre, out;
  std::map<std::string, std::string> parameters;  ///< as given; the configuration checks them
  std::optional<std::string> name, type;          ///< of the particles of a model of one component
  CommonOptions common;
  bool overwrite = false;
  GalaxyCheckOptions check;
  JoinOptions join;
  CLI::App* joining = nullptr;  ///< the subcommand; owned by the App
};

/// The option of a key: underscores may be typed as dashes, and a galaxy may be called a preset.
std::string option_name(const std::string& key) {
  if (key == galaxy_keys[0]) return "--preset,--" + key;
  std::string dashed = key;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == key ? "--" + key : "--" + dashed + ",--" + key;
}

/// One subcommand for each generator, so that --help shows its parameters.
void declare_generator(CLI::App& app, const Generator& generator, const std::shared_ptr<IcOptions>& options) {
  CLI::App& own = *app.add_subcommand(generator.name, generator.meaning)->group("Generators");
  own.callback([options, name = generator.name] { options->generator = name; });
  own.add_option("--n", options->n, "number of particles, all ranks together")->required()->type_name("N");
  own.add_option("--out", options->out, "snapshot to write, e.g. ic.hdf5")->required()->type_name("FILE");
  own.add_option("--seed", options->seed, "of the random numbers")->type_name("SEED");
  own.add_option("--recentre", options->recentre, "every component gets its centre of mass and mean velocity exactly [true]")
      ->type_name("TRUE|FALSE");
  own.add_option("--name", options->name, "of the component in the snapshot, where the model has one alone")->type_name("NAME");
  own.add_option("--type", options->type, "particle type of that component, 0 (gas) to 5")->type_name("TYPE");
  own.add_flag("--overwrite", options->overwrite, "replace the file if it exists");
  if (generator.makes_galaxies) options->check.declare(own);
  for (const Setting& setting : generator.settings)
    own.add_option(option_name(setting.name), options->parameters[generator.name + "." + setting.name],
                   fmt::format("{} [{}]", setting.meaning, to_toml(setting.default_value)))
        ->type_name(what_is_allowed(setting));
  options->common.declare_settings(own);
  const std::string source = generator.source.empty() ? "" : "After: " + generator.source;
  own.footer(source + (find_named(generator.settings, galaxy_keys[0]) ? "\n\n" + galaxies_help() : ""));
}

/// The subcommand for the particles of a configuration file.
void declare_ic_config(CLI::App& ic, const std::shared_ptr<IcOptions>& options) {
  CLI::App& own = *ic.add_subcommand("config", "the particles that a run of a configuration begins with")->group("Files");
  own.add_option("CONFIG", options->configuration, "configuration file, e.g. run.toml")->required()->type_name("CONFIG.toml");
  own.add_option("--out", options->out, "snapshot to write, e.g. ic.hdf5")->required()->type_name("FILE");
  own.add_flag("--overwrite", options->overwrite, "replace the file if it exists");
  options->check.declare(own);
  options->common.declare_settings(own);
}

/// Throws ConfigError when --set gives a key another value than the other words of the command.
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

/// Throws ConfigError for settings without effect: a snapshot has only units, a time, G and softening.
void require_effect(const std::vector<std::string>& settings) {
  static const std::set<std::string> kept{"time.begin", "gravity.G", "gravity.softening", "gravity.softening_kernel"};
  for (const std::string& setting : settings) {
    const GivenSetting given = read_override(setting);
    if (given.section == "initial_conditions" || given.section == "units" || !given.path.empty()) continue;
    if (kept.contains(given.section + "." + given.name)) continue;
    throw ConfigError(
        fmt::format("{}: {}: has no effect on initial conditions and must go: beside the options, [initial_conditions], [galaxies] and "
                    "[units], there are {}",
                    given.where, full_name(given), fmt::join(kept, ", ")));
  }
}

/// Throws ConfigError for a name that a component cannot have.
void require_name(const std::string& option, const std::string& name) {
  if (!is_component_name(name))
    throw ConfigError(fmt::format("{} {}: {}", option, to_toml(Value(name.substr(0, 60))), rule_of_component_names()));
}

std::uint8_t particle_type_of(const std::string& option, const std::string& text) {
  const std::optional<std::uint8_t> type = parse_number<std::uint8_t>(text);
  if (!type || *type >= particle_type_count)
    throw ConfigError(fmt::format("{} {}: must be a particle type, 0 (gas) to {}", option, text, particle_type_count - 1));
  return *type;
}

/// The one component of a model, with the name and type of the options. Throws ConfigError.
ModelComponent renamed_component(const IcOptions& options, const Config& config) {
  const Generator& generator = *find_named(generators(), config.initial_conditions.generator);
  const std::vector<ModelComponent> components = generator.prepare(config.initial_conditions, config.gravity.G).components;
  std::vector<std::string> names;
  for (const ModelComponent& component : components) names.push_back(component.name);
  if (names.size() > 1)
    throw ConfigError(fmt::format("{} is for models of one component and must go: {} makes {}", options.name ? "--name" : "--type",
                                  generator.name, fmt::join(names, ", ")));
  ModelComponent renamed = components.front();
  if (options.name) renamed.name = *options.name;
  if (options.type) renamed.type = particle_type_of("--type", *options.type);
  require_name("--name", renamed.name);
  return renamed;
}

/// Files that the command reads.
std::vector<std::string> inputs_of(const IcOptions& options, const Config& config) {
  std::vector<std::string> inputs;
  for (const std::string& file : {options.configuration, config.initial_conditions.file})
    if (!file.empty()) inputs.push_back(file);
  return inputs;
}

int make_initial_conditions(const IcOptions& options, const Communicator& comm) {
  std::vector<std::string> overrides;
  comm.agree([&] { overrides = options.configuration.empty() ? overrides_of(options) : options.common.overrides({}); });
  Config config = load_config_on_all_ranks(options.configuration, overrides, comm);
  std::optional<ModelComponent> renamed;
  comm.agree([&] {
    require_effect(options.common.settings);
    if (options.name || options.type) renamed = renamed_component(options, config);
    if (comm.is_root()) require_new_snapshot(options.out, options.overwrite, inputs_of(options, config));
    if (comm.is_root()) options.check.require_possible(config, options.overwrite);
  });
  InitialState state = load_initial_state(config, comm);
  if (renamed) {
    state.components[renamed->type] = renamed->name;
    std::fill(state.particles.type.begin(), state.particles.type.end(), renamed->type);
    // The one component has another name than the model's.
    config.gravity.softening_of_component.clear();
    config.gravity.softening_between.clear();
  }
  const auto count = count_of_types(state.particles, comm);
  comm.agree([&] {
    config.gravity.softening_of_type = softening_of_types(config.gravity, state.components, {count.begin(), count.end()});
  });
  remove_partial_file_on_failure(options.out);
  save_snapshot(snapshot_request(options.out, config.time.begin, config, "", state.components), state.particles, comm);
  if (comm.is_root())
    fmt::print("{}, written to {}\n{}{}{}", state.description, options.out, state.table, as_notes(state.info.notes),
               as_note(advice_on_G(config.gravity.G, config.units)));
  return check_galaxies(options.check, config, state, comm) ? 0 : exit_exceeded;
}

/// Reads "x,y,z".
void read_vector(const std::string& option, const std::string& text, double (&vector)[3]) {
  const std::vector<std::string> words = comma_separated(option, text);
  bool is_good = words.size() == 3;
  for (std::size_t d = 0; is_good && d < 3; ++d) is_good = CLI::detail::lexical_cast(words[d], vector[d]) && std::isfinite(vector[d]);
  if (!is_good)
    throw ConfigError(fmt::format("{} {}: must be three numbers with commas between them, e.g. {} 10,0,-2.5", option, text, option));
}

using VectorOfPart = double (JoinPart::*)[3];

/// The first value is for the second file, and so on.
void give(std::vector<JoinPart>& parts, const std::string& option, const std::vector<std::string>& values, VectorOfPart member) {
  if (values.size() >= parts.size())
    throw ConfigError(fmt::format("{} is given {} times for {} files: the first file stays as it is, and the others have one each", option,
                                  values.size(), parts.size()));
  for (std::size_t k = 0; k < values.size(); ++k) read_vector(option, values[k], parts[k + 1].*member);
}

/// The words of the k-th file, of which "-" becomes empty; none where the option is missing or "-" alone. Throws ConfigError.
std::vector<std::string> words_of_file(const std::string& option, const std::vector<std::string>& values, std::size_t k) {
  if (k >= values.size() || values[k] == "-") return {};
  std::vector<std::string> words = comma_separated(option, values[k]);
  for (std::string& word : words)
    if (word == "-") word.clear();
  return words;
}

/// Names and types of the components of each file.
void give_components(std::vector<JoinPart>& parts, const JoinOptions& options) {
  for (const auto& [option, values] : {std::pair{"--name", &options.names}, {"--type", &options.types}})
    if (values->size() > parts.size())
      throw ConfigError(
          fmt::format("{} is given {} times for {} files: each has one, the first, too", option, values->size(), parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].names = words_of_file("--name", options.names, k);
    for (const std::string& name : parts[k].names)
      if (!name.empty()) require_name("--name", name);
    for (const std::string& type : words_of_file("--type", options.types, k))
      parts[k].types.push_back(type.empty() ? std::nullopt : std::optional<std::size_t>(particle_type_of("--type", type)));
  }
}

std::vector<JoinPart> parts_of(const JoinOptions& options) {
  if (options.files.size() < 2) throw ConfigError("join needs two files or more");
  std::vector<JoinPart> parts(options.files.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].file = options.files[k];
    parts[k].renumber = options.renumber;
  }
  give(parts, "--rotate", options.rotate, &JoinPart::rotate);
  give(parts, "--shift", options.shift, &JoinPart::shift);
  give(parts, "--boost", options.boost, &JoinPart::boost);
  give_components(parts, options);
  return parts;
}

/// The command, for the provenance of the file.
std::string command_text(const JoinOptions& options) {
  std::string text = fmt::format("grove ic join {}", fmt::join(options.files, " "));
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) text += fmt::format(" {} {}", name, value);
  };
  add("--rotate", options.rotate);
  add("--shift", options.shift);
  add("--boost", options.boost);
  add("--name", options.names);
  add("--type", options.types);
  return text + (options.choice.merge ? " --merge" : "") + (options.choice.recentre ? " --recentre" : "") +
         (options.renumber ? " --renumber" : "");
}

SnapshotHeader header_of(const InitialState& joined, const JoinOptions& options) {
  SnapshotHeader header;
  header.time = joined.info.time.value_or(0);
  if (joined.info.units) header.units = *joined.info.units;
  header.G = joined.info.G.value_or(is_physical(header.units) ? gravitational_constant(header.units) : 1);
  header.components = joined.components;
  if (!joined.info.softenings.empty()) header.softening_of_type.resize(particle_type_count);
  for (const FileSoftening& softening : joined.info.softenings) {
    header.softening_of_type[static_cast<std::size_t>(softening.type)] = softening.highest;
    header.softening = std::max(header.softening, softening.highest);
  }
  header.provenance = program_provenance();
  header.provenance.extra.emplace_back("Command", command_text(options));
  return header;
}

/// A note on the units and G of the new file that no file names.
std::string note_on_missing(const ReadInfo& info, const SnapshotHeader& header) {
  return fmt::format("no file names {}: the new file says {}, G = {:.6g}",
                     info.units ? "G"
                     : info.G   ? "its units"
                                : "its units and G",
                     in_words(header.units), header.G);
}

/// Declares the subcommand; `options` must outlive it.
CLI::App* declare_ic_join(CLI::App& ic, JoinOptions& options) {
  CLI::App* own = ic.add_subcommand("join", "particles of several files in one snapshot")->group("Files");
  own->add_option("FILES", options.files, "files to join, in any format that Grove reads")->required()->type_name("A B ...");
  own->add_option("--out", options.out, "snapshot to write, e.g. pair.hdf5")->required()->type_name("FILE");
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* meaning, const char* type = "X,Y,Z") {
    own->add_option(name, values, meaning)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add("--rotate", options.rotate, "turns B about its origin: degrees about x, then y, then z, counter-clockwise");
  add("--shift", options.shift, "then is added to its positions");
  add("--boost", options.boost, "and this to its velocities");
  add("--name", options.names, "of the components of A, in the order of their types; the second --name is for B", "NAME,...");
  add("--type", options.types, "particle types of the components of A in the new file, in the same order; then of B", "TYPE,...");
  own->add_flag("--merge", options.choice.merge, "components of one name become one, where the files or --name name them");
  own->add_flag("--recentre", options.choice.recentre, "at last, centre of mass and mean velocity of all become zero");
  own->add_flag("--renumber", options.renumber,
                "the ids of each file are replaced by the numbers of its rows, for files whose ids occur twice");
  own->add_flag("--overwrite", options.overwrite, "replace the file if it exists");
  own->footer(
      "The three vectors are for B, the second file. With more files, repeat an option: the second one is for the third file, and so on.\n"
      "--name and --type are for all files, also the first; - leaves a component, or a file, as it is: --name - --name bulge.\n"
      "Numbers are in the units of the files, which must agree. Components stay apart: a name that is taken gets a number (disc 2).");
  return own;
}

/// Joins the files and writes the snapshot. Collective; throws AgreedError.
int join_initial_conditions(const JoinOptions& options, const Communicator& comm) {
  std::vector<JoinPart> parts;
  comm.agree([&] {
    parts = parts_of(options);
    if (comm.is_root()) require_new_snapshot(options.out, options.overwrite, options.files);
  });
  InitialState joined = join_files(parts, options.choice, comm);
  remove_partial_file_on_failure(options.out);
  const SnapshotHeader header = header_of(joined, options);
  write_snapshot(options.out, sort_by_id(std::move(joined.particles), comm), header, comm);
  if (!comm.is_root()) return 0;
  if (!joined.info.G || !joined.info.units) joined.info.notes.push_back(note_on_missing(joined.info, header));
  joined.info.notes.push_back(advice_on_G(header.G, header.units));
  fmt::print("{}{}{} particles of {} files, written to {}\n", as_notes(joined.info.notes), printable_text(joined.description),
             format_count(joined.count), parts.size(), options.out);
  return 0;
}

}  // namespace

CommandAction declare_ic(CLI::App& app) {
  auto options = std::make_shared<IcOptions>();
  for (const Generator& generator : generators()) declare_generator(app, generator, options);
  declare_ic_config(app, options);
  options->joining = declare_ic_join(app, options->join);
  app.require_subcommand(1);
  app.footer("'grove ic GENERATOR --help' shows the parameters of a generator.");
  return [options](const Communicator& comm) {
    return options->joining->parsed() ? join_initial_conditions(options->join, comm) : make_initial_conditions(*options, comm);
  };
}

}  // namespace grove
