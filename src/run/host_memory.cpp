#include "src/run/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace grove {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number behind a name at the start of a line; `otherwise` when it is not there.
std::uint64_t number_behind(const std::string& name, const std::string& text, std::uint64_t otherwise) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first && first == name && words >> number) return number;
  }
  return otherwise;
}

/// The directory of this process's control group (version 2); empty when there is none.
std::string control_group() {
  std::istringstream lines(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("0::/", 0) == 0) return "/sys/fs/cgroup" + line.substr(3);
  return "";
}

}  // namespace

std::uint64_t available_in_meminfo(const std::string& text) {
  const std::uint64_t kib = number_behind("MemAvailable:", text, unlimited);
  return kib == unlimited ? unlimited : kib << 10;
}

std::uint64_t free_in_control_group(const std::string& limit, const std::string& current, const std::string& statistics) {
  std::uint64_t most = 0, held = 0;
  if (!(std::istringstream(limit) >> most) || !(std::istringstream(current) >> held)) return unlimited;
  for (const char* name : {"active_file", "inactive_file"}) held -= std::min(held, number_behind(name, statistics, 0));
  return most - std::min(most, held);
}

std::uint64_t free_host_memory() {
  std::uint64_t free = available_in_meminfo(text_of("/proc/meminfo"));
  // A limit may be that of any group above, the nearest of which a container may see as its root.
  for (std::string group = control_group(); !group.empty(); group.resize(group.rfind('/'))) {
    free = std::min(
        free, free_in_control_group(text_of(group + "/memory.max"), text_of(group + "/memory.current"), text_of(group + "/memory.stat")));
    if (group == "/sys/fs/cgroup" || group.rfind("/sys/fs/cgroup/", 0) != 0) break;
  }
  return free;
}

}  // namespace grove
