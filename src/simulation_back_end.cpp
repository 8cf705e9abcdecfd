#include "src/simulation_back_end.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernels/error.hpp"

namespace grove {

namespace {

/// A well-mixed function of the id and the seed (the finaliser of SplitMix64, Steele et al. 2014): who is in a random sample.
std::uint64_t sample_priority(std::uint64_t id, std::uint64_t seed) {
  std::uint64_t z = id + 0x9e3779b97f4a7c15ULL * (seed + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct Candidate {
  std::uint64_t priority;
  std::uint64_t index;
};

/// Indices, among `ids` of this rank, of the `wanted` particles of lowest priority over all ranks.
std::vector<std::size_t> choose_sample(const Communicator& comm, const std::vector<std::uint64_t>& ids, std::uint64_t wanted,
                                       std::uint64_t seed) {
  std::vector<Candidate> local(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) local[i] = {sample_priority(ids[i], seed), i};
  if (local.size() > wanted) {
    const auto before = [](const Candidate& a, const Candidate& b) { return a.priority < b.priority; };
    std::nth_element(local.begin(), local.begin() + static_cast<std::ptrdiff_t>(wanted), local.end(), before);
    local.resize(wanted);
  }

  std::vector<std::uint64_t> priorities(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) priorities[i] = local[i].priority;
  std::vector<std::uint64_t> all = comm.all_gather_vectors<std::uint64_t>(priorities);
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> chosen;
  for (const Candidate& c : local)
    if (all.size() <= wanted || c.priority < all[wanted]) chosen.push_back(c.index);
  return chosen;
}

double relative_error(double x, double y, double z, double of) { return std::sqrt(x * x + y * y + z * z) / (of > 0 ? of : 1); }

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
SimulationOn<Space>::SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm)
    : space_(std::move(space)),
      comm_(comm),
      gravity_(gravity),
      particles_(*space_),
      method_(make_force_method(*space_, comm, gravity)),
      reference_(*space_),
      clock_(*space_) {}

template <class Space>
void SimulationOn<Space>::start(const ParticleSet& set, double time) {
  const std::size_t n = set.size();
  std::vector<Double4> position(n), zero(n);
  std::vector<Double3> velocity(n);
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = {set.position[3 * i], set.position[3 * i + 1], set.position[3 * i + 2], set.mass[i]};
    velocity[i] = {set.velocity[3 * i], set.velocity[3 * i + 1], set.velocity[3 * i + 2]};
  }
  const std::vector<std::uint32_t> even_work(n, 1);
  particles_.resize_discard(n);
  copy_from_host<Space, Double4>(*space_, position, particles_.position.view());
  copy_from_host<Space, Double4>(*space_, zero, particles_.acceleration.view());
  copy_from_host<Space, Double3>(*space_, velocity, particles_.velocity.view());
  copy_from_host<Space, std::uint64_t>(*space_, set.id, particles_.id.view());
  copy_from_host<Space, std::uint32_t>(*space_, even_work, particles_.work.view());
  copy_from_host<Space, std::uint8_t>(*space_, set.type, particles_.type.view());
  time_ = time;
  compute_forces();
}

template <class Space>
void SimulationOn<Space>::evaluate_forces() {
  // Before one particle's bad position spoils the forces on all others.
  require_finite(ParticlePart::motion);
  clock_.mark("checks");
  method_->compute(particles_, clock_);
}

template <class Space>
void SimulationOn<Space>::compute_forces() {
  clock_.restart();
  evaluate_forces();
  require_finite(ParticlePart::force);
  clock_.mark("checks");
  space_->synchronize();
}

template <class Space>
void SimulationOn<Space>::step(double dt) {
  clock_.restart();
  time_ += dt;
  leapfrog_step(*space_, particles_, dt, clock_, [this] { evaluate_forces(); });
  require_finite(ParticlePart::force);
  clock_.mark("checks");
  space_->synchronize();
}

template <class Space>
void SimulationOn<Space>::require_finite(ParticlePart part) {
  const std::size_t bad = first_not_finite(*space_, particles_, part);
  comm_.agree([&] {
    if (bad == particles_.size()) return;
    std::uint64_t id = 0;
    space_->copy_to_host(&id, particles_.id.data() + bad, sizeof(id));
    const std::string what = part == ParticlePart::motion ? "position or velocity of" : "force on";
    throw DataError("at time " + std::to_string(time_) + " the " + what + " the particle with id " + std::to_string(id) +
                    " is not finite; a smaller time step or a larger gravity.softening may help");
  });
}

template <class Space>
Diagnostics SimulationOn<Space>::diagnostics() {
  const std::vector<ParticleSums> all = comm_.all_gather(sum_particles(*space_, particles_));
  Diagnostics d;
  d.time = time_;
  d.particle_count = comm_.sum(std::uint64_t{particles_.size()});
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
ForceBalance SimulationOn<Space>::force_balance() {
  const std::vector<ForceSums> all = comm_.all_gather(sum_forces(*space_, particles_));
  ForceBalance balance;
  sum_over_ranks(all, &ForceSums::net, balance.net);
  balance.absolute = sum_over_ranks(all, &ForceSums::absolute).value();
  return balance;
}

template <class Space>
template <class T>
std::vector<T> SimulationOn<Space>::on_host(const Buffer<Space, T>& buffer) {
  std::vector<T> result(buffer.size());
  copy_to_host<Space, T>(*space_, buffer.view(), result);
  return result;
}

template <class Space>
ParticleSet SimulationOn<Space>::particles() {
  const std::vector<Double4> position = on_host(particles_.position), acceleration = on_host(particles_.acceleration);
  const std::vector<Double3> velocity = on_host(particles_.velocity);
  const std::size_t n = position.size();
  ParticleSet set;
  set.resize(n);
  set.acceleration.resize(3 * n);
  set.potential.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Double4 x = position[i], a = acceleration[i];
    const Double3 v = velocity[i];
    const double values[3][3] = {{x.x, x.y, x.z}, {v.x, v.y, v.z}, {a.x, a.y, a.z}};
    for (std::size_t k = 0; k < 3; ++k) {
      set.position[3 * i + k] = values[0][k];
      set.velocity[3 * i + k] = values[1][k];
      set.acceleration[3 * i + k] = values[2][k];
    }
    set.mass[i] = x.w;
    set.potential[i] = a.w;
  }
  set.id = on_host(particles_.id);
  set.type = on_host(particles_.type);
  return set;
}

template <class Space>
ReferenceForces SimulationOn<Space>::reference_forces(std::uint64_t wanted, std::uint64_t seed) {
  const std::vector<std::uint64_t> ids = on_host(particles_.id);
  const std::vector<Double4> position = on_host(particles_.position);
  std::vector<Double4> target_position;
  std::vector<std::uint64_t> target_id;
  for (std::size_t i : choose_sample(comm_, ids, wanted, seed)) {
    target_position.push_back(position[i]);
    target_id.push_back(ids[i]);
  }
  const std::size_t n = target_id.size();
  std::vector<Double4> force(n);
  Buffer<Space, Double4> d_position(*space_), d_force(*space_);
  Buffer<Space, std::uint64_t> d_id(*space_);
  d_position.resize_discard(n);
  d_force.resize_discard(n);
  d_id.resize_discard(n);
  copy_from_host<Space, Double4>(*space_, target_position, d_position.view());
  copy_from_host<Space, Double4>(*space_, force, d_force.view());
  copy_from_host<Space, std::uint64_t>(*space_, target_id, d_id.view());
  reference_.add_all(*space_, comm_, gravity_, particles_, {d_position.view(), d_id.view(), d_force.view()});
  copy_to_host<Space, Double4>(*space_, d_force.view(), force);

  ReferenceForces all;
  all.id = comm_.all_gather_vectors<std::uint64_t>(target_id);
  for (const Double4& f : comm_.all_gather_vectors<Double4>(force)) {
    all.acceleration.insert(all.acceleration.end(), {f.x, f.y, f.z});
    all.potential.push_back(f.w);
  }
  return all;
}

template <class Space>
ForceSample SimulationOn<Space>::compare_forces(const ReferenceForces& reference) {
  std::unordered_map<std::uint64_t, std::size_t> place;
  for (std::size_t k = 0; k < reference.id.size(); ++k) place[reference.id[k]] = k;
  const std::vector<std::uint64_t> ids = on_host(particles_.id);
  const std::vector<Double4> acceleration = on_host(particles_.acceleration);
  ForceSample local;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = place.find(ids[i]);
    if (found == place.end()) continue;
    const Double4 a = acceleration[i];
    const double* r = &reference.acceleration[3 * found->second];
    const double potential = reference.potential[found->second];
    local.id.push_back(ids[i]);
    local.acceleration_error.push_back(
        relative_error(a.x - r[0], a.y - r[1], a.z - r[2], std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])));
    local.potential_error.push_back(relative_error(a.w - potential, 0, 0, std::abs(potential)));
  }
  ForceSample all{comm_.all_gather_vectors<std::uint64_t>(local.id), comm_.all_gather_vectors<double>(local.acceleration_error),
                  comm_.all_gather_vectors<double>(local.potential_error)};
  if (all.id.size() != reference.id.size())
    throw AgreedError("of " + std::to_string(reference.id.size()) + " particles with reference forces " + std::to_string(all.id.size()) +
                          " are in this simulation",
                      1);
  return all;
}

template <class Space>
std::vector<PhaseTime> SimulationOn<Space>::phase_times() const {
  std::vector<PhaseTime> times;
  for (const auto& [name, seconds] : clock_.phases()) times.push_back({name, seconds});
  return times;
}

template <class Space>
WorkCounts SimulationOn<Space>::work_counts() const {
  WorkCounts counts = method_->work_counts();
  counts.targets = particles_.size();
  counts.bytes_held = space_->bytes_held();
  return counts;
}

template class SimulationOn<BackEnd>;

}  // namespace grove
