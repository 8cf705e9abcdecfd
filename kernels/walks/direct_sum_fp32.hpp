// Direct summation in FP32, for so few particles that a tree would cost more time than it saves.
#pragma once

#include <cstdint>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// Sums the forces of all particles on each other. Coordinates are held as pairs of FP32 numbers, which together keep 48 bits of the
/// distance from a centre. The first number suffices for most sources; both are used for those that are close to a target, and positions in
/// FP64 for those that both cannot tell apart. The relative error of a force is about 1e-7, for 99 % of the particles below
/// 2e-6, 1e-5 in two systems far from their centre; 5e-5 was the largest.
template <class Space>
class DirectSumFp32 {
 public:
  explicit DirectSumFp32(Space& space) : sources_(space), partial_(space) {}

  /// Sets the acceleration and potential of the active particles, in code units with G. `law`: for one class of softening, with a scale
  /// that fits the particles. `centre`: near most of the particles, code units. `active` [particles]: not 0 for active particles; null: all
  /// are active. Takes memory of the step. Asynchronous; sums in an order fixed by the number of particles.
  void run(Space& space, const ScaledLaw& law, const Double3& centre, View<const Double4> particles, const std::uint8_t* active,
           View<Double4> acceleration);

 private:
  StepBuffer<Space, float> sources_;
  StepBuffer<Space, Float4> partial_;  ///< [slices * particles] sums over slices of the sources
};

}  // namespace grove
