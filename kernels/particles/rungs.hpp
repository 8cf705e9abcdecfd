// The rungs of particles whose steps are divided: the step of a particle is the base step of the run over 2^rung.
#pragma once

#include <cstdint>

#include "kernels/particles/particles.hpp"

namespace grove {

/// The field of the particles, in runs that divide steps. A rung that is not known yet is no_rung.
inline constexpr const char* rung_field = "rung";
inline constexpr std::uint8_t no_rung = 255;
inline ParticleField rung_row() { return {.name = rung_field, .type = ElementType::u1, .initial = no_rung}; }

/// [particles], or null where steps are not divided.
template <class Space>
std::uint8_t* rungs_of(const Particles<Space>& particles) {
  if (!particles.table()->find(rung_field)) return nullptr;
  return reinterpret_cast<std::uint8_t*>(particles.array(particles.table()->array_of(rung_field)).data());
}

/// The work of a particle over a base step, in which it gets a force at the end of each of its steps.
struct WorkOfStep {
  const std::uint32_t* work = nullptr;  ///< of its last force
  const std::uint8_t* rung = nullptr;   ///< null: all take the base step

  /// Sums over 10^9 particles fit.
  static constexpr int most_halvings = 16;

  GROVE_HD std::uint64_t operator()(std::size_t i) const {
    if (!rung || rung[i] == no_rung) return work[i];
    return std::uint64_t{work[i]} << smaller<int>(rung[i], most_halvings);
  }
};
template <class Space>
WorkOfStep work_of_step(const Particles<Space>& particles) {
  return {particles.work.data(), rungs_of(particles)};
}

}  // namespace grove
