// What the work of a particle, the cost of its last force in issue slots, tells beside the cost.
#pragma once

#include <cstdint>

namespace grove {

/// In the lowest bit of a particle's work: its group of targets was a part of a divided one (see divide_busy_groups()).
inline constexpr std::uint32_t in_part_bit = 1;
/// Of particles whose work is not known: all count the same when domains are cut.
inline constexpr std::uint32_t unknown_work = 2;

}  // namespace grove
