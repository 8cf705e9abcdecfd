#include "src/simulation/simulation_cpu.hpp"

#include "kernels/space/cpu_level.hpp"
#include "src/simulation/simulation_on.hpp"

namespace grove {

std::string built_cpu_back_end() {
  std::string text = "cpu (OpenMP";
  for (const CpuLevel level : usable_cpu_levels()) text += std::string(", ") + name_of(level);
  return text + ")";
}

std::unique_ptr<Simulation> make_cpu_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup) {
  return std::make_unique<SimulationOn<HostSpace>>(std::make_unique<HostSpace>(), gravity, comm, setup);
}

}  // namespace grove
