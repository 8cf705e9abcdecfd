// Direct summation in FP64: the method `direct`, which is also the reference for the errors of the other methods.
#pragma once

#include <cstdint>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/space/space.hpp"

namespace grove {

struct DirectSources {
  View<const Double4> position;     ///< position and mass
  View<const std::uint64_t> id;     ///< same length; a source does not act on the target of its own id
  View<const std::uint8_t> type{};  ///< same length; may be empty with a single class of softening
};

struct DirectTargets {
  View<const Double4> position;
  View<const std::uint64_t> id;
  View<Double4> acceleration;       ///< in/out: acceleration and potential, G included
  View<const std::uint8_t> type{};  ///< as above. Empty where the sources have types: the targets are points, without softening
};

/// Adds the forces of all sources to all targets, with the softening and G of `law`. Code units throughout. Asynchronous; sums in an order
/// fixed by the counts.
template <class Space>
void add_direct_sum(Space& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets);

}  // namespace grove
