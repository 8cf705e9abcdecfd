// Whether all ranks see the same input files: they may have been started in different directories, or a node may have an old copy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Size and checksum of a file, in words; empty for what is no regular file or cannot be opened. Of a file of more than 8 MiB, 512 blocks
/// of 16 KiB are looked at that are spread evenly, with both ends: a change is seen that reaches over one part in 511 of the file. `files`:
/// among how many these blocks are shared; each file has 8 at least.
std::string file_fingerprint(const std::filesystem::path& path, std::size_t files = 1);

/// Compares the fingerprints of files, the same names on all ranks, with those of rank 0. Collective; throws AgreedError (exit code of
/// DataError), which names the first file that differs.
void require_same_files(const std::vector<std::filesystem::path>& paths, const Communicator& comm);

}  // namespace grove
