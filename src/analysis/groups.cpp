#include "src/analysis/groups.hpp"

#include <array>

#include "src/analysis/exact_sum.hpp"

namespace grove {

std::vector<Group> groups_of(const ParticleSet& particles, const ComponentNames& names, const Communicator& comm) {
  constexpr std::size_t types = particle_type_count;
  std::array<ExactSum, types + 1> mass;
  std::array<std::uint64_t, types + 1> count{};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    mass[particles.type[i]].add(particles.mass[i]);
    ++count[particles.type[i]];
  }
  for (std::size_t k = 0; k < types; ++k) {
    mass[types].add(mass[k]);
    count[types] += count[k];
  }
  ExactSum::sum_over_ranks(mass, comm);
  comm.sum(std::span<std::uint64_t>(count));
  std::vector<Group> groups{{all_types, "all", count[types], mass[types].value()}};
  for (std::size_t k = 0; k < types; ++k)
    if (count[k] > 0) groups.push_back({static_cast<int>(k), names[k], count[k], mass[k].value()});
  return groups;
}

}  // namespace grove
