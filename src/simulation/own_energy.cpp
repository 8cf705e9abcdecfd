#include "src/simulation/own_energy.hpp"

#include <algorithm>
#include <cmath>

namespace grove {

namespace {

struct IsHeaviest {
  const Double4* position;
  double mass;
  std::size_t none;
  GROVE_HD std::size_t operator()(std::size_t i) const { return position[i].w == mass ? i : none; }
};
struct SmallerIndex {
  GROVE_HD std::size_t operator()(std::size_t a, std::size_t b) const { return smaller(a, b); }
};

GROVE_HD double specific_energy(const ParticleView& p, std::size_t i) {
  return 0.5 * dot(p.velocity[i], p.velocity[i]) + p.acceleration[i].w;
}

struct KeepEnergy {
  ParticleView p;
  double* first;
  GROVE_HD void operator()(std::size_t i) const { first[i] = specific_energy(p, i); }
};

/// |change| and |first value| of a specific energy, and |its two parts|.
using ChangeSums = Row<CompensatedSum, 3>;
struct ChangeOfEnergy {
  ParticleView p;
  const double* first;
  GROVE_HD ChangeSums operator()(std::size_t i) const {
    const double parts = 0.5 * dot(p.velocity[i], p.velocity[i]) + fabs(p.acceleration[i].w);
    return {{{fabs(specific_energy(p, i) - first[i]), 0}, {fabs(first[i]), 0}, {parts, 0}}};
  }
};

template <class Space>
double* first_energies(const Particles<Space>& particles) {
  return reinterpret_cast<double*>(particles.array(particles.table()->array_of(first_energy_field)).data());
}

/// |m phi| and the number of the particles that have more than `limit` of it.
using PotentialRow = Row<double, 2>;
struct PotentialAbove {
  const Double4 *position, *acceleration;
  double limit;
  GROVE_HD PotentialRow operator()(std::size_t i) const {
    const double energy = fabs(position[i].w * acceleration[i].w);
    return energy > limit ? PotentialRow{{energy, 1}} : PotentialRow{};
  }
};

/// What one particle adds to the sums over all.
struct PartOfSums {
  double mass = 0, kinetic = 0, potential = 0, momentum[3] = {};
};

/// What is left of a difference of numbers of this size, unless it is their rounding.
double above_rounding(double left, double size) { return std::abs(left) > 1e-12 * std::abs(size) ? left : 0; }

double kinetic_in_own_frame(double kinetic, double mass, const double (&momentum)[3]) {
  if (!(mass > 0)) return kinetic;
  double square = 0;
  for (const double p : momentum) square += p * p;
  return std::max(0.0, above_rounding(kinetic - square / (2 * mass), kinetic));
}

}  // namespace

template <class Space>
void OwnEnergy<Space>::look_at(const std::vector<double>& mass) {
  const double heaviest = comm_.max(mass.empty() ? 0.0 : *std::max_element(mass.begin(), mass.end()));
  double others = 0;
  std::uint64_t with_mass = 0;
  bool is_here = false;
  for (const double m : mass) {
    if (m > 0) ++with_mass;
    if (m == heaviest && !is_here)
      is_here = true;
    else
      others += m;
  }
  // On any other rank, one of the same mass is one of the others.
  const int first = comm_.min(is_here ? comm_.rank() : comm_.size());
  if (is_here && comm_.rank() != first) others += heaviest;
  without_mass_ = comm_.sum(mass.size() - with_mass);
  heaviest_.reset();
  if (comm_.sum(others) < heaviest && comm_.sum(with_mass) > 2) heaviest_ = heaviest;
  conserves_each_ = heaviest == 0 && !external_.empty() && !external_.changes();
}

template <class Space>
void OwnEnergy<Space>::begin(Particles<Space>& particles) const {
  if (conserves_each_) space_.for_each(particles.size(), KeepEnergy{view_of(particles), first_energies(particles)});
}

template <class Space>
void OwnEnergy<Space>::measure(const Particles<Space>& particles, Diagnostics& sums) const {
  sums.without_mass = without_mass_;
  sums.own_kinetic = kinetic_in_own_frame(sums.kinetic, sums.mass, sums.momentum);
  sums.own_potential = above_rounding(sums.potential, sums.external);
  if (heaviest_) leave_out_heaviest(particles, sums);
  if (!conserves_each_) return;
  const ChangeSums own =
      space_.reduce_rows(particles.size(), ChangeSums{}, ChangeOfEnergy{view_of(particles), first_energies(particles)}, AddParts{});
  ChangeSums all;
  for (const ChangeSums& some : comm_.all_gather(own))
    for (int k = 0; k < 3; ++k) all.part[k] = all.part[k] + some.part[k];
  const double scale = energy_scale(all.part[1].value(), all.part[2].value());
  sums.change_of_each = scale > 0 ? all.part[0].value() / scale : 0;
}

template <class Space>
void OwnEnergy<Space>::leave_out_heaviest(const Particles<Space>& particles, Diagnostics& sums) const {
  const std::size_t n = particles.size(),
                    i = space_.transform_reduce(n, n, IsHeaviest{particles.position.data(), *heaviest_, n}, SmallerIndex{});
  PartOfSums heaviest;
  if (i < n) {
    Double3 v;
    Double4 a;
    space_.copy_to_host(&v, particles.velocity.data() + i, sizeof(v));
    space_.copy_to_host(&a, particles.acceleration.data() + i, sizeof(a));
    const double m = *heaviest_;
    // The whole energy of its pairs, of which the sum over particles has the half twice.
    heaviest = {m, 0.5 * m * dot(v, v), m * a.w, {m * v.x, m * v.y, m * v.z}};
  }
  comm_.agree([&] {
    if (i < n) heaviest.potential -= external_.sums(space_, {particles.position.data() + i, 1}).energy.value();
  });
  PartOfSums others{sums.mass, sums.kinetic, sums.potential, {sums.momentum[0], sums.momentum[1], sums.momentum[2]}};
  for (const PartOfSums& part : comm_.all_gather(heaviest)) {
    others.mass -= part.mass;
    others.kinetic -= part.kinetic;
    others.potential -= part.potential;
    for (int k = 0; k < 3; ++k) others.momentum[k] -= part.momentum[k];
  }
  sums.own_kinetic = kinetic_in_own_frame(others.kinetic, others.mass, others.momentum);
  sums.own_potential = others.potential;
}

template <class Space>
PotentialHolders find_potential_holders(Space& space, const Communicator& comm, const Particles<Space>& particles) {
  const auto sums_above = [&](double limit) {
    PotentialRow sums = space.reduce_rows(particles.size(), PotentialRow{},
                                          PotentialAbove{particles.position.data(), particles.acceleration.data(), limit}, AddParts{});
    for (double& part : sums.part) part = comm.sum(part);
    return sums;
  };
  const PotentialRow all = sums_above(0), few = sums_above(0.05 * all.part[0]);
  const auto count = static_cast<std::uint64_t>(few.part[1]);
  return {count, static_cast<std::uint64_t>(all.part[1]) - count, all.part[0] > 0 ? few.part[0] / all.part[0] : 0};
}

template class OwnEnergy<BackEnd>;
template PotentialHolders find_potential_holders(BackEnd&, const Communicator&, const Particles<BackEnd>&);

}  // namespace grove
