// What opening criteria look at of the particles' last accelerations.
#pragma once

#include <cstddef>

#include "kernels/particles/acceleration_measure.hpp"
#include "kernels/space/view.hpp"

namespace grove {

/// The magnitude of each particle's last acceleration, by a measure.
class LastAccelerations {
 public:
  LastAccelerations() = default;
  /// `magnitude` [particles], as sort_particles() leaves them.
  template <class Float>
  LastAccelerations(View<Float> magnitude) : magnitude_(magnitude.data) {}  // NOLINT(google-explicit-constructor)
  /// Of accelerations [particles] whose memory is lent: take() puts each magnitude in the place of its acceleration, so that a force
  /// evaluation that sorts nothing takes no memory for them.
  LastAccelerations(Double4* acceleration, const AccelerationMeasure& measure)
      : magnitude_(reinterpret_cast<const float*>(acceleration)),
        stride_(sizeof(Double4) / sizeof(float)),
        acceleration_(acceleration),
        measure_(measure) {}

  /// To be called once for each particle before anything else looks at it.
  GROVE_HD float take(std::size_t i) const {
    if (!acceleration_) return (*this)(i);
    const float magnitude = measure_(acceleration_[i]);
    *reinterpret_cast<float*>(acceleration_ + i) = magnitude;
    return magnitude;
  }
  GROVE_HD float operator()(std::size_t i) const { return magnitude_[i * stride_]; }

 private:
  const float* magnitude_ = nullptr;
  std::size_t stride_ = 1;           ///< floats from one magnitude to the next
  Double4* acceleration_ = nullptr;  ///< null: there are magnitudes
  AccelerationMeasure measure_{};
};

}  // namespace grove
