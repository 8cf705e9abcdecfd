#include "src/simulation/diagnostics.hpp"

#include <vector>

namespace grove {

namespace {

/// The sum over the ranks of the compensated sums term(rank).
template <class Ranks, class Term>
double sum_over_ranks(const Ranks& all, Term term) {
  CompensatedSum total;
  for (const auto& of_rank : all) total = total + term(of_rank);
  return total.value();
}

}  // namespace

Diagnostics diagnostics_of(std::span<const RankSums> all, double time) {
  const auto sum = [&](CompensatedSum ParticleSums::*member) {
    return sum_over_ranks(all, [&](const RankSums& rank) { return rank.sums.*member; });
  };
  const auto sum_vector = [&](CompensatedSum(ParticleSums::*member)[3], double(&out)[3]) {
    for (int k = 0; k < 3; ++k) out[k] = sum_over_ranks(all, [&](const RankSums& rank) { return (rank.sums.*member)[k]; });
  };
  Diagnostics d;
  d.time = time;
  for (const RankSums& rank : all) d.particle_count += rank.particle_count;
  d.mass = sum(&ParticleSums::mass);
  d.kinetic = sum(&ParticleSums::kinetic);
  d.potential = sum(&ParticleSums::potential);
  sum_vector(&ParticleSums::momentum, d.momentum);
  sum_vector(&ParticleSums::angular_momentum, d.angular_momentum);
  sum_vector(&ParticleSums::mass_moment, d.centre_of_mass);
  for (double& x : d.centre_of_mass) x = d.mass > 0 ? x / d.mass : 0;
  return d;
}

ForceBalance force_balance_of(const Communicator& comm, const ForceSums& sums) {
  const std::vector<ForceSums> all = comm.all_gather(sums);
  ForceBalance balance;
  for (int k = 0; k < 3; ++k) balance.net[k] = sum_over_ranks(all, [&](const ForceSums& rank) { return rank.net[k]; });
  balance.absolute = sum_over_ranks(all, [](const ForceSums& rank) { return rank.absolute; });
  return balance;
}

}  // namespace grove
