#include "src/simulation/step_criterion.hpp"

#include <cmath>

#include "kernels/gravity/softening_classes.hpp"

namespace grove {

namespace {

constexpr double eta = 0.025;
/// Halvings of the interval in which the step that would do is looked for: the result is right to a part in 1000.
constexpr int halvings = 40;

struct HasMass {
  const Double4* position;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return position[i].w > 0 ? 1 : 0; }
};
struct IsAbove {
  const Double4 *position, *acceleration;
  const std::uint8_t* type;
  ClassOfType class_of_type;
  double squared[most_type_classes];  ///< [classes]
  GROVE_HD std::uint64_t operator()(std::size_t i) const {
    const Double3 a = position_of(acceleration[i]);
    return position[i].w > 0 && dot(a, a) > squared[class_of_type.of[type[i]]] ? 1 : 0;
  }
};
struct Add {
  GROVE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

}  // namespace

template <class Space>
StepCriterion apply_step_criterion(Space& space, const Communicator& comm, const Particles<Space>& particles,
                                   const GravityParameters& gravity, double dt) {
  StepCriterion check{0, dt};
  const std::uint64_t all = comm.sum(space.transform_reduce(particles.size(), std::uint64_t{0}, HasMass{particles.position.data()}, Add{}));
  const SofteningClasses classes = softening_classes(gravity);
  if (!(classes.length.front() > 0) || all == 0) return check;
  const auto share_for = [&](double step) {
    IsAbove is_above{particles.position.data(), particles.acceleration.data(), particles.type.data(), classes.of_type, {}};
    for (std::size_t c = 0; c < classes.length.size(); ++c) {
      const double largest = 2 * eta * classes.length[c] / (step * step);
      is_above.squared[c] = largest * largest;
    }
    const std::uint64_t here = space.transform_reduce(particles.size(), std::uint64_t{0}, is_above, Add{});
    return static_cast<double>(comm.sum(here)) / static_cast<double>(all);
  };
  check.too_long = share_for(dt);
  if (check.too_long <= tolerated_share) return check;
  double low = 0, high = std::log(dt);
  for (low = high - 1; share_for(std::exp(low)) > tolerated_share && low > high - 500; low -= 1) high = low;
  for (int i = 0; i < halvings && high - low > 1e-3; ++i) {
    const double middle = 0.5 * (low + high);
    (share_for(std::exp(middle)) > tolerated_share ? high : low) = middle;
  }
  check.would_do = std::exp(low);
  return check;
}

template StepCriterion apply_step_criterion(BackEnd&, const Communicator&, const Particles<BackEnd>&, const GravityParameters&, double);

}  // namespace grove
