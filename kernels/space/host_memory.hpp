// How much memory this process can still get on its host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace grove {

/// Memory that one limit leaves free. A process can get no more than the smallest of its limits.
struct MemoryLimit {
  std::string name;              ///< "the node", "the group /slurm/job_7", "the limit 'ulimit -v'"
  std::string id;                ///< the same for all processes of a host that share it; empty: of this process alone
  std::uint64_t free_bytes = 0;  ///< what only files use counts as free, and so does swap
};

/// What limits this process: the memory of the node (MemAvailable), control groups of either version with a limit, and RLIMIT_AS. Linux
/// alone says; elsewhere the list is empty. `root` is where /proc and /sys are looked for, for tests.
std::vector<MemoryLimit> host_memory_limits(const std::filesystem::path& root = "/");

/// The smallest number of bytes that these limits leave; the largest number when nothing is known.
std::uint64_t free_host_memory();

}  // namespace grove
