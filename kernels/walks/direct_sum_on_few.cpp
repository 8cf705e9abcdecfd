#include "kernels/walks/direct_sum_on_few.hpp"

#include <stdexcept>

#include "kernels/gravity/interaction.hpp"
#include "kernels/walks/pair_softening.hpp"

namespace grove {

namespace {

using ForceRow = Row<double, 4>;

/// The force of each source on one target, without G.
template <class PairSoftening>
struct ForceOnTarget {
  DirectSources sources;
  DirectTargets targets;
  PairSoftening softening;
  std::size_t target;

  GROVE_HD ForceRow operator()(std::size_t j) const {
    const Double4 s = sources.position[j], t = targets.position[target];
    const double mass = sources.id[j] == targets.id[target] ? 0.0 : s.w;
    Force<double> force;
    add_particle(softening.of(target, j), s.x, s.y, s.z, mass, t.x, t.y, t.z, force);
    return {{force.x, force.y, force.z, force.potential}};
  }
};

struct AddForces {
  GROVE_HD double operator()(int, double a, double b) const { return a + b; }
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
    for (std::size_t t = 0; t < count; ++t) {
      const ForceRow sum =
          space.reduce_rows(sources.position.size, ForceRow{}, ForceOnTarget<PairSoftening>{sources, targets, softening, t}, AddForces{});
      set.force[t] = {law.G() * sum.part[0], law.G() * sum.part[1], law.G() * sum.part[2], -law.G() * sum.part[3]};
    }
  };
  with_pair_softening(law, {}, targets.type.data, sources.type.data, sum_with);
  space.for_each(count, set);
}

template void direct_sum_on_few(BackEnd&, const GravityLaw&, const DirectSources&, const DirectTargets&, const std::uint8_t*);

}  // namespace grove
