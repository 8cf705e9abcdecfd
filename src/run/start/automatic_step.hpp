// time.dt = "auto".
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "src/config/config.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The longest step up to `most` that the present forces allow. Where all particles take the same step, it is the one that the notes of a
/// run advise, too long for 1 % of the particles; where steps are divided, half of the particles want a shorter one, by time.criterion and
/// time.accuracy. Throws ConfigError where nothing says how long a step may be: without softening, or without mass. Collective.
double automatic_step(Simulation& simulation, const Config& config, const Communicator& comm, double most);

}  // namespace grove
