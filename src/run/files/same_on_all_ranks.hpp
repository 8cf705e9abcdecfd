// Ranks that were started differently would deadlock: what must be the same on all of them is compared at the start.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/config/config.hpp"

namespace grove {

/// Compares the words of the command line, without the name of the program, with those of rank 0. Collective; throws AgreedError with the
/// first words that differ.
void require_same_command_line(const std::vector<std::string>& words, const Communicator& comm);

/// Compares the configuration, which may come from different files, with that of rank 0. Collective; throws AgreedError with the first key
/// that differs, and both values.
void require_same_config(const Config& config, const Communicator& comm);

/// require_same_files() for a file of particles; refuses the log of a run. `key` is the setting that names the file. A file that no rank
/// can open is left to its reader, and so are the other files of a snapshot. Collective; throws AgreedError.
void require_same_file(const std::filesystem::path& path, const std::string& key, const Communicator& comm);

/// Checks that all ranks see the same directory and can write to it, with a temporary file of rank 0. `key` is the setting that names the
/// directory. Collective; throws AgreedError.
void require_same_directory(const std::filesystem::path& path, const std::string& key, const Communicator& comm);

/// Name ("section.key") and value, as TOML, of settings.
using EffectiveSettings = std::vector<std::pair<std::string, std::string>>;
/// All settings of a configuration that have an effect.
EffectiveSettings effective_settings(const Config& config);

}  // namespace grove
