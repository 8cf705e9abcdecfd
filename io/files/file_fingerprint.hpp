// Whether all ranks see the same input files: ranks may start in different directories, or a node may have an old copy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Size and checksum of a file, as text; empty if it is not a regular file or cannot be opened. Of a file of more than 8 MiB, 512 blocks of
/// 16 KiB are read, evenly spread from end to end, so that a change of more than 1/511 of the file is seen. `files`: the number of files
/// that share these blocks; each has at least 8.
std::string file_fingerprint(const std::filesystem::path& path, std::size_t files = 1);

/// Compares the fingerprints of files, the same names on all ranks, with those of rank 0. `key`: the setting that names them, or nothing.
/// Collective; throws AgreedError (exit code of DataError) that names the first file that differs.
void require_same_files(const std::vector<std::filesystem::path>& paths, const Communicator& comm, const std::string& key = "");

}  // namespace grove
