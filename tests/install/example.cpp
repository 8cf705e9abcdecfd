// A program that uses the library: particles in a box on every rank, some steps, and the forces on them; no file is read or written.
//
//   mpirun -n 2 example [auto|gpu|cpu]
#include <grove/grove.hpp>

#include <cstdio>
#include <random>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm mine;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  try {
    const grove::Communicator comm(mine);
    for (int run = 1; run <= 2; ++run) {
      constexpr std::size_t here = 1000;  // particles of this rank; their masses sum up to 1 over all ranks
      grove::ParticleSet particles;
      particles.resize(here);
      std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
      std::uniform_real_distribution<double> place(-0.5, 0.5);
      for (std::size_t i = 0; i < here; ++i) {
        for (std::size_t k = 0; k < 3; ++k) particles.position[3 * i + k] = place(random);
        particles.mass[i] = 1.0 / static_cast<double>(here * static_cast<std::size_t>(comm.size()));
        particles.id[i] = static_cast<std::uint64_t>(comm.rank()) * here + i;
      }
      grove::GravityParameters gravity;
      gravity.softening = 0.05;
      const auto simulation = grove::make_simulation(argc > 1 ? argv[1] : "auto", gravity, comm);
      simulation->start(std::move(particles), 0.0);
      const double before = simulation->diagnostics().total_energy();
      for (int step = 0; step < 10; ++step) simulation->step(0.01);
      const grove::Diagnostics after = simulation->diagnostics();
      const grove::ParticleSet moved = simulation->particles();
      if (comm.is_root())
        std::printf("run %d on %s: t = %g, energy %.6f -> %.6f, acceleration of particle %llu: %.4f %.4f %.4f\n", run,
                    simulation->device_description().c_str(), after.time, before, after.total_energy(),
                    static_cast<unsigned long long>(moved.id[0]), moved.acceleration[0], moved.acceleration[1], moved.acceleration[2]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(mine, 1);
  }
  MPI_Comm_free(&mine);
  return MPI_Finalize();
}
