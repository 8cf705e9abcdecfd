// Particles that get forces while others do not: taken out, and their forces put back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/space/select_indices.hpp"
#include "kernels/space/space.hpp"

namespace grove {

struct IsActive {
  const std::uint8_t* active;
  GROVE_HD bool operator()(std::size_t i) const { return active[i] != 0; }
};

struct PutForces {
  const Double4* from;
  const std::uint32_t* index;
  Double4* to;
  GROVE_HD void operator()(std::size_t k) const { to[index[k]] = from[k]; }
};
struct AddForces {
  const Double4* from;
  const std::uint32_t* index;
  Double4* to;
  GROVE_HD void operator()(std::size_t k) const {
    const Double4 f = from[k];
    Double4& sum = to[index[k]];
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z, sum.w + f.w};
  }
};

/// The indices of the active ones of n particles, in ascending order, in `index`, which has room for all. Returns their number.
/// Synchronises once.
template <class Space>
std::uint32_t select_active(Space& space, std::size_t n, const std::uint8_t* active, std::uint32_t* index) {
  return select_indices(space, n, IsActive{active}, [&](std::uint32_t) { return index; });
}

}  // namespace grove
