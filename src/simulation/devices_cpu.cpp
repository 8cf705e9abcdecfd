#include "kernels/base/error.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/simulation_cpu.hpp"

namespace grove {

std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm,
                                            const SimulationSetup& setup) {
  if (device == "gpu")
    throw ConfigError(
        "run.device = \"gpu\": this Grove was built without CUDA; install the CUDA toolkit (nvcc) and build again, or use \"cpu\" or "
        "\"auto\"");
  return make_cpu_simulation(gravity, comm, setup);
}

std::string built_back_ends() { return built_cpu_back_end(); }

}  // namespace grove
