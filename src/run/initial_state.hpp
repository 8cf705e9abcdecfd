// The particles with which a command starts: read from a file or generated.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "io/reader.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"

namespace grove {

/// This rank's share of the particles, and where they come from.
struct InitialState {
  ParticleSet particles;
  std::uint64_t count = 0;  ///< over all ranks
  ComponentNames components = usual_component_names();
  ReadInfo info;            ///< what the file says; of generated particles, notes alone
  std::string description;  ///< "10,240 particles from collision.tab (text table)"
};

/// Reads or generates what config.initial_conditions says and checks it: finite values, unique ids, at least one particle, and that they
/// are an isolated system, unless the configuration says otherwise. The particles get the table `fields`. Collective. Throws AgreedError.
InitialState load_initial_state(const Config& config, const Communicator& comm, const FieldTablePtr& fields = standard_fields());

/// The number of particles of each type over all ranks. Collective.
std::array<std::uint64_t, particle_type_count> count_of_types(const ParticleSet& particles, const Communicator& comm);

/// One sentence for each softening length in the file that is not the one used.
std::vector<std::string> notes_on_softening(const Config& config, const InitialState& state);

/// One sentence for each of time, units, softening and G in the file that differs from the configuration, and on gas: nothing is converted,
/// but the user should know.
std::vector<std::string> notes_on_file(const Config& config, const InitialState& state);

}  // namespace grove
