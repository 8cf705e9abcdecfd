#include "kernels/space/host_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>

namespace grove {

namespace fs = std::filesystem;

namespace {

using Bytes = std::uint64_t;

/// A group without a limit says "max", or a number near 2^63.
constexpr Bytes no_limit = Bytes{1} << 60;

/// The number in a file; nothing for "max" or a missing file.
std::optional<Bytes> number_in(const fs::path& path) {
  std::ifstream file(path);
  Bytes value = 0;
  return file >> value ? std::optional<Bytes>(value) : std::nullopt;
}

/// The number in column `column` after the word `key`, in a file of lines "key number ..."; 0 if there is none.
Bytes number_of(const fs::path& path, const std::string& key, int column = 1) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    Bytes value = 0;
    if (!(words >> word) || word != key) continue;
    for (int k = 0; k < column && words >> value; ++k) {
    }
    return words ? value : 0;
  }
  return 0;
}

/// Memory that processes can use although MemAvailable omits it: swap and the cache of ZFS.
Bytes free_swap_and_cache(const fs::path& root) {
  const fs::path zfs = root / "proc/spl/kstat/zfs/arcstats";
  const Bytes cache = number_of(zfs, "size", 2);
  return number_of(root / "proc/meminfo", "SwapFree:") * 1024 + cache - std::min(cache, number_of(zfs, "c_min", 2));
}

/// Names of files in a version of control groups.
struct GroupFiles {
  const char *limit, *usage;
  std::initializer_list<const char*> reclaimable;  ///< keys of memory.stat: memory of files, which the kernel can reclaim
};
const GroupFiles version1{"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
const GroupFiles version2{"memory.max", "memory.current", {"inactive_file", "active_file"}};

/// Adds the limits of a group and its parents. In a container the path may be that of the host, while the mounted root is the group itself.
void add_groups(const fs::path& mount, const std::string& group, const GroupFiles& files, Bytes swap_and_cache,
                std::vector<MemoryLimit>& limits) {
  for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
    const fs::path directory = mount / path;
    const std::optional<Bytes> limit = number_in(directory / files.limit), usage = number_in(directory / files.usage);
    if (limit && usage && *limit < no_limit) {
      Bytes used = *usage;
      for (const char* key : files.reclaimable) used -= std::min(used, number_of(directory / "memory.stat", key));
      const std::string name = "/" + path.string();
      limits.push_back({"the control group " + name, name, *limit - std::min(*limit, used) + swap_and_cache});
    }
    if (path.empty()) return;
  }
}

/// /proc/self/cgroup has lines "4:memory:/path" (version 1) and "0::/path" (version 2).
void add_all_groups(const fs::path& root, Bytes swap_and_cache, std::vector<MemoryLimit>& limits) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", group = line.substr(second + 1);
    if (controllers.find(",memory,") != std::string::npos)
      add_groups(root / "sys/fs/cgroup/memory", group, version1, swap_and_cache, limits);
    if (controllers == ",,") add_groups(root / "sys/fs/cgroup", group, version2, swap_and_cache, limits);
  }
}

void add_limit_of_process(const fs::path& root, std::vector<MemoryLimit>& limits) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const Bytes page = static_cast<Bytes>(sysconf(_SC_PAGESIZE)), used = number_in(root / "proc/self/statm").value_or(0) * page;
  limits.push_back({"the limit 'ulimit -v'", "", limit.rlim_cur - std::min<Bytes>(limit.rlim_cur, used)});
}

}  // namespace

std::vector<MemoryLimit> host_memory_limits(const fs::path& root) {
  std::vector<MemoryLimit> limits;
  const Bytes available = number_of(root / "proc/meminfo", "MemAvailable:") * 1024, swap_and_cache = free_swap_and_cache(root);
  if (available > 0) limits.push_back({"the node", "node", available + swap_and_cache});
  add_all_groups(root, swap_and_cache, limits);
  add_limit_of_process(root, limits);
  return limits;
}

std::uint64_t free_host_memory() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const MemoryLimit& limit : host_memory_limits()) least = std::min(least, limit.free_bytes);
  return least;
}

}  // namespace grove
