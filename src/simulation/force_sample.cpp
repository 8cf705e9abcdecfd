#include "src/simulation/force_sample.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "kernels/base/error.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/particles/mixed_id.hpp"
#include "kernels/particles/particle_transfer.hpp"

namespace grove {

namespace {

struct Candidate {
  std::uint64_t priority;
  std::uint32_t index;
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
std::vector<std::uint32_t> choose_sample(const Communicator& comm, const std::vector<Candidate>& local, std::uint64_t wanted) {
  std::vector<std::uint64_t> priorities(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) priorities[i] = local[i].priority;
  std::vector<std::uint64_t> all = comm.all_gather_vectors<std::uint64_t>(priorities);
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> chosen;
  for (const Candidate& c : local)
    if (all.size() <= wanted || c.priority < all[wanted]) chosen.push_back(c.index);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

double relative_error(double x, double y, double z, double of) { return std::sqrt(x * x + y * y + z * z) / (of > 0 ? of : 1); }

template <class Space, class T>
std::vector<T> to_host(Space& space, const Scratch<Space, T>& items) {
  std::vector<T> host(items.view().size);
  copy_to_host<Space, T>(space, items.view(), host);
  return host;
}

}  // namespace

template <class Space>
std::vector<std::uint32_t> ForceSampler<Space>::random_sample(const Particles<Space>& particles, std::uint64_t wanted, std::uint64_t seed) {
  const std::size_t n = particles.size();
  std::vector<std::uint64_t> ids(std::min(n, transfer_chunk));
  std::vector<Candidate> local;
  for_each_chunk(n, [&](std::size_t first, std::size_t count) {
    space_.copy_to_host(ids.data(), particles.id.data() + first, count * sizeof(std::uint64_t));
    for (std::size_t k = 0; k < count; ++k) local.push_back({mixed_id(ids[k], seed), static_cast<std::uint32_t>(first + k)});
    keep_lowest(local, wanted);
  });
  return choose_sample(comm_, local, wanted);
}

template <class Space>
ReferenceForces ForceSampler<Space>::reference_forces(const Particles<Space>& particles, std::uint64_t wanted, std::uint64_t seed) {
  const std::vector<std::uint32_t> sample = random_sample(particles, wanted, seed);
  const std::size_t n = sample.size();
  Scratch<Space, std::uint32_t> index(space_, n);
  Scratch<Space, Double4> position(space_, n), force(space_, n);
  Scratch<Space, std::uint64_t> id(space_, n);
  Scratch<Space, std::uint8_t> type(space_, n);
  copy_from_host<Space, std::uint32_t>(space_, sample, index.view());
  gather_items<Space>(space_, index, sizeof(Double4), particles.position.data(), position.data());
  gather_items<Space>(space_, index, sizeof(std::uint64_t), particles.id.data(), id.data());
  gather_items<Space>(space_, index, sizeof(std::uint8_t), particles.type.data(), type.data());
  space_.fill_bytes(force.data(), 0, n * sizeof(Double4));
  sum_.add_all(law_, particles, {position.view(), id.view(), force.view(), type.view()});
  if (external_) external_->add(space_, position.view(), force.data());

  ReferenceForces all;
  all.id = comm_.all_gather_vectors<std::uint64_t>(to_host(space_, id));
  for (const Double4& f : comm_.all_gather_vectors<Double4>(to_host(space_, force))) {
    all.acceleration.insert(all.acceleration.end(), {f.x, f.y, f.z});
    all.potential.push_back(f.w);
  }
  return all;
}

template <class Space>
ForceSample ForceSampler<Space>::compare(const Particles<Space>& particles, const ReferenceForces& reference) {
  std::unordered_map<std::uint64_t, std::size_t> place;
  for (std::size_t k = 0; k < reference.id.size(); ++k) place[reference.id[k]] = k;
  std::vector<std::uint64_t> ids(std::min(particles.size(), transfer_chunk));
  std::vector<Double4> acceleration(ids.size());
  ForceSample local;
  for_each_chunk(particles.size(), [&](std::size_t first, std::size_t count) {
    space_.copy_to_host(ids.data(), particles.id.data() + first, count * sizeof(std::uint64_t));
    space_.copy_to_host(acceleration.data(), particles.acceleration.data() + first, count * sizeof(Double4));
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

template class ForceSampler<BackEnd>;

}  // namespace grove
