// Which devices a simulation can run on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/transport_way.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "src/external/external_info.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/integrators/step_parameters.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The settings of a simulation beside gravity.
struct SimulationSetup {
  std::string integrator = "leapfrog";               ///< one of integrator_infos()
  SettingValues integrator_settings{};               ///< settings of the integrator; a missing one has its default
  StepParameters steps{};                            ///< other than shared ones need an integrator that may divide steps
  TransportWay transport = TransportWay::automatic;  ///< how messages travel between GPUs
  std::vector<ParticleField> further_fields{};       ///< fields of the particles beside the standard ones and the integrator's
  std::vector<ExternalParameters> external{};        ///< potentials beside the gravity of the particles
  ExternalFunction external_function{};              ///< one more, of the caller's
  double external_begin = 0;                         ///< time at which free potentials have the places of their sections
};

/// `device`: "auto" (a GPU if there is one), "gpu", "cpu". Throws ConfigError if "gpu" is asked for and there is none, saying what is
/// missing, and for unknown names and numbers out of range in any argument. Not collective itself; the result's calls are.
std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm,
                                            const SimulationSetup& setup = {});

/// Names of the back ends built in, e.g. "cuda 13.0 (sm_90), cpu (OpenMP, x86-64, x86-64-v3)".
std::string built_back_ends();

}  // namespace grove
