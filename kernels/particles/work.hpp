// The work of a particle: the cost of its last force in issue slots, and a mark in its lowest bit.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// The mark: the particle's group of targets was a part of a divided one (see divide_busy_groups()).
inline constexpr std::uint32_t in_part_bit = 1;
GROVE_HD constexpr std::uint32_t work_of(std::uint32_t cost, bool is_in_part) {
  return is_in_part ? cost | in_part_bit : cost & ~in_part_bit;
}
GROVE_HD constexpr bool was_in_part(std::uint32_t work) { return (work & in_part_bit) != 0; }
/// Of particles whose work is not known: all count the same when domains are cut.
inline constexpr std::uint32_t unknown_work = 2;

}  // namespace grove
