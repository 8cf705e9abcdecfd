// What a simulation leaves as it was: signal handlers, the number of OpenMP threads, MPI's error handler, the locale, the
// environment, and the current GPU.
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "src/grove.hpp"
#include "tests/support/gpu_present.hpp"

namespace grove {
namespace {

struct ProcessState {
  std::vector<void*> handlers;
  int threads = 0;
  MPI_Errhandler of_world = MPI_ERRHANDLER_NULL;
  std::terminate_handler terminate = nullptr;
  std::string locale;
  std::vector<std::string> environment;
  int device = -1;

  static ProcessState now() {
    ProcessState state;
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      state.handlers.push_back(sigaction(signal, nullptr, &action) == 0 ? reinterpret_cast<void*>(action.sa_handler) : nullptr);
    }
    state.threads = omp_get_max_threads();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &state.of_world);
    state.terminate = std::get_terminate();
    state.locale = std::setlocale(LC_ALL, nullptr);
    for (char** variable = environ; *variable; ++variable) state.environment.emplace_back(*variable);
#ifdef GROVE_TEST_HAS_CUDA
    if (tests::gpu_wanted()) cudaGetDevice(&state.device);
#endif
    return state;
  }
  friend bool operator==(const ProcessState&, const ProcessState&) = default;
};

ParticleSet some_particles(const Communicator& comm) {
  ParticleSet set;
  set.resize(500);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::uint64_t id = static_cast<std::uint64_t>(comm.rank()) * set.size() + i;
    for (std::size_t k = 0; k < 3; ++k) set.position[3 * i + k] = static_cast<double>((id * (7919 + 104729 * k)) % 1009) / 1009;
    set.mass[i] = 1;
    set.id[i] = id;
  }
  return set;
}

TEST(LibraryProcess, IsAsBeforeAfterTwoSimulationsOnACommunicatorOfTheirOwn) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const ProcessState before = ProcessState::now();
  {
    const Communicator comm(own);
    for (int run = 0; run < 2; ++run) {
      GravityParameters gravity;
      gravity.softening = 0.01;
      const auto simulation = make_simulation(tests::gpu_wanted() ? "gpu" : "cpu", gravity, comm);
      simulation->start(some_particles(comm), 0);
      for (int step = 0; step < 3; ++step) simulation->step(1e-4);
      EXPECT_EQ(simulation->diagnostics().particle_count, 500U * static_cast<std::uint64_t>(comm.size()));
    }
  }
  EXPECT_TRUE(ProcessState::now() == before);
  MPI_Comm_free(&own);
}

}  // namespace
}  // namespace grove
