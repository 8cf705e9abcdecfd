// Direct summation for a few targets among many sources, as for a black hole: a walk for so few is slow, since few warps do all of it.
#pragma once

#include "kernels/walks/direct_sum.hpp"

namespace grove {

inline constexpr std::size_t most_in_direct_sum_on_few = 4;

/// Sets the forces of all sources on the targets, at most most_in_direct_sum_on_few, in FP64, as add_direct_sum() adds them. `active`
/// [targets]: not 0 for those that get a force; null: all do. One pass over the sources. Synchronises. Throws std::logic_error for more
/// targets, and where the law has several softening lengths but targets or sources have no types.
template <class Space>
void direct_sum_on_few(Space& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets,
                       const std::uint8_t* active);

}  // namespace grove
