// What FP32 forces ask of a system: an extent and softening lengths that fit.
#pragma once

#include "kernels/gravity/gravity_law.hpp"

namespace grove {

/// Trees have lengths in FP32. All ranks have the same extent, code units; they throw AgreedError together.
void require_extent(double extent);

/// Softened forces are in FP32, too: 1 / eps^3 must fit, and so must the powers of the cells' sizes in units of a larger eps. All ranks
/// have the same `extent`, code units; they throw AgreedError together. `law` is in the units of the tree.
void require_softening(const SofteningClasses& classes, const ScaledLaw& law, double extent);

}  // namespace grove
