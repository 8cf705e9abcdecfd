#include "src/generators/recentring.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "src/galaxies/parallel_for.hpp"

namespace grove {

namespace {

/// Enough for the threads of many ranks, few enough to send all sums to all ranks. Part of the result: another number would change
/// rounding.
constexpr std::uint64_t most_blocks = 4096;

/// Of one component: m, m x, m v, m r.
constexpr std::size_t sums_of_component = 8;
using ComponentSums = std::array<CompensatedSum, sums_of_component>;
using AllSums = std::vector<ComponentSums>;
using Components = std::vector<ModelComponent>;

/// A particle seen from the centre of its component.
struct Relative {
  double position[3], velocity[3], radius;
  Relative(const ModelParticle& p, const ModelComponent& c) {
    for (int d = 0; d < 3; ++d) {
      position[d] = p.position[d] - c.position[d];
      velocity[d] = p.velocity[d] - c.velocity[d];
    }
    radius = std::hypot(position[0], position[1], position[2]);
  }
};

AllSums sums_of_ids(const Model& model, std::uint64_t first, std::uint64_t end) {
  AllSums sums(model.components.size());
  for (std::uint64_t id = first; id < end; ++id) {
    const ModelParticle p = model.particle(id);
    const Relative r(p, model.components[p.component]);
    const double terms[sums_of_component] = {
        1, r.position[0], r.position[1], r.position[2], r.velocity[0], r.velocity[1], r.velocity[2], r.radius};
    ComponentSums& to = sums[p.component];
    for (std::size_t k = 0; k < sums_of_component; ++k) to[k] = to[k] + CompensatedSum{p.mass * terms[k], 0};
  }
  return sums;
}

/// What is subtracted from the particles of one component.
struct Excess {
  double per_radius[3] = {};  ///< from positions, times the distance from the centre
  double velocity[3] = {};
};

Excess excess_of(const ComponentSums& sums) {
  Excess excess;
  const double mass = sums[0].value(), radius = sums[7].value();
  for (std::size_t d = 0; d < 3; ++d) {
    if (radius > 0) excess.per_radius[d] = sums[1 + d].value() / radius;
    if (mass > 0) excess.velocity[d] = sums[4 + d].value() / mass;
  }
  return excess;
}

}  // namespace

std::vector<double> block_sums(const Model& model, std::uint64_t n, int part, int parts) {
  const std::uint64_t blocks = std::min(n, most_blocks);
  const std::size_t sums_of_block = sums_of_component * model.components.size();
  std::vector<double> sums(blocks * sums_of_block, 0.0);
  const std::uint64_t first = first_of_rank(blocks, part, parts), end = first_of_rank(blocks, part + 1, parts);
  parallel_for(end - first, 1, [&](std::size_t i) {
    const std::uint64_t block = first + i;
    const AllSums all = sums_of_ids(model, fraction_of(n, block, blocks), fraction_of(n, block + 1, blocks));
    double* to = &sums[block * sums_of_block];
    for (const ComponentSums& of_component : all)
      for (const CompensatedSum& sum : of_component) *to++ = sum.value();
  });
  return sums;
}

Model recentred(Model model, std::span<const double> sums) {
  AllSums all(model.components.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    CompensatedSum& total = all[k / sums_of_component % all.size()][k % sums_of_component];
    total = total + CompensatedSum{sums[k], 0};
  }
  std::vector<Excess> excesses(all.size());
  std::transform(all.begin(), all.end(), excesses.begin(), excess_of);
  model.particle = [draw = std::move(model.particle), excesses, components = model.components](std::uint64_t id) {
    ModelParticle particle = draw(id);
    const Excess& excess = excesses[particle.component];
    const double radius = Relative(particle, components[particle.component]).radius;
    for (int d = 0; d < 3; ++d) {
      particle.position[d] -= radius * excess.per_radius[d];
      particle.velocity[d] -= excess.velocity[d];
    }
    return particle;
  };
  return model;
}

}  // namespace grove
