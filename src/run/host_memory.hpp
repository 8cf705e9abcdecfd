// How much memory of the host is free.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

/// Bytes that programs on this node can still take: what the system says is available, or less where this process is in a control group
/// with a limit (a container, a job of a batch system). The largest number when neither says anything. Not collective.
std::uint64_t free_host_memory();

/// The value in bytes behind "MemAvailable:" in `text`, the contents of /proc/meminfo; the largest number when it is not there.
std::uint64_t available_in_meminfo(const std::string& text);

/// What a control group leaves: `limit` and `current` are the texts of memory.max and memory.current, `statistics` is that of memory.stat,
/// whose file pages can be given back. The largest number without a limit.
std::uint64_t free_in_control_group(const std::string& limit, const std::string& current, const std::string& statistics);

}  // namespace grove
