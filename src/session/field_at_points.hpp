// The field of particles and external potentials at points without particles.
#pragma once

#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/external/external_field.hpp"
#include "src/run/start/initial_state.hpp"

namespace grove {

/// Forces at places without particles, in their order. Code units.
struct FieldValues {
  std::vector<double> acceleration;  ///< [3 * points]
  std::vector<double> potential;     ///< [points], per unit mass
};

/// What the field follows from beside its sources.
struct FieldSetting {
  Config& config;
  const Communicator& comm;
  const ExternalFunction& external;
  const ComponentNames& components;
  double time;
};

/// Acceleration and potential of `sources` of all ranks, which have no forces yet, and external potentials at this rank's `points` [3 * any
/// number]. Every rank holds the values of all ranks' points for a moment. Collective. Throws AgreedError.
FieldValues field_at_points(const FieldSetting& setting, ParticleSet sources, std::span<const double> points);

}  // namespace grove
