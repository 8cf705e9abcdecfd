#include "src/simulation/simulation_cuda.hpp"

#include "decomposition/ranks/rank_place.hpp"
#include "src/simulation/simulation_on.hpp"

namespace grove {

std::unique_ptr<Simulation> make_cuda_simulation(const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup) {
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  // Each of several processes with a simulation of its own takes the next GPU, too.
  const int number = comm.size() > 1 ? comm.local_rank() : local_number_of_process();
  return std::make_unique<SimulationOn<CudaSpace>>(std::make_unique<CudaSpace>(number % devices), gravity, comm, setup);
}

int current_gpu() {
  int number = -1;
  if (cudaGetDevice(&number) == cudaSuccess) return number;
  cudaGetLastError();
  return -1;
}

void use_gpu(int number) {
  if (number >= 0) check_cuda(cudaSetDevice(number), "cudaSetDevice");
}

void wait_for_gpu() { check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

void copy_gpu_memory(void* to, const void* from, std::size_t bytes) {
  wait_for_gpu();
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

std::string why_no_gpu() {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaSuccess && devices > 0) return {};
  cudaGetLastError();
  const std::string missing = code == cudaSuccess ? "no NVIDIA GPU was found" : std::string("CUDA says: ") + cudaGetErrorString(code);
  return missing + "; use \"cpu\" or \"auto\" to run on the CPU";
}

std::string cuda_version() {
  std::string text = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) + " (";
  const char* separator = "";
  for (int architecture : {__CUDA_ARCH_LIST__}) {
    text += separator + ("sm_" + std::to_string(architecture / 10));
    separator = ", ";
  }
  return text + ")";
}

}  // namespace grove
