// In place of simulation_cuda.cu where CUDA is not built.
#include <stdexcept>

#include "kernels/base/error.hpp"
#include "src/simulation/simulation_cuda.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters&, const Communicator&, const SimulationSetup&) {
  throw std::logic_error("a simulation on a GPU, in a Grove without CUDA");
}

int current_gpu() { return -1; }
void use_gpu(int) {}
void wait_for_gpu() {}
void copy_gpu_memory(void*, const void*, std::size_t) { throw SystemError("memory of a GPU: " + why_no_gpu()); }

std::string why_no_gpu() {
  return "this Grove was built without CUDA; install the CUDA toolkit (nvcc) and build again, or use \"cpu\" or \"auto\"";
}

std::string cuda_version() { return ""; }

}  // namespace grove
