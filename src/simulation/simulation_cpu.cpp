#include "src/simulation/simulation_cpu.hpp"

#include "src/simulation/simulation_on.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup) {
  return std::make_unique<SimulationOn<HostSpace>>(std::make_unique<HostSpace>(), gravity, comm, setup);
}

}  // namespace grove
