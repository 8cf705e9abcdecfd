#include "src/analysis/groups.hpp"

#include <array>

#include "decomposition/ranks/exact_sum.hpp"

namespace grove {

std::vector<Group> groups_of(const ParticleSet& particles, const ComponentNames& names, const Communicator& comm) {
  constexpr std::size_t types = particle_type_count;
  // Numbers and masses: of each type, then of all.
  const auto sums = exact_sums<2 * (types + 1)>(particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 2 * (types + 1)>& sum) {
    for (const std::size_t k : {std::size_t{particles.type[i]}, types}) {
      sum[2 * k].add(1);
      sum[2 * k + 1].add(particles.mass[i]);
    }
  });
  std::vector<Group> groups{{all_types, "all", static_cast<std::uint64_t>(sums[2 * types]), sums[2 * types + 1]}};
  for (std::size_t k = 0; k < types; ++k)
    if (sums[2 * k] > 0) groups.push_back({static_cast<int>(k), names[k], static_cast<std::uint64_t>(sums[2 * k]), sums[2 * k + 1]});
  return groups;
}

}  // namespace grove
