#include "kernels/walks/direct_sum_fp32.hpp"

#include <algorithm>

#include "kernels/gravity/interaction.hpp"
#include "kernels/space/lanes.hpp"

namespace grove {

namespace {

/// Sources that are loaded at a time.
constexpr std::uint32_t at_once = LoadedLanes::count;
/// Targets of one thread: they share what is loaded.
constexpr std::uint32_t targets_at_once = BackEnd::on_gpu ? 4 : 2;
/// So many items of work keep all threads busy; more slices of the sources give them.
constexpr std::size_t enough_items = std::size_t{1} << (BackEnd::on_gpu ? 17 : 12);
constexpr std::uint32_t smallest_slice = 32;
/// Sources after which a thread looks whether one of them was too close. On a GPU all threads of a warp then sum these again.
constexpr std::uint32_t sources_looked_at = BackEnd::on_gpu ? 64 : sources_per_block;
/// A target that has had so many such blocks has more of them, as a rule.
constexpr std::uint32_t enough_by_two = BackEnd::on_gpu ? 2 : 1;
static_assert(sources_looked_at % at_once == 0 && smallest_slice % at_once == 0 && at_once % targets_at_once == 0);

/// In distances of the target from the centre. One FP32 number a coordinate gives pairs that are further apart than the first to 2^-13 at
/// worst, and so their force to 2e-4; hardly any pair is that close. Two numbers give those further apart than the second to 2^-20.
/// Distances have the softening in them: with a length above these, that holds beside the largest force of any pair.
constexpr float close_for_one = 0x1p-9F, close_for_two = 0x1p-28F;

/// Positions relative to a centre, each the sum of two FP32 numbers; masses. In arrays padded to whole blocks of `at_once`.
struct PairSources {
  float* numbers = nullptr;
  std::uint32_t padded = 0;
  static constexpr int arrays = 7;

  GROVE_HD float* high(int k) const { return numbers + std::size_t{padded} * k; }
  GROVE_HD float* low(int k) const { return numbers + std::size_t{padded} * (3 + k); }
  GROVE_HD float* mass() const { return numbers + std::size_t{padded} * 6; }
};

struct SplitPositions {
  const Double4* particles;
  std::uint32_t count;
  Double3 centre;
  GravityUnits units;
  PairSources out;

  GROVE_HD void operator()(std::size_t i) const {
    const Double4 p = i < count ? particles[i] : Double4{};
    const double x[3] = {(p.x - centre.x) * units.per_length, (p.y - centre.y) * units.per_length, (p.z - centre.z) * units.per_length};
    for (int k = 0; k < 3; ++k) {
      // What fills the last block has no mass and is far away.
      const float high = i < count ? static_cast<float>(x[k]) : 1e6F;
      out.high(k)[i] = high;
      out.low(k)[i] = i < count ? static_cast<float>(x[k] - high) : 0;
    }
    out.mass()[i] = i < count ? static_cast<float>(p.w * units.per_mass) : 0;
  }
};

/// The forces of one slice of the sources on `targets_at_once` consecutive targets, those from targets_at_once * (i % blocks) on, where
/// `blocks` is their number and i / blocks the slice.
template <class Softening>
struct SumSlice {
  PairSources sources;
  const Double4* particles;
  std::uint32_t count, slice;  ///< particles, and those of a slice
  GravityUnits units;
  Softening softening;
  Float4* partial;

  GROVE_HD void operator()(std::size_t i) const {
    const std::uint32_t blocks = (count + targets_at_once - 1) / targets_at_once;
    const auto number = static_cast<std::uint32_t>(i / blocks);
    const std::uint32_t target = (static_cast<std::uint32_t>(i) - number * blocks) * targets_at_once, first = number * slice;
    const std::uint32_t end = smaller(first + slice, sources.padded);
    Force<float> sum[targets_at_once] = {};
    const bool are_apart = sum_split(target, first, end, sum);
    for (std::uint32_t t = 0; t < targets_at_once && target + t < count; ++t) {
      if (!are_apart) {
        sum[t] = {};
        for (std::uint32_t j = first; j < smaller(end, count); ++j) add_exactly(target + t, j, sum[t]);
      }
      partial[std::size_t{number} * count + target + t] = {sum[t].x, sum[t].y, sum[t].z, sum[t].potential};
    }
  }

 private:
  /// A target, and its force in the present block of sources and in all.
  struct Target {
    std::uint32_t index;
    Lanes x, y, z, closest2;
    Force<Lanes> block, total;

    GROVE_HD void begin_block() {
      closest2 = Lanes(3e38F);
      block = {};
    }
    GROVE_HD void end_block() { total = {total.x + block.x, total.y + block.y, total.z + block.z, total.potential + block.potential}; }
  };

  /// Returns false if a source is too close to one of the targets.
  GROVE_HD bool sum_split(std::uint32_t target, std::uint32_t first, std::uint32_t end, Force<float> (&sum)[targets_at_once]) const {
    Target own[targets_at_once];
    for (std::uint32_t t = 0; t < targets_at_once; ++t) own[t] = target_at(target + t);
    // The targets are among the sources of one block.
    const std::uint32_t own_block = target / at_once * at_once;
    std::uint32_t blocks_by_two = 0;
    for (std::uint32_t begin = first; begin < end; begin += sources_looked_at) {
      const std::uint32_t last = smaller(begin + sources_looked_at, end);
      bool one_does = blocks_by_two < enough_by_two;
      if (one_does) {
        add_blocks<false>(begin, last, own_block, own);
        one_does = are_apart(own, close_for_one);
      }
      if (!one_does) {
        ++blocks_by_two;
        add_blocks<true>(begin, last, own_block, own);
        if (!are_apart(own, close_for_two)) return false;
      }
      for (Target& t : own) t.end_block();
    }
    for (std::uint32_t t = 0; t < targets_at_once; ++t) {
      sum[t] = {sum_of(own[t].total.x), sum_of(own[t].total.y), sum_of(own[t].total.z), sum_of(own[t].total.potential)};
      if (first <= own_block && own_block < end)
        for (std::uint32_t j = own_block; j < smaller(own_block + at_once, count); ++j)
          add_exactly(smaller(target + t, count - 1), j, sum[t]);
    }
    return true;
  }

  GROVE_HD Target target_at(std::uint32_t i) const {
    return {i, Lanes(sources.high(0)[i]), Lanes(sources.high(1)[i]), Lanes(sources.high(2)[i]), {}, {}, {}};
  }

  /// Whether no source of the present block is closer to a target than `close`, in distances of that from the centre.
  GROVE_HD bool are_apart(const Target (&targets)[targets_at_once], float close) const {
    bool apart = true;
    for (const Target& t : targets) {
      const float x = sources.high(0)[t.index], y = sources.high(1)[t.index], z = sources.high(2)[t.index];
      const float reach = close * larger(larger(fabsf(x), fabsf(y)), fabsf(z));
      apart = apart && smallest_of(t.closest2) > larger(reach * reach, NewtonKernel::smallest<float>());
    }
    return apart;
  }

  /// Sets the forces of the sources from `begin` to `end`, but those from `own_block` on. `by_two`: positions are pairs of FP32 numbers.
  template <bool by_two>
  GROVE_HD void add_blocks(std::uint32_t begin, std::uint32_t end, std::uint32_t own_block, Target (&targets)[targets_at_once]) const {
    for (Target& t : targets) t.begin_block();
    for (std::uint32_t b = begin; b < end; b += at_once)
      if (b != own_block) add_block<by_two>(b, targets);
  }

  template <bool by_two>
  GROVE_HD void add_block(std::uint32_t b, Target (&targets)[targets_at_once]) const {
    const LoadedLanes x = load_lanes(sources.high(0) + b), y = load_lanes(sources.high(1) + b), z = load_lanes(sources.high(2) + b);
    const LoadedLanes m = load_lanes(sources.mass() + b);
    for (std::uint32_t j = 0; j < at_once / lane_count; ++j)
      for (Target& t : targets) {
        Lanes dx = x[j] - t.x, dy = y[j] - t.y, dz = z[j] - t.z;
        if constexpr (by_two) {
          dx = dx + low_difference(0, b, j, t.index);
          dy = dy + low_difference(1, b, j, t.index);
          dz = dz + low_difference(2, b, j, t.index);
        }
        const Lanes r2 = softening.squared(dx, dy, dz);
        t.closest2 = lesser(t.closest2, r2);
        add_particle_at<true>(softening, dx, dy, dz, r2, m[j], t.block);
      }
  }

  GROVE_HD Lanes low_difference(int k, std::uint32_t b, std::uint32_t j, std::uint32_t target) const {
    return load_lanes(sources.low(k) + b)[j] - Lanes(sources.low(k)[target]);
  }

  /// From positions in FP64.
  GROVE_HD void add_exactly(std::uint32_t target, std::uint32_t source, Force<float>& force) const {
    if (source == target) return;
    const Double4 s = particles[source], t = particles[target];
    add_close_particle(softening, units.close_offset(s.x, t.x), units.close_offset(s.y, t.y), units.close_offset(s.z, t.z),
                       static_cast<float>(s.w * units.per_mass), force);
  }
};

struct AddSlices {
  const Float4* partial;
  std::uint32_t count, slices;
  GravityUnits units;
  const std::uint8_t* active;
  Double4* acceleration;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    Double4 sum;
    for (auto s = static_cast<std::uint32_t>(team.rank()); s < slices; s += Team::size) {
      const Float4 part = partial[std::size_t{s} * count + i];
      sum = {sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w};
    }
    sum = {team.sum(sum.x), team.sum(sum.y), team.sum(sum.z), team.sum(sum.w)};
    if (team.rank() == 0 && (!active || active[i] != 0))
      acceleration[i] = {sum.x * units.acceleration, sum.y * units.acceleration, sum.z * units.acceleration, -sum.w * units.potential};
  }
};

}  // namespace

template <class Space>
void DirectSumFp32<Space>::run(Space& space, const ScaledLaw& law, const Double3& centre, View<const Double4> particles,
                               const std::uint8_t* active, View<Double4> acceleration) {
  const auto count = static_cast<std::uint32_t>(particles.size);
  if (count == 0) return;
  const auto whole = [](std::size_t n, std::size_t block) { return static_cast<std::uint32_t>((n + block - 1) / block * block); };
  PairSources sources;
  sources.padded = whole(count, at_once);
  sources_.resize_discard(std::size_t{sources.padded} * PairSources::arrays);
  sources.numbers = sources_.data();
  space.for_each(sources.padded, SplitPositions{particles.data, count, centre, law.units, sources});
  const std::size_t blocks = (count + targets_at_once - 1) / targets_at_once;
  const std::size_t wanted = std::clamp<std::size_t>(enough_items / blocks, 1, whole(count, smallest_slice) / smallest_slice);
  const std::uint32_t slice = whole((count + wanted - 1) / wanted, smallest_slice), slices = (count + slice - 1) / slice;
  partial_.resize_discard(std::size_t{slices} * count);
  std::visit(
      [&]<class Softening>(const Softening& softening) {
        space.for_each(slices * blocks, SumSlice<Softening>{sources, particles.data, count, slice, law.units, softening, partial_.data()});
      },
      law.softening);
  space.for_each_by_team(count, AddSlices{partial_.data(), count, slices, law.units, active, acceleration.data});
}

template class DirectSumFp32<BackEnd>;

}  // namespace grove
