#include "kernels/walks/direct_sum.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/gravity/interaction.hpp"
#include "kernels/walks/pair_softening.hpp"

namespace grove {

namespace {

// Sources are taken in tiles that stay in a CPU core's second-level cache while all targets meet them.
constexpr std::size_t tile = 4096;
// With few targets, several tiles are summed at once, so that the GPU has about this many threads.
constexpr std::size_t enough_threads = std::size_t{1} << 18;

/// Sum over one tile of sources for target i % targets, tile first_tile + i / targets. `lanes` independent sums let the CPU's compiler use
/// SIMD.
template <class PairSoftening, int lanes>
struct SumTile {
  DirectSources sources;
  DirectTargets targets;
  Double4* partial;  ///< [tiles at once * targets]
  std::size_t first_tile;
  PairSoftening softening;

  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t target = i % targets.position.size;
    const std::size_t first = (first_tile + i / targets.position.size) * tile;
    const std::size_t end = smaller(first + tile, sources.position.size);
    const Double4 t = targets.position[target];
    const std::uint64_t own_id = targets.id[target];
    double x[lanes] = {}, y[lanes] = {}, z[lanes] = {}, p[lanes] = {};
    std::size_t j = first;
    for (; j + lanes <= end; j += lanes)
      for (int l = 0; l < lanes; ++l) add(target, t, own_id, j + l, x[l], y[l], z[l], p[l]);
    for (; j < end; ++j) add(target, t, own_id, j, x[0], y[0], z[0], p[0]);
    Double4 sum;
    for (int l = 0; l < lanes; ++l) sum = {sum.x + x[l], sum.y + y[l], sum.z + z[l], sum.w + p[l]};
    partial[i] = sum;
  }

  GROVE_HD void add(std::size_t target, const Double4& t, std::uint64_t own_id, std::size_t j, double& x, double& y, double& z,
                    double& p) const {
    const Double4 s = sources.position[j];
    const double mass = sources.id[j] == own_id ? 0.0 : s.w;
    Force<double> force;
    add_particle(softening.of(target, j), s.x, s.y, s.z, mass, t.x, t.y, t.z, force);
    x += force.x;
    y += force.y;
    z += force.z;
    p += force.potential;
  }
};

struct AddTiles {
  const Double4* partial;
  std::size_t tiles, targets;
  double G;
  Double4* acceleration;

  GROVE_HD void operator()(std::size_t i) const {
    Double4 sum = acceleration[i];
    for (std::size_t k = 0; k < tiles; ++k) {
      const Double4 part = partial[k * targets + i];
      sum = {sum.x + G * part.x, sum.y + G * part.y, sum.z + G * part.z, sum.w - G * part.w};
    }
    acceleration[i] = sum;
  }
};

}  // namespace

template <class Space>
void add_direct_sum(Space& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets) {
  const std::size_t n = targets.position.size, all_tiles = (sources.position.size + tile - 1) / tile;
  if (n == 0 || all_tiles == 0) return;
  const std::size_t at_once = std::clamp<std::size_t>(enough_threads / n, 1, all_tiles);
  Scratch<Space, Double4> partial(space, at_once * n);
  constexpr int lanes = Space::on_gpu ? 1 : 8;
  const auto sum_with = [&]<class PairSoftening>(const PairSoftening& softening) {
    for (std::size_t first = 0; first < all_tiles; first += at_once) {
      const std::size_t tiles = std::min(at_once, all_tiles - first);
      space.for_each(tiles * n, SumTile<PairSoftening, lanes>{sources, targets, partial.data(), first, softening});
      space.for_each(n, AddTiles{partial.data(), tiles, n, law.G(), targets.acceleration.data});
    }
  };
  const bool have_classes = law.classes().count() > 1, are_points = targets.type.empty();
  if (have_classes && !(sources.type.size == sources.position.size && (are_points || targets.type.size == n)))
    throw std::logic_error("direct sums with several softening lengths need the particles' types");
  if (have_classes && are_points)
    with_softening_of_sources(law, sources.type.data, sum_with);
  else
    with_pair_softening(law, {}, targets.type.data, sources.type.data, sum_with);
}

template void add_direct_sum(BackEnd&, const GravityLaw&, const DirectSources&, const DirectTargets&);

}  // namespace grove
