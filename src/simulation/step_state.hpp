// Where the particles of a simulation are, between steps and in them.
#pragma once

namespace grove {

/// The steps of StepPipeline::step(), in order. Outside step() a simulation is `synchronised`, `next_begun` or `next_forces_due`; after a
/// step that has thrown it is `moving`.
enum class StepState {
  synchronised,    ///< the particles are those of the time of the simulation
  moving,          ///< in a step: they have been moved, or may be, since forces were computed
  forces_ready,    ///< in a step: their forces are those of their positions
  next_begun,      ///< the step has ended, and the next one has moved the particles, or may
  next_forces_due  ///< the same, and the next step waits for its first forces
};

/// In words.
constexpr const char* to_string(StepState state) {
  switch (state) {
    case StepState::synchronised:
      return "synchronised";
    case StepState::moving:
      return "in a step";
    case StepState::forces_ready:
      return "in a step, with its forces";
    case StepState::next_begun:
      return "in the next step";
    case StepState::next_forces_due:
      return "in the next step, before its first forces";
  }
  return "";
}

/// Whether the step after that of the simulation's time has begun.
constexpr bool has_next_step_begun(StepState state) { return state == StepState::next_begun || state == StepState::next_forces_due; }

}  // namespace grove
