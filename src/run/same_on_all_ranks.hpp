// Ranks that were started differently would wait for each other for ever: what must be the same on all of them is compared at the start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "src/config/config.hpp"

namespace grove {

/// Compares the words of the command line, without the name of the program, with those of rank 0. Collective; throws AgreedError, which
/// shows the first words that differ.
void require_same_command_line(const std::vector<std::string>& words, const Communicator& comm);

/// Compares the configuration, which may have come from different files, with that of rank 0. Collective; throws AgreedError, which names
/// the first key that differs, and both values.
void require_same_config(const Config& config, const Communicator& comm);

/// Compares an input file as each rank sees it, as far as file_fingerprint() looks. `key` is the setting that names the file. A file that
/// cannot be opened is left to its reader, and so are the other files of a snapshot. Collective; throws AgreedError.
void require_same_file(const std::filesystem::path& path, const std::string& key, const Communicator& comm);

/// Makes sure that all ranks see one directory, and can write to it: rank 0 makes a file there for a moment. `key` is the setting that
/// names it. Collective; throws AgreedError.
void require_same_directory(const std::filesystem::path& path, const std::string& key, const Communicator& comm);

/// "section.key = value" for every setting that has an effect, as TOML.
std::vector<std::string> assignments(const Config& config);

}  // namespace grove
