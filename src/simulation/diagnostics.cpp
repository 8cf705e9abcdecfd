#include "src/simulation/diagnostics.hpp"

#include <span>
#include <string>
#include <vector>

namespace grove {

namespace {

template <class Sums>
CompensatedSum sum_over_ranks(const std::vector<Sums>& all, CompensatedSum Sums::*member) {
  CompensatedSum total;
  for (const Sums& s : all) total = total + s.*member;
  return total;
}
template <class Sums>
void sum_over_ranks(const std::vector<Sums>& all, CompensatedSum (Sums::*member)[3], double (&out)[3]) {
  for (int k = 0; k < 3; ++k) {
    CompensatedSum total;
    for (const Sums& s : all) total = total + (s.*member)[k];
    out[k] = total.value();
  }
}

}  // namespace

template <class Space>
Diagnostics measure_diagnostics(Space& space, const Communicator& comm, const Particles<Space>& particles, double time) {
  const std::vector<ParticleSums> all = comm.all_gather(sum_particles(space, particles));
  Diagnostics d;
  d.time = time;
  d.particle_count = comm.sum(std::uint64_t{particles.size()});
  d.mass = sum_over_ranks(all, &ParticleSums::mass).value();
  d.kinetic = sum_over_ranks(all, &ParticleSums::kinetic).value();
  d.potential = sum_over_ranks(all, &ParticleSums::potential).value();
  sum_over_ranks(all, &ParticleSums::momentum, d.momentum);
  sum_over_ranks(all, &ParticleSums::angular_momentum, d.angular_momentum);
  sum_over_ranks(all, &ParticleSums::mass_moment, d.centre_of_mass);
  for (double& x : d.centre_of_mass) x = d.mass > 0 ? x / d.mass : 0;
  return d;
}

template <class Space>
ForceBalance measure_force_balance(Space& space, const Communicator& comm, const Particles<Space>& particles) {
  const std::vector<ForceSums> all = comm.all_gather(sum_forces(space, particles));
  ForceBalance balance;
  sum_over_ranks(all, &ForceSums::net, balance.net);
  balance.absolute = sum_over_ranks(all, &ForceSums::absolute).value();
  return balance;
}

template <class Space>
void require_finite(Space& space, const Communicator& comm, const Particles<Space>& particles, ParticlePart part, double time,
                    PhaseClock<Space>& clock) {
  clock.begin("checks");
  const std::size_t bad = first_not_finite(space, particles, part);
  if (comm.size() > 1) clock.begin("waiting");
  const int rank = comm.min(bad < particles.size() ? comm.rank() : comm.size());
  clock.end();
  if (rank == comm.size()) return;
  std::uint64_t id = 0;
  if (rank == comm.rank()) space.copy_to_host(&id, particles.id.data() + bad, sizeof(id));
  comm.broadcast(std::span<std::uint64_t>(&id, 1), rank);
  const std::string what = part == ParticlePart::motion ? "position or velocity of" : "force on";
  const DataError error("at time " + std::to_string(time) + " the " + what + " the particle with id " + std::to_string(id) +
                        " is not finite; a smaller time step or a larger gravity.softening may help");
  throw NotFiniteError(error.what(), exit_code_of(error));
}

template Diagnostics measure_diagnostics(BackEnd&, const Communicator&, const Particles<BackEnd>&, double);
template ForceBalance measure_force_balance(BackEnd&, const Communicator&, const Particles<BackEnd>&);
template void require_finite(BackEnd&, const Communicator&, const Particles<BackEnd>&, ParticlePart, double, PhaseClock<BackEnd>&);

}  // namespace grove
