#include "src/run/start/automatic_step.hpp"

#include "kernels/base/error.hpp"

namespace grove {

namespace {
constexpr double half = 0.5;
}

double automatic_step(Simulation& simulation, const Config& config, const Communicator& comm, double most) {
  const StepCriterion check = simulation.check_step(most, config.time, config.time.steps == steps::shared ? tolerated_share : half);
  // The same on all ranks.
  if (!check.is_known)
    comm.agree([] {
      throw ConfigError(
          "time.dt = \"auto\": nothing says how long a step may be, since no particle has both mass and a softening length; give a number "
          "or, without softening, time.steps = \"block\" and time.criterion = \"potential\"");
    });
  return check.would_do;
}

}  // namespace grove
