// Direct summation for a few targets among many sources, as for a black hole: a walk for so few is slow, since few warps do all of it.
#pragma once

#include "kernels/walks/direct_sum.hpp"

namespace grove {

/// Sets the forces of all sources on the targets, in FP64, as add_direct_sum() adds them. One pass over the sources for each target, which
/// synchronises.
template <class Space>
void direct_sum_on_few(Space& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets);

}  // namespace grove
