#include "src/integrators/rung_work.hpp"

#include <span>

namespace grove {

RungCensus summarise_rungs(RungCensus local, const Communicator& comm) {
  std::vector<std::uint64_t> counts;
  std::vector<double> seconds;
  for (const RungWork& rung : local) {
    counts.insert(counts.end(), {rung.particles, rung.in_core, rung.updates});
    seconds.push_back(rung.seconds);
  }
  comm.sum(std::span<std::uint64_t>(counts));
  comm.max(std::span<double>(seconds));
  for (std::size_t r = 0; r < local.size(); ++r)
    local[r] = {.particles = counts[3 * r],
                .in_core = counts[3 * r + 1],
                .sub_steps = local[r].sub_steps,
                .updates = counts[3 * r + 2],
                .seconds = seconds[r]};
  return local;
}

}  // namespace grove
