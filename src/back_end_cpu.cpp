#include "src/back_ends.hpp"
#include "src/simulation_back_end.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm) {
  return std::make_unique<SimulationOn<HostSpace>>(std::make_unique<HostSpace>(), gravity, comm);
}

}  // namespace grove
