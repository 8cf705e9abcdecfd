// From the state of a simulation to a snapshot file.
#pragma once

#include <string>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"

namespace grove {

/// Writes particles as snapshot `path`, sorted over all ranks as config.output.order says; `local` comes in Morton order. `device` goes
/// into the provenance. Collective. Throws AgreedError.
void save_snapshot(const std::string& path, ParticleSet local, double time, const Config& config, const std::string& device,
                   const Communicator& comm);

}  // namespace grove
