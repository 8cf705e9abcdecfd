#include "kernels/walks/direct_sum.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/gravity/interaction.hpp"

namespace grove {

namespace {

// Sources are taken in tiles that stay in a CPU core's second-level cache while all targets meet them.
constexpr std::size_t tile = 4096;
// With few targets, several tiles are summed at once, so that the GPU has about this many threads.
constexpr std::size_t enough_threads = std::size_t{1} << 18;

/// The softening of each pair of target and source.
template <class Softening>
struct OneSoftening {
  Softening softening;
  GROVE_HD const Softening& of(std::size_t, std::size_t) const { return softening; }
};
template <class Softening>
struct SofteningOfClasses {
  std::array<std::array<Softening, most_type_classes>, most_type_classes> of_pair;  ///< [class of the target][class of the source]
  ClassOfType class_of_type;
  const std::uint8_t *target_type, *source_type;
  GROVE_HD const Softening& of(std::size_t target, std::size_t source) const {
    return of_pair[class_of_type.of[target_type[target]]][class_of_type.of[source_type[source]]];
  }
};

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
  const auto choose = [&]<class Softening>(const Softening& longest) {
    const SofteningClasses& classes = law.classes();
    if (classes.count() == 1) return sum_with(OneSoftening<Softening>{longest});
    if (sources.type.size != sources.position.size || targets.type.size != n)
      throw std::logic_error("direct sums with several softening lengths need the particles' types");
    const auto of = [&](int a, int b) {
      const bool are_there = std::max(a, b) < classes.count();
      return are_there ? std::get<Softening>(law.of_pair(a, b, {}, law.expansion_form()).softening) : longest;
    };
    const auto row = [&](int a) -> std::array<Softening, most_type_classes> {
      return {of(a, 0), of(a, 1), of(a, 2), of(a, 3), of(a, 4), of(a, 5), of(a, 6), of(a, 7)};
    };
    const SofteningOfClasses<Softening> pairs{
        {row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)}, classes.of_type, targets.type.data, sources.type.data};
    sum_with(pairs);
  };
  std::visit(choose, law.unscaled().softening);
}

template void add_direct_sum(BackEnd&, const GravityLaw&, const DirectSources&, const DirectTargets&);

}  // namespace grove
