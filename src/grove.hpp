// What a program that uses the library includes: particles, settings of gravity, and the simulation.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/simulation.hpp"
