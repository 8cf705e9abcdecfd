// Options that several commands share, and the configuration that follows from them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "src/config/config.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/recorded_physics.hpp"

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
  /// All as overrides for load_config, the settings last so that they win over what a command adds in `first`.
  std::vector<std::string> overrides(std::vector<std::string> first = {}) const;
};

/// load_config on every rank, agreed and the same on all. With an empty path all comes from the overrides. Collective; throws AgreedError.
Config load_config_on_all_ranks(const std::string& path, const std::vector<std::string>& overrides, const Communicator& comm);

/// What the file of particles records of the physics, and --set does not say. Collective; throws AgreedError for a file that cannot be
/// read.
RecordedPhysics physics_of_file(const std::string& file, const CommonOptions& options, const Communicator& comm);

/// What `physics` says of itself beside `config`, with a note on each softening length in the file that it does not take.
std::string physics_text(const RecordedPhysics& physics, const Config& config, const InitialState& state);

/// Checks that the value of an option is a whole number between both, before it is converted: a number < 0 would become a large one.
std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most = std::uint64_t{1} << 53);

/// As whole_number(), of any number > 0; not NaN.
std::string positive_number(const std::string& text);

/// `--json [FILE]`: where the result goes as JSON.
class JsonOption {
 public:
  void declare(CLI::App& app);
  bool given() const;
  /// The file that is named; empty: none.
  std::string file() const { return replaces_table() ? "" : file_; }
  /// True when the JSON goes to standard output, in place of the table.
  bool replaces_table() const { return given() && (file_.empty() || file_ == "-"); }
  /// require_writable() of the file, if one is named, on the root. Collective; throws AgreedError.
  void require_writable(const Communicator& comm) const;
  /// Throws ConfigError when the word that a command needs `is_there` not: --json may have taken it as the file to write.
  void require_input(const std::string& name, bool is_there) const;
  /// Writes to the file or to standard output; NaN and infinity, which JSON lacks, become null. Throws SystemError.
  void write(const nlohmann::ordered_json& result) const;

 private:
  std::string file_;
  CLI::Option* option_ = nullptr;  ///< owned by the App
};

/// "1 rank", "4 ranks".
std::string ranks_text(const Communicator& comm);
/// "4 ranks on NVIDIA H200": every kind of device once. `device` is that of this rank. Collective.
std::string ranks_and_devices(const std::string& device, const Communicator& comm);

/// parts_between_commas() of the value of `option`. Throws ConfigError that names the option when one of them is empty, or there is none.
std::vector<std::string> comma_separated(const std::string& option, const std::string& text);

/// Writes `text` to `path`, or to standard output for "-". Not collective. Throws SystemError that names the file.
void write_text(const std::string& path, const std::string& text);

/// For use before long work whose result goes to `path`: creates an empty file. Throws ConfigError for a file that holds something already,
/// and SystemError if write_text() could not write it; both name the file. Not collective.
void require_writable(const std::string& path);

/// Throws ConfigError unless a snapshot can be written to the file that `option` names: it must be called .hdf5 or .h5, be none of the
/// files that `inputs` mean and, without `overwrite`, not be there yet; with it, be a regular file. What it is called while it is made must
/// not be there. Not collective.
void require_new_snapshot(const std::string& out, bool overwrite, const std::vector<std::string>& inputs = {},
                          const std::string& option = "--out");

}  // namespace grove
