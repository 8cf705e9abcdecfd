// The particles at the start of a command: read from a file or generated; and their softening by component.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/reader.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// This rank's share of the particles, and their origin.
struct InitialState {
  ParticleSet particles;
  std::uint64_t count = 0;  ///< over all ranks
  ComponentNames components = usual_component_names();
  ReadInfo info;                                ///< what the file says; of generated particles only notes
  std::string description;                      ///< "10,240 particles from collision.tab (text table)"
  std::string table = {};                       ///< lines on the components of a generated model; may be empty
  std::vector<GalaxyParameters> galaxies = {};  ///< Model::galaxies
};

/// Reads or generates what config.initial_conditions says and checks it: finite values, unique ids, at least one particle, and, unless the
/// configuration says otherwise, an isolated system. initial_conditions.renumber and .units change ids and numbers. The particles get the
/// table `fields`. Collective. Throws AgreedError.
InitialState load_initial_state(const Config& config, const Communicator& comm, const FieldTablePtr& fields = standard_fields());

/// The number of particles of each type over all ranks. Collective.
std::array<std::uint64_t, particle_type_count> count_of_types(const ParticleSet& particles, const Communicator& comm);

/// A sentence for each softening length in the file that is not used.
std::vector<std::string> notes_on_softening(const Config& config, const InitialState& state);

/// A sentence for each of time, units, softening and G in the file that differs from the configuration, since nothing else is converted,
/// and on gas.
std::vector<std::string> notes_on_file(const Config& config, const InitialState& state);

/// The softening length [types] of each particle type, from the lengths by component in `gravity`; empty if there are none. Types without
/// particles get the smallest length. `count` [types] particles over all ranks. Throws ConfigError for a component without a length, and
/// for a name without particles.
std::vector<double> softening_of_types(const GravityParameters& gravity, const ComponentNames& names,
                                       const std::vector<std::uint64_t>& count);

/// The types of gravity.softening_between. Throws ConfigError for what is not two names of components that have particles, and for a pair
/// that is named twice.
std::vector<SofteningBetween> softening_between_types(const GravityParameters& gravity, const ComponentNames& names,
                                                      const std::vector<std::uint64_t>& count);

/// A sentence for each component of one particle whose softening_of_type is shorter than that of all others: it has no effect.
std::vector<std::string> notes_on_single_particles(const GravityParameters& gravity, const ComponentNames& names,
                                                   const std::vector<std::uint64_t>& count);

/// Sets the softening of the particles' types in `gravity` and in the simulation, which has not started. Returns
/// notes_on_single_particles(). Collective; throws AgreedError.
std::vector<std::string> set_component_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation,
                                                 const Communicator& comm);

}  // namespace grove
