// Advice on the first state of a run, and on its end: one sentence each.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/simulation/diagnostics.hpp"
#include "src/simulation/own_energy.hpp"
#include "src/simulation/step_criterion.hpp"

namespace grove {

/// Sentences on a state that is not bound or hardly moves, which may be intended, and on a time step that is too long, with a better one
/// that divides the run. For a virial ratio far from 1, wrong units or a wrong G are named as the likely cause.
std::vector<std::string> advice_on_first_state(const Diagnostics& sums, const StepCriterion& check, const StepSchedule& schedule,
                                               const Config& config);

/// A sentence on a time step that is too long, with a better one that divides the run; else empty.
std::string advice_on_step(const Diagnostics& sums, const StepCriterion& check, const StepSchedule& schedule);

/// A sentence where a few particles have the potential energy, so that energy errors tell nothing of the others; else empty.
std::string advice_on_potential_holders(const PotentialHolders& holders, const TimeParameters& time);

/// A sentence on an own energy error, the largest of a run, that makes its results useless; else empty. `are_divided`: some particles took
/// shorter steps than time.dt.
std::string advice_on_energy_error(const Diagnostics& sums, double largest, bool are_divided = false);

}  // namespace grove
