#include "src/integrators/rung_loops.hpp"

#include <sstream>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

struct IndexBeyond {
  const std::uint8_t* rung;
  int limit;
  std::size_t none;
  GROVE_HD std::size_t operator()(std::size_t i) const { return rung[i] > limit ? i : none; }
};
struct First {
  GROVE_HD std::size_t operator()(std::size_t a, std::size_t b) const { return smaller(a, b); }
};

}  // namespace

template <class Space>
void require_possible(StepContext<Space>& context, const Particles<Space>& particles, const RungRules& rules, int finest) {
  if (finest <= rules.deepest) return;
  Space& space = context.space();
  context.comm().agree([&] {
    const std::size_t n = particles.size();
    const std::size_t i = space.transform_reduce(n, n, IndexBeyond{rungs_of(particles), rules.deepest, n}, First{});
    if (i == n) return;
    std::uint64_t id = 0;
    space.copy_to_host(&id, particles.id.data() + i, sizeof(id));
    std::ostringstream words;  // nvcc cannot compile fmt
    words << "the particle with id " << id << " wants a step for which the base step would be divided by 2^" << rules.deepest + 1
          << " or more: ";
    if (rules.deepest < deepest_rung)
      words << "into steps shorter than time.dt_min = " << rules.dt_min;
    else
      words << "2^" << deepest_rung << " is the most";
    words << "; a larger softening, or a larger time.accuracy (less accurate), allows longer steps";
    if (rules.deepest < deepest_rung) words << ", and a smaller time.dt_min shorter ones";
    throw DataError(words.str());
  });
}

template void require_possible(StepContext<BackEnd>&, const Particles<BackEnd>&, const RungRules&, int);

}  // namespace grove
