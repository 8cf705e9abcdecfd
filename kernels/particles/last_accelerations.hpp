// The magnitudes of the particles' last accelerations, for opening criteria.
#pragma once

#include <cstddef>

#include "kernels/particles/acceleration_measure.hpp"
#include "kernels/space/view.hpp"

namespace grove {

/// Where a loop that reads the accelerations anyway puts their magnitudes.
struct MagnitudesAhead {
  AccelerationMeasure measure{};
  float* magnitude = nullptr;  ///< [particles]; null: they are not wanted

  GROVE_HD void put(std::size_t i, const Double4& acceleration) const {
    if (magnitude) magnitude[i] = measure(acceleration);
  }
};

/// The magnitude of each particle's last acceleration, by a measure.
class LastAccelerations {
 public:
  LastAccelerations() = default;
  /// `magnitude` [particles], as sort_particles() leaves them.
  template <class Float>
  LastAccelerations(View<Float> magnitude) : magnitude_(magnitude.data) {}  // NOLINT(google-explicit-constructor)
  /// Of accelerations [particles], for a force evaluation that sorts nothing. take() puts the magnitude of each into `magnitude`
  /// [particles], which must stay valid as long as they are read.
  LastAccelerations(const Double4* acceleration, const AccelerationMeasure& measure, float* magnitude)
      : magnitude_(magnitude), taken_(magnitude), acceleration_(acceleration), measure_(measure) {}

  /// Whether take() must be called.
  bool is_to_be_taken() const { return acceleration_ != nullptr; }
  /// To be called once for each particle before its magnitude is read otherwise.
  GROVE_HD float take(std::size_t i) const {
    if (!acceleration_) return (*this)(i);
    return taken_[i] = measure_(acceleration_[i]);
  }
  GROVE_HD float operator()(std::size_t i) const { return magnitude_[i]; }

 private:
  const float* magnitude_ = nullptr;
  float* taken_ = nullptr;                 ///< where take() puts them: the same memory
  const Double4* acceleration_ = nullptr;  ///< null: there are magnitudes
  AccelerationMeasure measure_{};
};

}  // namespace grove
