#include "src/simulation/diagnostics.hpp"

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

Diagnostics diagnostics_of(const Communicator& comm, const ParticleSums& sums, std::uint64_t particle_count, double time) {
  const std::vector<ParticleSums> all = comm.all_gather(sums);
  Diagnostics d;
  d.time = time;
  d.particle_count = comm.sum(particle_count);
  d.mass = sum_over_ranks(all, &ParticleSums::mass).value();
  d.kinetic = sum_over_ranks(all, &ParticleSums::kinetic).value();
  d.potential = sum_over_ranks(all, &ParticleSums::potential).value();
  sum_over_ranks(all, &ParticleSums::momentum, d.momentum);
  sum_over_ranks(all, &ParticleSums::angular_momentum, d.angular_momentum);
  sum_over_ranks(all, &ParticleSums::mass_moment, d.centre_of_mass);
  for (double& x : d.centre_of_mass) x = d.mass > 0 ? x / d.mass : 0;
  return d;
}

ForceBalance force_balance_of(const Communicator& comm, const ForceSums& sums) {
  const std::vector<ForceSums> all = comm.all_gather(sums);
  ForceBalance balance;
  sum_over_ranks(all, &ForceSums::net, balance.net);
  balance.absolute = sum_over_ranks(all, &ForceSums::absolute).value();
  return balance;
}

}  // namespace grove
