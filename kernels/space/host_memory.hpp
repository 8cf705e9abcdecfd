// How much host memory this process can still allocate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace grove {

/// Free memory under one limit. A process can allocate no more than the smallest of its limits allows.
struct MemoryLimit {
  std::string name;              ///< "the node", "the group /slurm/job_7", "the limit 'ulimit -v'"
  std::string id;                ///< the same for all processes of a host that share it; empty: only this process
  std::uint64_t free_bytes = 0;  ///< including swap and memory used only for files
};

/// The limits of this process: memory of the node (MemAvailable), control groups of both versions, and RLIMIT_AS. Empty on systems other
/// than Linux. `root`: where /proc and /sys are, for tests.
std::vector<MemoryLimit> host_memory_limits(const std::filesystem::path& root = "/");

/// The smallest free memory under these limits; the largest number if nothing is known.
std::uint64_t free_host_memory();

}  // namespace grove
