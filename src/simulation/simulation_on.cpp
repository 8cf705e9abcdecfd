#include "src/simulation/simulation_on.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernels/space/error.hpp"

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

/// Drops all but the `wanted` candidates of lowest priority.
void keep_lowest(std::vector<Candidate>& candidates, std::uint64_t wanted) {
  if (candidates.size() <= wanted) return;
  const auto before = [](const Candidate& a, const Candidate& b) { return a.priority < b.priority; };
  std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(wanted), candidates.end(), before);
  candidates.resize(wanted);
}

/// Indices, ascending, of the candidates of this rank that are among the `wanted` of lowest priority over all ranks. `local` are those
/// among the `wanted` of this rank. Collective.
std::vector<std::uint64_t> choose_sample(const Communicator& comm, const std::vector<Candidate>& local, std::uint64_t wanted) {
  std::vector<std::uint64_t> priorities(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) priorities[i] = local[i].priority;
  std::vector<std::uint64_t> all = comm.all_gather_vectors<std::uint64_t>(priorities);
  std::sort(all.begin(), all.end());
  std::vector<std::uint64_t> chosen;
  for (const Candidate& c : local)
    if (all.size() <= wanted || c.priority < all[wanted]) chosen.push_back(c.index);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Particles are copied between host and device this many at a time: the host has no room for all of them once more.
constexpr std::size_t chunk = std::size_t{1} << 18;

/// Calls f(first, count) for the parts of [0, n), in order.
template <class F>
void for_each_chunk(std::size_t n, F f) {
  for (std::size_t first = 0; first < n; first += chunk) f(first, std::min(chunk, n - first));
}

template <class T>
struct PickAt {
  const T* from;
  const std::uint64_t* index;
  T* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = from[index[i]]; }
};

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
      method_(make_force_solver(*space_, comm, gravity)),
      reference_(*space_),
      clock_(*space_) {}

template <class Space>
void SimulationOn<Space>::start(const ParticleSet& set, double time) {
  const std::size_t n = set.size();
  particles_.resize_discard(n);
  space_->fill_bytes(particles_.acceleration.data(), 0, n * sizeof(Double4));
  std::vector<Double4> position(std::min(n, chunk));
  std::vector<Double3> velocity(position.size());
  const std::vector<std::uint32_t> even_work(position.size(), 1);
  for_each_chunk(n, [&](std::size_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      position[k] = {set.position[3 * i], set.position[3 * i + 1], set.position[3 * i + 2], set.mass[i]};
      velocity[k] = {set.velocity[3 * i], set.velocity[3 * i + 1], set.velocity[3 * i + 2]};
    }
    const auto upload = [&]<class T>(const T* from, const Buffer<Space, T>& to) {
      space_->copy_from_host(to.data() + first, from, count * sizeof(T));
    };
    upload(position.data(), particles_.position);
    upload(velocity.data(), particles_.velocity);
    upload(set.id.data() + first, particles_.id);
    upload(even_work.data(), particles_.work);
    upload(set.type.data() + first, particles_.type);
  });
  time_ = time;
  compute_forces();
}

template <class Space>
void SimulationOn<Space>::evaluate_forces() {
  // Before one particle's bad position spoils the forces on all others.
  require_finite(ParticlePart::motion);
  clock_.mark("checks");
  space_->restart_most_bytes_held();
  method_->compute(particles_, clock_);
  most_bytes_held_ = space_->most_bytes_held();
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
void SimulationOn<Space>::download(const Buffer<Space, T>& from, std::size_t first, std::size_t count, T* to) {
  space_->copy_to_host(to, from.data() + first, count * sizeof(T));
}

template <class Space>
ParticleSet SimulationOn<Space>::particles() {
  const std::size_t n = particles_.size();
  ParticleSet set;
  set.resize(n);
  set.acceleration.resize(3 * n);
  set.potential.resize(n);
  std::vector<Double4> position(std::min(n, chunk)), acceleration(position.size());
  std::vector<Double3> velocity(position.size());
  for_each_chunk(n, [&](std::size_t first, std::size_t count) {
    download(particles_.position, first, count, position.data());
    download(particles_.acceleration, first, count, acceleration.data());
    download(particles_.velocity, first, count, velocity.data());
    download(particles_.id, first, count, set.id.data() + first);
    download(particles_.type, first, count, set.type.data() + first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      const Double4 x = position[k], a = acceleration[k];
      const Double3 v = velocity[k];
      const double values[3][3] = {{x.x, x.y, x.z}, {v.x, v.y, v.z}, {a.x, a.y, a.z}};
      for (std::size_t d = 0; d < 3; ++d) {
        set.position[3 * i + d] = values[0][d];
        set.velocity[3 * i + d] = values[1][d];
        set.acceleration[3 * i + d] = values[2][d];
      }
      set.mass[i] = x.w;
      set.potential[i] = a.w;
    }
  });
  return set;
}

template <class Space>
std::vector<std::uint64_t> SimulationOn<Space>::random_sample(std::uint64_t wanted, std::uint64_t seed) {
  const std::size_t n = particles_.size();
  std::vector<std::uint64_t> ids(std::min(n, chunk));
  std::vector<Candidate> local;
  for_each_chunk(n, [&](std::size_t first, std::size_t count) {
    download(particles_.id, first, count, ids.data());
    for (std::size_t k = 0; k < count; ++k) local.push_back({sample_priority(ids[k], seed), first + k});
    keep_lowest(local, wanted);
  });
  return choose_sample(comm_, local, wanted);
}

template <class Space>
ReferenceForces SimulationOn<Space>::reference_forces(std::uint64_t wanted, std::uint64_t seed) {
  const std::vector<std::uint64_t> sample = random_sample(wanted, seed);
  const std::size_t n = sample.size();
  Buffer<Space, Double4> d_position(*space_), d_force(*space_);
  Buffer<Space, std::uint64_t> d_id(*space_), d_index(*space_);
  d_position.resize_discard(n);
  d_force.resize_discard(n);
  d_id.resize_discard(n);
  d_index.resize_discard(n);
  copy_from_host<Space, std::uint64_t>(*space_, sample, d_index.view());
  space_->for_each(n, PickAt<Double4>{particles_.position.data(), d_index.data(), d_position.data()});
  space_->for_each(n, PickAt<std::uint64_t>{particles_.id.data(), d_index.data(), d_id.data()});
  space_->fill_bytes(d_force.data(), 0, n * sizeof(Double4));
  reference_.add_all(*space_, comm_, gravity_, particles_, {d_position.view(), d_id.view(), d_force.view()});
  std::vector<Double4> force(n);
  std::vector<std::uint64_t> id(n);
  download(d_force, 0, n, force.data());
  download(d_id, 0, n, id.data());

  ReferenceForces all;
  all.id = comm_.all_gather_vectors<std::uint64_t>(id);
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
  std::vector<std::uint64_t> ids(std::min(particles_.size(), chunk));
  std::vector<Double4> acceleration(ids.size());
  ForceSample local;
  for_each_chunk(particles_.size(), [&](std::size_t first, std::size_t count) {
    download(particles_.id, first, count, ids.data());
    download(particles_.acceleration, first, count, acceleration.data());
    for (std::size_t k = 0; k < count; ++k) {
      const auto found = place.find(ids[k]);
      if (found == place.end()) continue;
      const Double4 a = acceleration[k];
      const double* r = &reference.acceleration[3 * found->second];
      const double potential = reference.potential[found->second];
      local.id.push_back(ids[k]);
      local.acceleration_error.push_back(
          relative_error(a.x - r[0], a.y - r[1], a.z - r[2], std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])));
      local.potential_error.push_back(relative_error(a.w - potential, 0, 0, std::abs(potential)));
    }
  });
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
  counts.bytes_held = most_bytes_held_;
  return counts;
}

template class SimulationOn<BackEnd>;

}  // namespace grove
