// The steps of the core on the GPU: one cooperative kernel, in which all blocks wait for each other twice in each sub-step, once the
// particles have drifted and once the active ones have their forces; once, where no particle chooses its steps. Positions and velocities
// are in FP64, forces are summed in FP32 over offsets. A group of warps of one block, or one warp, sums those on some targets at once, so
// that each source is loaded once for all of them; the order of sums depends on the numbers of particles and of active ones alone, so that
// all ranks get the same bits.
#include <cooperative_groups.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/pair_softening.hpp"
#include "src/integrators/active_in_core.cuh"
#include "src/integrators/core_steps.hpp"

namespace grove {

namespace {

namespace cg = cooperative_groups;

constexpr unsigned threads = threads_of_core, warps = threads / warp_size;
/// Warps for which the work is divided; a GPU may have more or fewer.
constexpr unsigned enough_warps = 2048;
/// A lane has so many sources at least, before further warps help.
constexpr unsigned least_sources = 4;
/// Targets of a group of warps. Where there are many particles, twice as many halve what is loaded.
constexpr unsigned some_at_once = 4, most_at_once = 8, many_particles = 3000;

/// What a launch has done.
struct Progress {
  int finest[2];  ///< of the occupied rungs, in turn for even and odd sub-steps
  int has_pinned, last_finest;
  RungWork work[beyond_all_rungs + 1];
  unsigned long long nanoseconds[beyond_all_rungs + 1];
};

/// A position relative to the centre, in two FP32 numbers a coordinate, which together keep 48 bits: offsets of close pairs have 24, too.
struct SplitPosition {
  float4 high;  ///< with the mass
  float4 low;   ///< with the class of softening
};

/// Lengths and masses in units that suit FP32.
struct Sources {
  float4 *high, *low;  ///< [particles], twice as many where those of the next sub-step are set while these are read
  Double3 centre;      ///< code units
  GravityUnits units;

  __device__ void set(std::size_t i, const Double4& at, std::uint8_t its_class) const {
    const double x = (at.x - centre.x) * units.per_length, y = (at.y - centre.y) * units.per_length,
                 z = (at.z - centre.z) * units.per_length;
    const float4 first{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(at.w * units.per_mass)};
    high[i] = first;
    low[i] = {static_cast<float>(x - first.x), static_cast<float>(y - first.y), static_cast<float>(z - first.z),
              static_cast<float>(its_class)};
  }
  __device__ SplitPosition get(std::size_t i) const { return {high[i], low[i]}; }
};

template <class Criterion, class Softening>
struct Arguments {
  KickAndChoose<Criterion> choose;
  KickByRest kick_by_rest;
  Softening softening;
  Sources sources;
  bool are_given;  ///< all particles are on the coarsest rung, and stay there
  std::uint32_t count;
  std::uint64_t begin, end;
  Progress* progress;
};

__device__ unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// What follows the forces: the step of the core begins, steps end and begin, the same where they are given, or all of them end.
enum class Then { begin, end_and_begin, end_and_drift, end };

/// The sums of `count` values over the lanes of a warp, a power of two of them: afterwards the first one of lane i is that of value i %
/// count. In each turn a lane sends half of its values to another one and keeps the others.
template <int count, int many>
__device__ void sum_over_lanes(float (&value)[many]) {
  const unsigned lane = threadIdx.x % warp_size;
  if constexpr (count > 1) {
    constexpr int half = count / 2;
    const bool is_upper = (lane & half) != 0;
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const float sent = is_upper ? value[k] : value[k + half], kept = is_upper ? value[k + half] : value[k];
      value[k] = kept + __shfl_xor_sync(all_lanes, sent, half);
    }
    sum_over_lanes<half>(value);
  } else {
#pragma unroll
    for (int d = many; d < static_cast<int>(warp_size); d *= 2) value[0] += __shfl_xor_sync(all_lanes, value[0], d);
  }
}

template <class Criterion, class Softening>
class CoreBlock {
 public:
  using Given = Arguments<Criterion, Softening>;
  struct Memory {
    ActiveInCore::Memory active;
    alignas(Softening) unsigned char softening[sizeof(Softening)];
    float part[warps][4 * most_at_once];  ///< the sums of each warp, four for a target
    int finest;
  };

  __device__ CoreBlock(const Given& given, Memory& memory)
      : a_(given), p_(given.choose.p), softening_(*reinterpret_cast<const Softening*>(memory.softening)), memory_(memory) {
    // In shared memory, where lanes can look up different pairs at once.
    const auto* const from = reinterpret_cast<const unsigned char*>(&given.softening);
    for (unsigned byte = threadIdx.x; byte < sizeof(Softening); byte += threads) memory.softening[byte] = from[byte];
    __syncthreads();
  }

  __device__ void run() {
    const auto grid = cg::this_grid();
    Progress& progress = *a_.progress;
    const bool counts = blockIdx.x == 0 && threadIdx.x == 0;
    const Rungs own = a_.choose.own;
    for_all([&](std::uint32_t i) {
      set_source(i, p_.position[i]);
      if (p_.position[i].w >= a_.choose.pinned_mass) atomicOr(&progress.has_pinned, 1);
    });
    grid.sync();
    if (a_.kick_by_rest.rest) {
      find_forces(own.coarsest, true, Then::begin, 0, progress.finest[0]);
    } else {
      if (threadIdx.x == 0) memory_.finest = 0;
      __syncthreads();
      for_all([&](std::uint32_t i) { follow(i, Then::end, 0); });
      __syncthreads();
      raise(progress.finest[0]);
    }
    grid.sync();
    if (a_.are_given) return take_given_steps();
    int finest = read(progress.finest[0]);
    const bool has_pinned = read(progress.has_pinned) != 0;
    bool begins_pinned = false;
    unsigned long long began = now_ns();
    std::uint64_t tick = a_.begin;
    for (unsigned turn = 1;; turn ^= 1) {
      const KickPinned kick_pinned{p_, a_.choose.rung, a_.choose.base, a_.choose.pinned_mass, finest, true};
      const double step = ldexp(a_.choose.base, -finest);
      for_all([&](std::uint32_t i) {
        if (begins_pinned) kick_pinned(i);
        drift(i, step);
      });
      if (counts) progress.finest[turn] = 0;
      tick += ticks_of(finest);
      grid.sync();
      const bool is_last = tick == a_.end;
      const int longest = is_last ? own.coarsest : begun_at(own.coarsest, tick);
      const std::uint32_t updates =
          find_forces(longest, longest == own.coarsest, is_last ? Then::end : Then::end_and_begin, tick, progress.finest[turn]);
      if (!is_last) {
        grid.sync();
        finest = read(progress.finest[turn]);
      }
      if (counts) {
        const unsigned long long now = now_ns();
        RungWork& work = progress.work[longest];
        ++work.sub_steps;
        work.updates += updates;
        progress.nanoseconds[longest] += now - began;
        began = now;
        progress.last_finest = finest;
      }
      if (is_last || finest > a_.choose.deepest) return;
      begins_pinned = has_pinned;
      if (has_pinned) finest = begun_at(finest, tick);
    }
  }

 private:
  /// Who has the force on a particle also drifts it, so that blocks wait once in each sub-step.
  __device__ void take_given_steps() {
    const auto grid = cg::this_grid();
    Progress& progress = *a_.progress;
    const bool counts = blockIdx.x == 0 && threadIdx.x == 0;
    const int rung = a_.choose.own.coarsest;
    for_all([&](std::uint32_t i) { drift(i, given_step()); });
    unsigned long long began = now_ns();
    for (std::uint64_t tick = a_.begin + ticks_of(rung);; tick += ticks_of(rung)) {
      grid.sync();
      const bool is_last = tick == a_.end;
      read_from_ = write_to_;
      write_to_ = a_.count - write_to_;
      find_forces(rung, true, is_last ? Then::end : Then::end_and_drift, tick, progress.finest[0]);
      if (counts) {
        const unsigned long long now = now_ns();
        RungWork& work = progress.work[rung];
        ++work.sub_steps;
        work.updates += a_.count;
        progress.nanoseconds[rung] += now - began;
        began = now;
        progress.last_finest = rung;
      }
      if (is_last) return;
    }
  }
  __device__ double given_step() const { return ldexp(a_.choose.base, -a_.choose.own.coarsest); }
  __device__ void drift(std::uint32_t i, double step) const {
    Double4 x = p_.position[i];
    const Double3 v = p_.velocity[i];
    x.x += step * v.x, x.y += step * v.y, x.z += step * v.z;
    p_.position[i] = x;
    set_source(i, x);
  }

  template <class T>
  __device__ static T read(const T& value) {
    return *static_cast<const volatile T*>(&value);
  }
  template <class F>
  __device__ void for_all(F f) const {
    for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < a_.count; i += gridDim.x * threads) f(i);
  }
  __device__ void set_source(std::uint32_t i, const Double4& at) const { a_.sources.set(write_to_ + i, at, softening_.class_of_source(i)); }
  __device__ SplitPosition source(std::uint32_t i) const { return a_.sources.get(read_from_ + i); }
  __device__ void half_kick(std::uint32_t i) const { HalfKick{p_, a_.choose.rung, a_.choose.base, a_.choose.own.finest}(i); }

  /// Sets the forces of the core on particles of this rung and finer ones, does what follows, and raises `finest` to the finest of their
  /// rungs then. Returns how many they are.
  __device__ std::uint32_t find_forces(int coarsest, bool are_all, Then then, std::uint64_t tick, int& finest) {
    if (threadIdx.x == 0) memory_.finest = 0;
    const ActiveInCore targets(memory_.active, a_.choose.rung, a_.count, coarsest, are_all);
    __syncthreads();
    const std::uint32_t n = targets.size();
    if (n * warps <= enough_warps)
      sum_for<1>(targets, then, tick);
    else if (n < many_particles)
      sum_for<some_at_once>(targets, then, tick);
    else
      sum_for<most_at_once>(targets, then, tick);
    __syncthreads();
    raise(finest);
    return n;
  }
  /// To the finest rung that this block has met.
  __device__ void raise(int& finest) const {
    if (threadIdx.x == 0 && memory_.finest > 0) atomicMax(&finest, memory_.finest);
  }

  __device__ void follow(std::uint32_t i, Then then, std::uint64_t tick) {
    if (then == Then::begin) a_.kick_by_rest(i);
    if (then == Then::end_and_begin)
      a_.choose.at(i, tick);
    else
      half_kick(i);
    if (then == Then::end_and_drift) {
      half_kick(i);
      return drift(i, given_step());
    }
    atomicMax(&memory_.finest, static_cast<int>(a_.choose.rung[i]));
  }

  __device__ void add_source(const SplitPosition& source, float mass, const SplitPosition& target, Force<float>& sum) const {
    const float dx = (source.high.x - target.high.x) + (source.low.x - target.low.x),
                dy = (source.high.y - target.high.y) + (source.low.y - target.low.y),
                dz = (source.high.z - target.high.z) + (source.low.z - target.low.z);
    const auto& softening = softening_.of_classes(static_cast<std::uint8_t>(target.low.w), static_cast<std::uint8_t>(source.low.w));
    add_close_particle(softening, dx, dy, dz, mass, sum);
  }

  /// How many warps work on the same targets.
  __device__ std::uint32_t warps_together(std::uint32_t groups) const {
    std::uint32_t together = 1;
    while (2 * together <= warps && 2 * together * groups <= enough_warps && 2 * together * warp_size * least_sources <= a_.count)
      together *= 2;
    return together;
  }

  template <int at_once>
  __device__ void sum_for(const ActiveInCore& targets, Then then, std::uint64_t tick) {
    const std::uint32_t n = targets.size(), together = warps_together((n + at_once - 1) / at_once);
    const std::uint32_t lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const std::uint32_t group = warp / together, member = warp % together, groups = warps / together;
    for (std::uint32_t begin = 0; begin < n; begin += gridDim.x * groups * at_once) {
      // Neighbours in number are in different blocks.
      const std::uint32_t first = begin + (group * gridDim.x + blockIdx.x) * at_once;
      std::uint32_t target[at_once];
      if (first < n) {
        SplitPosition at[at_once];
        Force<float> sum[at_once];
        targets.get(first, target);
#pragma unroll
        for (int k = 0; k < at_once; ++k) at[k] = source(target[k]);
#pragma unroll(at_once > some_at_once ? 1 : 2)
        for (std::uint32_t j = member * warp_size + lane; j < a_.count; j += together * warp_size) {
          const SplitPosition from = source(j);
#pragma unroll
          for (int k = 0; k < at_once; ++k) add_source(from, j == target[k] ? 0.0F : from.high.w, at[k], sum[k]);
        }
        float part[4 * at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          part[4 * k] = sum[k].x, part[4 * k + 1] = sum[k].y, part[4 * k + 2] = sum[k].z, part[4 * k + 3] = sum[k].potential;
        sum_over_lanes<4 * at_once>(part);
        if (lane < 4 * at_once) memory_.part[warp][lane] = part[0];
      }
      if (together > 1)
        __syncthreads();
      else
        __syncwarp();
      if (member == 0 && lane < at_once && first + lane < n) {
        double sum[4] = {};
        for (std::uint32_t m = 0; m < together; ++m)
#pragma unroll
          for (int c = 0; c < 4; ++c) sum[c] += memory_.part[warp + m][4 * lane + c];
        std::uint32_t i = target[0];
#pragma unroll
        for (std::uint32_t k = 1; k < at_once; ++k)
          if (lane == k) i = target[k];
        const GravityUnits& units = a_.sources.units;
        p_.acceleration[i] = {units.acceleration * sum[0], units.acceleration * sum[1], units.acceleration * sum[2],
                              -units.potential * sum[3]};
        follow(i, then, tick);
      }
      if (together > 1)
        __syncthreads();
      else
        __syncwarp();
    }
  }

  const Given& a_;
  const ParticleView p_;
  const Softening& softening_;
  Memory& memory_;
  std::uint32_t read_from_ = 0, write_to_ = 0;  ///< the first of the sources that are read, and of those that are set
};

template <class Criterion, class Softening>
__global__ void __launch_bounds__(threads, 1) core_steps_kernel(const __grid_constant__ Arguments<Criterion, Softening> given) {
  __shared__ typename CoreBlock<Criterion, Softening>::Memory memory;
  CoreBlock<Criterion, Softening>(given, memory).run();
}

/// The box around particles, their mass, their number, and the sums of their positions.
using BoxAndMass = Row<double, 11>;
struct BoxAndMassOf {
  const Double4* position;
  GROVE_HD BoxAndMass operator()(std::size_t i) const {
    const Double4 p = position[i];
    return {{p.x, p.y, p.z, p.x, p.y, p.z, p.w, 1, p.x, p.y, p.z}};
  }
};
constexpr double none = 1e300;

/// Units near the size and the mass of the core. With them the inverse cube of the smallest softening fits into FP32, too.
TreeScale scale_for(const GravityLaw& law, const BoxAndMass& all) {
  constexpr double most_softenings = 0x1p40;
  double side = 0, smallest = none;
  for (int k = 0; k < 3; ++k) side = std::max(side, all.part[3 + k] - all.part[k]);
  for (int a = 0; a < law.classes().count(); ++a)
    for (int b = 0; b <= a; ++b)
      if (const double length = law.classes().of_pair(a, b); length > 0) smallest = std::min(smallest, length);
  return law.fitting(TreeScale::near(std::min(side, most_softenings * smallest), all.part[6]));
}

}  // namespace

template <>
int take_core_steps(CudaSpace& space, Particles<CudaSpace>& p, Double4* rest, const CoreStep& step, RungCensus& work) {
  const auto count = static_cast<std::uint32_t>(p.size());
  Scratch<CudaSpace, Progress> progress(space, 1);
  const std::uint32_t sources = step.rules.are_given ? 2 * count : count;
  Scratch<CudaSpace, float4> high(space, sources), low(space, sources);
  const BoxAndMass box =
      space.reduce_rows(count, BoxAndMass{{none, none, none, -none, -none, -none}}, BoxAndMassOf{p.position.data()}, JoinBoxAndSums{});
  // Near most of them, also where one is far away.
  const Double3 centre{box.part[8] / box.part[7], box.part[9] / box.part[7], box.part[10] / box.part[7]};
  const TreeScale scale = scale_for(step.law, box);
  space.fill_bytes(progress.data(), 0, sizeof(Progress));
  with_criterion(step.rules.criterion, [&]<class Criterion>() {
    with_pair_softening(step.law, scale, p.type.data(), p.type.data(), [&]<class Softening>(const Softening& softening) {
      Arguments<Criterion, Softening> arguments{choose_for<Criterion>(p, step.rules, step.own(), rest),
                                                {view_of(p), rest, step.half()},
                                                softening,
                                                {high.data(), low.data(), centre, {step.law.G(), scale}},
                                                step.rules.are_given,
                                                count,
                                                step.begin,
                                                step.end,
                                                progress.data()};
      // A warp for each target is enough.
      const unsigned blocks = std::min<unsigned>(static_cast<unsigned>(space.multiprocessors()), (count + warps / 2 - 1) / (warps / 2));
      void* all[] = {&arguments};
      check_cuda(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&core_steps_kernel<Criterion, Softening>), dim3(blocks),
                                             dim3(threads), all, 0, space.stream()),
                 "core_steps_kernel");
    });
  });
  Progress done;
  space.copy_to_host(&done, progress.data(), sizeof(done));
  for (int r = 0; r <= beyond_all_rungs; ++r)
    if (done.work[r].sub_steps > 0)
      work_of(work, r) = {
          .sub_steps = done.work[r].sub_steps, .updates = done.work[r].updates, .seconds = 1e-9 * static_cast<double>(done.nanoseconds[r])};
  return done.last_finest;
}

}  // namespace grove
