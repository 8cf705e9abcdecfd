#include "src/advice/step_time_model.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/gravity/opening.hpp"

namespace grove {

namespace {

// docs/performance.md, "How many ranks".
constexpr StepTimeModel one_gpu{0.9e-3, 0.97e-9, 0.7e-3};
constexpr StepTimeModel one_core{0.1e-3, 1.4e-6, 0.1e-3};

// The work grows about with this power of 1 / tolerance, below the default.
constexpr double tolerance_power = 0.4;
constexpr double default_tolerance = 1e-3;

}  // namespace

int StepTimeModel::fastest_ranks(std::uint64_t particles, int most) const {
  // Least where the derivative is zero, at one of the two whole numbers around it.
  const double least = std::sqrt(per_particle_s * static_cast<double>(particles) / per_rank_s);
  const int below = static_cast<int>(std::clamp(std::floor(least), 1.0, static_cast<double>(most)));
  const int above = std::min(below + 1, most);
  return time_s(particles, above) < time_s(particles, below) ? above : below;
}

bool has_step_time_model(const GravityParameters& gravity) { return gravity.method == "fmm" && gravity.opening == RelativeOpening::name; }

StepTimeModel step_time_model(const GravityParameters& gravity, bool on_gpu, int threads) {
  StepTimeModel model = on_gpu ? one_gpu : one_core;
  if (!on_gpu) model.per_particle_s /= std::max(threads, 1);
  model.per_particle_s *= std::pow(std::max(default_tolerance / gravity.tolerance, 1.0), tolerance_power);
  return model;
}

}  // namespace grove
