#include "src/commands/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "io/files/find_file.hpp"
#include "io/files/partial_file.hpp"
#include "io/formats/reader.hpp"
#include "io/formats/text_columns.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/advice/memory_check.hpp"
#include "src/process/last_words.hpp"
#include "src/run/files/same_on_all_ranks.hpp"
#include "src/run/start/configured_simulation.hpp"

namespace grove {

void CommonOptions::declare_settings(CLI::App& app) {
  app.add_option("--set", settings, "override a key of the configuration; may be repeated")
      ->type_name("SECTION.KEY=VALUE")
      ->allow_extra_args(false);
}

void CommonOptions::declare(CLI::App& app) {
  declare_settings(app);
  app.add_option("--device", device, "where forces are computed: auto (a GPU if there is one), gpu or cpu")->type_name("DEVICE");
}

std::vector<std::string> CommonOptions::overrides(std::vector<std::string> first) const {
  if (!device.empty()) first.push_back("run.device=" + device);
  first.insert(first.end(), settings.begin(), settings.end());
  return first;
}

Config load_config_on_all_ranks(const std::string& path, const std::vector<std::string>& overrides, const Communicator& comm,
                                GivenSetting* input) {
  const std::string name = path.empty() ? "command line" : path;
  std::string text, file;
  GivenInput given;
  comm.agree([&] {
    try {
      if (!path.empty()) text = read_config_text(path);
    } catch (const ConfigError& error) {
      // Heard where the root can read it: there the file is another one, or none.
      throw ConfigError(comm.is_root() ? error.what() : fmt::format("rank {}: {}", comm.rank(), error.what()));
    }
    given = given_input(text, name, overrides);
    if (given.is_asked) file = *given.file.text();
  });
  // That of the root, so that all ranks read the same file or none.
  comm.broadcast(file);
  ReadInfo in_file;
  if (!file.empty()) {
    require_input(given.file, comm);
    in_file = read_info(file, comm);
  }
  Config config;
  comm.agree([&] { config = parse_config(text, name, overrides, file.empty() ? nullptr : &in_file); });
  if (input) *input = given.file;
  require_same_config(config, comm);
  return config;
}

void require_input(const GivenSetting& input, const Communicator& comm) {
  comm.agree([&] {
    try {
      if (input.text()) find_file(*input.text());
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: {}: {}", input.where, full_name(input), error.what()));
    }
  });
}

RecordedPhysics physics_of_file(const std::string& file, const CommonOptions& options, const Communicator& comm) {
  const ReadInfo info = read_info(file, comm);
  RecordedPhysics physics;
  comm.agree([&] { physics = RecordedPhysics(file, info, options.settings); });
  return physics;
}

Config config_of_file(const std::string& file, const RecordedPhysics& physics, const CommonOptions& options, const Communicator& comm,
                      const std::vector<std::string>& more) {
  std::vector<std::string> first = physics.overrides();
  first.push_back("initial_conditions.file=" + file);
  first.insert(first.end(), more.begin(), more.end());
  return load_config_on_all_ranks("", options.overrides(first), comm);
}

std::string physics_text(const RecordedPhysics& physics, const Config& config, const InitialState& state) {
  return physics.text(config) + (physics.leaves_softening() ? as_notes(notes_on_softening(config, state)) : "");
}

void require_columns(const std::string& option, const std::string& columns) {
  if (columns.empty()) return;
  if (const std::string why = complaint_about_columns(columns); !why.empty()) throw ConfigError(option + ": " + why);
}

StartedSimulation start_simulation(Config& config, const Communicator& comm, std::optional<InitialState> state) {
  StartedSimulation started;
  started.simulation = make_simulation_of_forces(config, comm);
  require_memory_of_forces(config, *started.simulation, comm);
  started.state = state ? std::move(*state) : load_initial_state(config, comm);
  set_component_softening(config.gravity, started.state, *started.simulation, comm);
  started.simulation->start(std::move(started.state.particles), config.time.begin);
  return started;
}

std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most) {
  return [=](const std::string& text) -> std::string {
    const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(text);
    if (number && *number >= least && *number <= most) return "";
    return fmt::format("{} must be a whole number >= {} and <= {}", text, least, most);
  };
}

void JsonOption::declare(CLI::App& app) {
  option_ = app.add_option("--json", file_, "write the result as JSON, to standard output instead of the table when no file is named")
                ->expected(0, 1)
                ->type_name("[FILE]");
}

bool JsonOption::given() const { return option_ && option_->count() > 0; }

void JsonOption::require_input(const std::string& name, const std::string& command, bool is_there) const {
  if (is_there) return;
  if (file_.empty()) throw ConfigError(fmt::format("{} is required: the command is 'grove {}'", name, command));
  throw ConfigError(
      fmt::format("{} is required: {} is taken as the file that --json writes. Put --json last, or write --json=-", name, file_));
}

void JsonOption::write(const nlohmann::ordered_json& result) const {
  if (!given()) return;
  // A file name need not be UTF-8, but JSON must be.
  const std::string text = result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  write_text(replaces_table() ? "-" : file_, text + "\n");
}

void JsonOption::show(const std::string& table, const nlohmann::ordered_json& result, const Communicator& comm) const {
  comm.agree([&] {
    if (!comm.is_root()) return;
    if (!replaces_table()) write_text("-", table);
    write(result);
  });
}

void JsonOption::require_writable(const Communicator& comm) const {
  comm.agree([&] {
    if (comm.is_root() && given() && !replaces_table()) grove::require_writable(file_);
  });
}

std::string ranks_text(const Communicator& comm) { return fmt::format("{} rank{}", comm.size(), comm.size() == 1 ? "" : "s"); }

std::string ranks_and_devices(const std::string& device, const Communicator& comm) {
  const std::string line = device + "\n";
  const std::vector<char> all = comm.all_gather_vectors<char>(line);
  std::istringstream lines(std::string(all.begin(), all.end()));
  std::set<std::string> kinds;
  for (std::string kind; std::getline(lines, kind);) kinds.insert(kind);
  return fmt::format("{} on {}", ranks_text(comm), fmt::join(kinds, " and "));
}

std::vector<std::string> comma_separated(const std::string& option, const std::string& text) {
  std::vector<std::string> parts = parts_between_commas(text);
  if (parts.empty() || std::count(parts.begin(), parts.end(), "") > 0)
    throw ConfigError(fmt::format("{} {}: nothing stands before, between or after its commas, where a value must be", option, text));
  return parts;
}

void require_writable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) > 0)
    throw ConfigError(path + " exists and is not overwritten: choose another name or move it away");
  if (!std::ofstream(path, std::ios::app)) throw SystemError(path + ": cannot be written: " + reason_of(errno));
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw SystemError(std::string("standard output could not be written: ") + std::strerror(errno));
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw SystemError(path + ": cannot be written: " + reason_of(errno));
}

void require_new_snapshot(const std::string& out, bool overwrite, const std::vector<std::string>& inputs, const std::string& option) {
  if (!has_hdf5_ending(out))
    throw ConfigError(fmt::format("{} {}: {} HDF5 files; the name must end in .hdf5 or .h5", option, out,
                                  option == "--out" ? "snapshots are" : "writes"));
  for (const std::string& input : inputs)
    if (is_file_of(out, input)) throw ConfigError(fmt::format("{} {} is the input {}: name another file", option, out, input));
  require_new_file(out, option, option == "--out" ? std::optional(overwrite) : std::nullopt);
}

void require_new_file(const std::string& file, const std::string& option, std::optional<bool> overwrite) {
  require_place_for(file, option);
  std::error_code ignored;
  const std::filesystem::file_type type = std::filesystem::symlink_status(file, ignored).type();
  const bool exists = type != std::filesystem::file_type::not_found;
  if (exists && !overwrite.value_or(false))
    throw ConfigError(fmt::format("{} {} exists already: name another file{}", option, file, overwrite ? ", or give --overwrite" : ""));
  // The new file would replace a link, not its target.
  if (exists && type != std::filesystem::file_type::regular)
    throw ConfigError(fmt::format("{} {} is not a regular file, or is a link, which is not replaced: name another file", option, file));
}

void remove_partial_file_on_failure(const std::string& file) {
  const std::filesystem::path path = file;
  remove_partial_files_on_failure(path.parent_path(), [own = path.filename().string()](const std::string& name) { return name == own; });
}

}  // namespace grove
