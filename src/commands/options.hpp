// Options that several commands share, and the configuration that follows from them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/setting.hpp"
#include "src/config/config.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/run/start/recorded_physics.hpp"
#include "src/simulation/simulation.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace grove {

/// What `--set` and `--device` gave.
struct CommonOptions {
  std::vector<std::string> settings;  ///< "section.key=value"
  std::string device;                 ///< empty: not given

  /// Declares both options, or --set alone.
  void declare(CLI::App& app);
  void declare_settings(CLI::App& app);
  /// All as overrides for parse_config(), after those of a command in `first`, so that they win.
  std::vector<std::string> overrides(std::vector<std::string> first = {}) const;
};

/// The configuration in a file on every rank, agreed and the same on all. With an empty path all comes from the overrides. `input`: becomes
/// initial_conditions.file as it was given, for require_input(). Collective; throws AgreedError.
Config load_config_on_all_ranks(const std::string& path, const std::vector<std::string>& overrides, const Communicator& comm,
                                GivenSetting* input = nullptr);
/// If a file of particles was given that is not there, names place and key. Collective; throws AgreedError.
void require_input(const GivenSetting& input, const Communicator& comm);

/// The physics that a file of particles records, except what --set replaces. Collective; throws AgreedError for a file that cannot be read.
RecordedPhysics physics_of_file(const std::string& file, const CommonOptions& options, const Communicator& comm);

/// The configuration of a command on a file of particles, with what `physics` records and `more` overrides. Collective; throws AgreedError.
Config config_of_file(const std::string& file, const RecordedPhysics& physics, const CommonOptions& options, const Communicator& comm,
                      const std::vector<std::string>& more = {});

/// The text of `physics`, with a note on each softening length in the file that is not used.
std::string physics_text(const RecordedPhysics& physics, const Config& config, const InitialState& state);

/// A check of an option: a whole number from `least` to `most`, before it is converted, since a number < 0 would become a large one.
std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most = std::uint64_t{1} << 53);

/// Throws ConfigError that names `option` for a description of columns that cannot be used; an empty one can.
void require_columns(const std::string& option, const std::string& columns);

/// `--json [FILE]`: where the result goes as JSON.
class JsonOption {
 public:
  void declare(CLI::App& app);
  bool given() const;
  /// The named file; empty: none.
  std::string file() const { return replaces_table() ? "" : file_; }
  /// Whether the JSON goes to standard output instead of the table.
  bool replaces_table() const { return given() && (file_.empty() || file_ == "-"); }
  /// require_writable() of the named file, if any, on the root. Collective; throws AgreedError.
  void require_writable(const Communicator& comm) const;
  /// Throws ConfigError unless the word `name` that `command` needs `is_there`: --json may have taken it as the file to write.
  void require_input(const std::string& name, const std::string& command, bool is_there) const;
  /// Writes to the file or to standard output, if JSON is wanted; NaN and infinity, which JSON lacks, become null. Throws SystemError.
  void write(const nlohmann::ordered_json& result) const;
  /// On the root, prints `table`, unless JSON replaces it, and write()s the same result as JSON. Collective; throws AgreedError.
  void show(const std::string& table, const nlohmann::ordered_json& result, const Communicator& comm) const;

 private:
  std::string file_;
  CLI::Option* option_ = nullptr;  ///< owned by the App
};

/// "1 rank", "4 ranks".
std::string ranks_text(const Communicator& comm);
/// "4 ranks on NVIDIA H200", with every kind of device once. `device`: of this rank. Collective.
std::string ranks_and_devices(const std::string& device, const Communicator& comm);

/// A simulation that has computed the forces on its particles.
struct StartedSimulation {
  std::unique_ptr<Simulation> simulation;
  InitialState state;  ///< without the particles
};
/// Makes the simulation of a configuration, whose softening by type it sets, and its particles, unless `state` has them. Collective; throws
/// AgreedError.
StartedSimulation start_simulation(Config& config, const Communicator& comm, std::optional<InitialState> state = {});

/// parts_between_commas() of the value of `option`. Throws ConfigError if a part is empty, or there is none.
std::vector<std::string> comma_separated(const std::string& option, const std::string& text);

/// Writes `text` to `path`, or to standard output for "-". Not collective. Throws SystemError that names the file.
void write_text(const std::string& path, const std::string& text);

/// For use before long work whose result goes to `path`: creates an empty file. Throws ConfigError for a file that is not empty, and
/// SystemError if it cannot be written. Not collective.
void require_writable(const std::string& path);

/// require_new_file() for the snapshot that `option` names. Throws ConfigError, too, unless its name ends in .hdf5 or .h5, and for one of
/// the `inputs`. Not collective.
void require_new_snapshot(const std::string& out, bool overwrite, const std::vector<std::string>& inputs = {},
                          const std::string& option = "--out");
/// Throws SystemError unless a file can be made in the directory of `file`, which `option` names, and ConfigError if the partial file
/// exists under whose name it is made, or the file itself, unless it is a regular one and `overwrite` is set. Makes no file, so that work
/// that fails leaves no empty one. `overwrite`: nothing for a command that replaces no file. Not collective.
void require_new_file(const std::string& file, const std::string& option, std::optional<bool> overwrite = {});
/// Lets a rank that fails remove the unfinished file.
void remove_partial_file_on_failure(const std::string& file);

}  // namespace grove
