#include "src/integrators/step_choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The finest rungs that together have few of the particles; if there are none, the finest one.
constexpr double few = 0.01;
constexpr double margin = 0.1;

struct FinestParticles {
  std::size_t rung = 0;
  double share = 0;
};
FinestParticles finest_particles(const RungCensus& work, double all) {
  FinestParticles finest;
  double share = 0;
  for (std::size_t r = work.size(); r-- > 0;) {
    share += static_cast<double>(work[r].particles) / all;
    if (share > few && finest.share > 0) break;
    finest = {r, share};
  }
  return finest;
}

}  // namespace

void StepChoice::look(const RungCensus& work) {
  if (are_alike()) {
    ++since_look_;
    return;
  }
  double particles = 0, seconds = 0, of_all_s = 0;
  std::uint64_t of_all = 0;
  for (const RungWork& rung : work) {
    particles += static_cast<double>(rung.particles);
    seconds += rung.seconds;
  }
  for (const RungWork& rung : work) {
    if (rung.sub_steps == 0 || static_cast<double>(rung.updates) < particles * static_cast<double>(rung.sub_steps)) continue;
    of_all += rung.sub_steps;
    of_all_s += rung.seconds;
  }
  const bool was_alike = are_alike_;
  since_look_ = 0;
  if (of_all == 0 || !(particles > 0) || !(seconds > 0)) return;
  const std::size_t finest = work.size() - 1;
  const double same_for_all = std::ldexp(of_all_s / static_cast<double>(of_all), static_cast<int>(finest)), gain = same_for_all / seconds;
  // A small gain is no reason to change.
  const double enough = told_ == Kind::none ? 1 : was_alike ? 1 + margin : 1 - margin;
  are_alike_ = gain < enough;
  if (finest == 0) return tell(Kind::base_step, "the same step for all particles: none wants one that is shorter than time.dt");
  if (are_alike_)
    return tell(Kind::same, fmt::format("the same step for all particles, time.dt / {}, {:.1f} times faster than block steps",
                                        std::uint64_t{1} << finest, 1 / gain));
  const FinestParticles few_of_them = finest_particles(work, particles);
  tell(Kind::block,
       fmt::format("block steps, {:.1f} times faster than the same step for all: {:.2g} % of the particles want steps of time.dt / {} "
                   "or shorter",
                   gain, 100 * few_of_them.share, std::uint64_t{1} << few_of_them.rung));
}

void StepChoice::tell(Kind kind, const std::string& text) {
  if (std::exchange(told_, kind) != kind) text_ = text;
}

void StepChoice::save(SavedState& state) const { state.put("steps.choice", SavedState::Counts{are_alike_ ? 1U : 0U, since_look_}); }

void StepChoice::restore(const SavedState& state) {
  if (!state.has("steps.choice")) return;
  const SavedState::Counts& counts = state.counts("steps.choice");
  if (counts.size() != 2) throw DataError("steps.choice: has a wrong length");
  are_alike_ = counts[0] != 0;
  since_look_ = counts[1];
}

}  // namespace grove
