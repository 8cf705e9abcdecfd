// Sizes rounded up to an alignment.
#pragma once

#include <cstddef>

#include "kernels/space/host_device.hpp"

namespace grove {

/// The first multiple of `unit` that is not below `size`.
GROVE_HD constexpr std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace grove
