#include "src/simulation/step_criterion.hpp"

#include <cmath>

#include "kernels/gravity/softening_classes.hpp"
#include "src/integrators/rung_loops.hpp"

namespace grove {

namespace {

/// Halvings of the interval in which the step that would do is looked for: the result is right to a part in 1000.
constexpr int halvings = 40;

struct HasMass {
  const Double4* position;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return position[i].w > 0 ? 1 : 0; }
};
template <class Criterion>
struct WantsLess {
  const Double4 *position, *acceleration;
  const std::uint8_t* type;
  LengthOfType softening;
  double accuracy, step;
  GROVE_HD std::uint64_t operator()(std::size_t i) const {
    return position[i].w > 0 && Criterion::step(acceleration[i], softening(type[i]), accuracy) < step ? 1 : 0;
  }
};

}  // namespace

template <class Space>
StepCriterion apply_step_criterion(Space& space, const Communicator& comm, const Particles<Space>& particles,
                                   const GravityParameters& gravity, double dt, const StepParameters& steps, double tolerated) {
  StepCriterion check{0, dt};
  const std::uint64_t all =
      comm.sum(space.transform_reduce(particles.size(), std::uint64_t{0}, HasMass{particles.position.data()}, AddParts{}));
  if (all == 0) return check;
  const SofteningClasses classes = softening_classes(gravity);
  with_criterion(steps.criterion, [&]<class Criterion>() {
    if (Criterion::needs_softening && !(classes.length.front() > 0)) return;
    const auto share_for = [&](double base_step) {
      const double step = steps.longest(base_step);
      const WantsLess<Criterion> wants_less{
          particles.position.data(), particles.acceleration.data(), particles.type.data(), lengths_of(classes), steps.accuracy, step};
      const std::uint64_t here = space.transform_reduce(particles.size(), std::uint64_t{0}, wants_less, AddParts{});
      return static_cast<double>(comm.sum(here)) / static_cast<double>(all);
    };
    check.is_known = true;
    check.too_long = share_for(dt);
    if (check.too_long <= tolerated) return;
    double high = std::log(dt), low = high - 1;
    for (; share_for(std::exp(low)) > tolerated && low > -700; low -= 1) high = low;
    for (int i = 0; i < halvings && high - low > 1e-3; ++i) {
      const double middle = 0.5 * (low + high);
      (share_for(std::exp(middle)) > tolerated ? high : low) = middle;
    }
    check.would_do = std::exp(low);
  });
  return check;
}

template StepCriterion apply_step_criterion(BackEnd&, const Communicator&, const Particles<BackEnd>&, const GravityParameters&, double,
                                            const StepParameters&, double);

}  // namespace grove
