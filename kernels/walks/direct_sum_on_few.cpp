#include "kernels/walks/direct_sum_on_few.hpp"

#include <stdexcept>

#include "kernels/gravity/interaction.hpp"
#include "kernels/walks/pair_softening.hpp"

namespace grove {

namespace {

constexpr int most = static_cast<int>(most_in_direct_sum_on_few);

/// Four numbers for each target: the force of a source without G, and its potential.
using ForceRow = Row<double, 4 * most>;

template <class PairSoftening>
struct ForceOnTargets {
  DirectSources sources;
  DirectTargets targets;
  PairSoftening softening;

  GROVE_HD ForceRow operator()(std::size_t j) const {
    const Double4 s = sources.position[j];
    const std::uint64_t id = sources.id[j];
    ForceRow row{};
    for (int t = 0; t < most; ++t) {
      const auto target = static_cast<std::size_t>(t);
      if (target >= targets.position.size) continue;
      const Double4 at = targets.position[target];
      Force<double> force;
      add_particle(softening.of(target, j), s.x, s.y, s.z, id == targets.id[target] ? 0.0 : s.w, at.x, at.y, at.z, force);
      row.part[4 * t] = force.x;
      row.part[4 * t + 1] = force.y;
      row.part[4 * t + 2] = force.z;
      row.part[4 * t + 3] = force.potential;
    }
    return row;
  }
};

struct SetForces {
  Double4 force[most_in_direct_sum_on_few];
  const std::uint8_t* active;
  Double4* acceleration;
  GROVE_HD void operator()(std::size_t t) const {
    if (!active || active[t] != 0) acceleration[t] = force[t];
  }
};

}  // namespace

template <class Space>
void direct_sum_on_few(Space& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets,
                       const std::uint8_t* active) {
  const std::size_t count = targets.position.size;
  if (count > most_in_direct_sum_on_few) throw std::logic_error("direct_sum_on_few() has too many targets");
  SetForces set{{}, active, targets.acceleration.data};
  const auto sum_with = [&]<class PairSoftening>(const PairSoftening& softening) {
    const ForceRow sum =
        space.reduce_rows(sources.position.size, ForceRow{}, ForceOnTargets<PairSoftening>{sources, targets, softening}, AddParts{});
    for (std::size_t t = 0; t < count; ++t) {
      const double* const of_target = sum.part + 4 * t;
      set.force[t] = {law.G() * of_target[0], law.G() * of_target[1], law.G() * of_target[2], -law.G() * of_target[3]};
    }
  };
  with_pair_softening(law, {}, targets.type.data, sources.type.data, sum_with);
  space.for_each(count, set);
}

template void direct_sum_on_few(BackEnd&, const GravityLaw&, const DirectSources&, const DirectTargets&, const std::uint8_t*);

}  // namespace grove
