#include "kernels/base/error.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/simulation_cpu.hpp"
#include "src/simulation/simulation_cuda.hpp"

namespace grove {

std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm,
                                            const SimulationSetup& setup) {
  const std::string missing = device == "cpu" ? "" : why_no_gpu();
  if (device == "gpu" && !missing.empty())
    throw ConfigError("run.device = \"gpu\": " + missing + "; use \"cpu\" or \"auto\" to run on the CPU");
  if (device == "cpu" || !missing.empty()) return make_cpu_simulation(gravity, comm, setup);
  return make_cuda_simulation(gravity, comm, setup);
}

std::string built_back_ends() { return "cuda " + cuda_version() + ", " + built_cpu_back_end(); }

}  // namespace grove
