// The core: the few particles whose steps are much shorter than those of all others, such as those around a black hole.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "src/integrators/core_steps.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/rung_loops.hpp"
#include "src/integrators/rung_work.hpp"

namespace grove {

/// A particle of the core as ranks exchange it.
struct CoreParticle {
  Double4 position, acceleration;
  Double3 velocity;
  std::uint64_t id;
  std::uint8_t type, rung;
};

/// Takes particles on rungs beyond a limit through a step of the limit, with steps of their own and direct summation among themselves. At
/// both ends of that step they are kicked by all other forces. This is one split of the kind of which hierarchical schemes make many
/// (Pelupessy, Jänes & Portegies Zwart 2012).
///
/// Every rank has the whole core, in the order of ids, and does the same with it: all get the same bits.
template <class Space>
class Core {
 public:
  explicit Core(const GravityParameters& gravity) : law_(gravity) {}

  /// Takes the particles of all ranks on finer rungs than `limit`, with accelerations of their present positions. Collective; synchronises.
  void gather(StepContext<Space>& context, int limit);
  /// Takes them through the step of the limit that begins at `tick`, and adds what was done to `census`, where one rank alone counts
  /// forces. Throws AgreedError where a particle wants a shorter step than any.
  void step(StepContext<Space>& context, const RungRules& rules, std::uint64_t tick, RungCensus& census);
  /// Puts this rank's particles in the core where the step has taken them.
  void put_back(StepContext<Space>& context) const;
  /// The kick by all other forces that ends the step, when these are known.
  void kick_by_rest(StepContext<Space>& context, const RungRules& rules) const;

  /// Takes all particles through a base step on one rank, with the particles themselves as the core, on this rung and finer ones. Throws as
  /// step() does.
  void step_alone(StepContext<Space>& context, const RungRules& rules, int coarsest, RungCensus& census) const;

 private:
  struct Members {
    explicit Members(Space& space)
        : particles(space, fields_with({rung_row()})),
          rest(space),
          index(space),
          sent(space.host_memory()),
          received(space.host_memory()) {}

    Particles<Space> particles;                                       ///< their accelerations are those by the core
    Buffer<Space, Double4> rest;                                      ///< [particles] all other accelerations
    Buffer<Space, std::uint32_t> index;                               ///< of this rank's among all of its particles
    Buffer<typename Space::HostMemory, CoreParticle> sent, received;  ///< between ranks
  };

  const GravityLaw law_;
  int limit_ = beyond_all_rungs;
  std::optional<Members> core_;
};

}  // namespace grove
