// In place of simulation_cuda.cu where CUDA is not built.
#include <stdexcept>

#include "src/simulation/simulation_cuda.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters&, const Communicator&, const SimulationSetup&) {
  throw std::logic_error("a simulation on a GPU, in a Grove without CUDA");
}

std::string why_no_gpu() {
  return "this Grove was built without CUDA; install the CUDA toolkit (nvcc) and build again, or use \"cpu\" or \"auto\"";
}

std::string cuda_version() { return ""; }

}  // namespace grove
