// The Morton keys of moving particles.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/particles/morton_key.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// The position of a particle after `time`. The explicit fma gives the same bits everywhere, so that all loops agree on the key.
GROVE_HD inline Double3 position_after(const Double4& position, const Double3& velocity, double time) {
  return {fma(time, velocity.x, position.x), fma(time, velocity.y, position.y), fma(time, velocity.z, position.z)};
}

/// The positions of particles after the time `lead`, at their present velocities, and their masses.
struct LedPositions {
  const Double4* position;  ///< [particles]
  const Double3* velocity;  ///< [particles]
  double lead = 0;          ///< code units

  GROVE_HD Double4 operator()(std::size_t i) const {
    const Double4 p = position[i];
    if (lead == 0) return p;
    const Double3 q = position_after(p, velocity[i], lead);
    return {q.x, q.y, q.z, p.w};
  }
};

/// Keys of these positions. A tree that is reused for several steps is built for the middle of them (see TreeReuse).
struct ParticleKeys {
  LedPositions position;
  KeyCube cube;

  GROVE_HD std::uint64_t operator()(std::size_t i) const { return morton_key(position(i), cube); }
};

template <class Space>
LedPositions led_positions(const Particles<Space>& particles, double lead) {
  return {particles.position.data(), particles.velocity.data(), lead};
}
template <class Space>
ParticleKeys keys_of(const Particles<Space>& particles, const KeyCube& cube, double lead) {
  return {led_positions(particles, lead), cube};
}

}  // namespace grove
