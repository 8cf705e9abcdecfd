// What the rungs of a divided step did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The particles whose steps are those of a base step divided by 2^rung.
struct RungWork {
  std::uint64_t particles = 0;  ///< of this rank on it, at the beginning of the base step
  std::uint64_t in_core = 0;    ///< of these, in the core
  std::uint64_t sub_steps = 0;  ///< at whose end the longest steps that ended were its own
  std::uint64_t updates = 0;    ///< forces on particles of this rank in these
  double seconds = 0;           ///< of these, on this rank

  RungWork& operator+=(const RungWork& other) {
    particles += other.particles;
    in_core += other.in_core;
    sub_steps += other.sub_steps;
    updates += other.updates;
    seconds += other.seconds;
    return *this;
  }
};

/// [rung] of one base step, up to the finest rung that was occupied; empty where steps are not divided.
using RungCensus = std::vector<RungWork>;

/// The row of a rung, which there is then.
inline RungWork& work_of(RungCensus& census, int rung) {
  const auto r = static_cast<std::size_t>(rung);
  if (census.size() <= r) census.resize(r + 1);
  return census[r];
}

/// A sub-step at whose end the longest steps that ended were those of `rung`.
inline void add_sub_step(RungCensus& census, int rung, std::uint64_t updates, double seconds) {
  work_of(census, rung) += {.sub_steps = 1, .updates = updates, .seconds = seconds};
}

/// The work of all ranks, whose censuses have the same rungs, and the time of the slowest one. Collective.
RungCensus summarise_rungs(RungCensus local, const Communicator& comm);

}  // namespace grove
