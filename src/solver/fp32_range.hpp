// Checks that the extent and the softening lengths of a system fit into FP32 or FP64.
#pragma once

#include "kernels/gravity/gravity_law.hpp"

namespace grove {

/// Trees have lengths in FP32. All ranks have the same extent, code units; they throw AgreedError together.
void require_extent(double extent);

/// The same for `direct`, whose lengths are in FP64: the forces of closer pairs would be infinite or, as those of distant ones, vanish.
void require_extent_of_direct(double extent);

/// Softened forces are in FP32: 1 / eps^3 must fit, and so must the powers of the cells' sizes in units of a larger eps. All ranks
/// have the same `extent`, code units; they throw AgreedError together. `law` is in the units of the tree.
void require_softening(const SofteningClasses& classes, const ScaledLaw& law, double extent);

}  // namespace grove
