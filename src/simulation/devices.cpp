#include "src/simulation/devices.hpp"

#include "kernels/base/error.hpp"
#include "kernels/space/cpu_level.hpp"
#include "src/simulation/simulation_cuda.hpp"
#include "src/simulation/simulation_on.hpp"

namespace grove {

std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm,
                                            const SimulationSetup& setup) {
  const std::string missing = device == "cpu" ? "" : why_no_gpu();
  if (device == "gpu" && !missing.empty()) throw ConfigError("run.device = \"gpu\": " + missing);
  if (device != "cpu" && missing.empty()) return make_cuda_simulation(gravity, comm, setup);
  return std::make_unique<SimulationOn<HostSpace>>(std::make_unique<HostSpace>(), gravity, comm, setup);
}

std::string built_back_ends() {
  const std::string cuda = cuda_version();
  std::string text = cuda.empty() ? "" : "cuda " + cuda + ", ";
  text += "cpu (OpenMP";
  for (const CpuLevel level : usable_cpu_levels()) text += std::string(", ") + name_of(level);
  return text + ")";
}

}  // namespace grove
