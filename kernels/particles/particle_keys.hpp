// The Morton keys of moving particles.
#pragma once

#include <cstddef>

#include "kernels/particles/morton_key.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// Keys of the positions that particles have after a time, at their present velocities. A tree that serves several steps is built for the
/// middle of them (see TreeLife).
struct ParticleKeys {
  const Double4* position;  ///< [particles]
  const Double3* velocity;  ///< [particles]
  KeyCube cube;
  double lead = 0;  ///< that time, code units

  GROVE_HD std::uint64_t operator()(std::size_t i) const {
    const Double4 p = position[i];
    if (lead == 0) return morton_key(p, cube);
    const Double3 v = velocity[i];
    return morton_key({p.x + lead * v.x, p.y + lead * v.y, p.z + lead * v.z, 0}, cube);
  }
};

template <class Space>
ParticleKeys keys_of(const Particles<Space>& particles, const KeyCube& cube, double lead) {
  return {particles.position.data(), particles.velocity.data(), cube, lead};
}

}  // namespace grove
