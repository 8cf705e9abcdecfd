// The steps of the core on the GPU: one cooperative kernel, in which all blocks wait for each other twice in each sub-step, once the
// particles have drifted and once the active ones have their forces. Forces are summed in FP64. Several warps of a block, or one, sum those
// on one target or a few; the order of sums depends on the numbers of particles and of active ones alone, so that all ranks get the same
// bits.
#include <cooperative_groups.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/pair_softening.hpp"
#include "src/integrators/core_steps.hpp"

namespace grove {

namespace {

namespace cg = cooperative_groups;

constexpr unsigned threads = 512, warps = threads / warp_size;
/// Warps for which the work is divided; a GPU may have more or fewer.
constexpr unsigned enough_warps = 2048;
/// A lane has so many sources at least, before further warps help.
constexpr unsigned least_sources = 4;
constexpr unsigned most_at_once = 4;  ///< targets of a warp

/// What a launch has done.
struct Progress {
  int finest[2];  ///< of the occupied rungs, in turn for even and odd sub-steps
  int has_pinned, last_finest;
  RungWork work[beyond_all_rungs + 1];
  unsigned long long nanoseconds[beyond_all_rungs + 1];
};

template <class Criterion, class Softening>
struct Arguments {
  KickAndChoose<Criterion> choose;
  KickByRest kick_by_rest;
  Softening softening;
  double G;
  std::uint32_t count;
  std::uint64_t begin, end;
  Progress* progress;
};

__device__ unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// The particles of the core that get forces, in ascending order.
class Active {
 public:
  struct Memory {
    std::uint32_t mask[most_in_core / warp_size], before[most_in_core / warp_size], of_warp[warps];
  };

  /// Those on this rung or finer ones; `are_all` says that no others are there. All threads of the block must call it.
  __device__ Active(Memory& memory, const std::uint8_t* rung, std::uint32_t count, int coarsest, bool are_all)
      : memory_(memory), are_all_(are_all), words_(0), size_(count) {
    if (are_all) return;
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    words_ = (count + warp_size - 1) / warp_size;
    for (std::uint32_t word = warp; word < words_; word += warps) {
      const std::uint32_t i = word * warp_size + lane;
      const unsigned mask = __ballot_sync(all_lanes, i < count && rung[i] >= coarsest);
      if (lane == 0) memory_.mask[word] = mask;
    }
    __syncthreads();
    // Each thread adds up a run of words, each warp those of its threads.
    const std::uint32_t a_thread = (words_ + threads - 1) / threads;
    const std::uint32_t first = smaller(threadIdx.x * a_thread, words_), end = smaller(first + a_thread, words_);
    std::uint32_t here = 0;
    for (std::uint32_t word = first; word < end; ++word) here += static_cast<std::uint32_t>(__popc(memory_.mask[word]));
    const std::uint32_t up_to = inclusive_scan(here, static_cast<int>(lane));
    if (lane == warp_size - 1) memory_.of_warp[warp] = up_to;
    __syncthreads();
    std::uint32_t before = up_to - here;
    size_ = 0;
    for (unsigned w = 0; w < warps; ++w) {
      if (w < warp) before += memory_.of_warp[w];
      size_ += memory_.of_warp[w];
    }
    for (std::uint32_t word = first; word < end; ++word) {
      memory_.before[word] = before;
      before += static_cast<std::uint32_t>(__popc(memory_.mask[word]));
    }
    __syncthreads();
  }

  __device__ std::uint32_t size() const { return size_; }
  /// All lanes of a warp must call it, with the same number.
  __device__ std::uint32_t operator[](std::uint32_t number) const {
    if (are_all_) return number;
    std::uint32_t word = 0, end = words_;
    while (end - word > 1) {
      const std::uint32_t middle = (word + end) / 2;
      if (memory_.before[middle] <= number)
        word = middle;
      else
        end = middle;
    }
    const unsigned mask = memory_.mask[word], lane = threadIdx.x % warp_size;
    const bool is_it =
        (mask >> lane & 1) != 0 && static_cast<std::uint32_t>(__popc(mask & ((1U << lane) - 1))) == number - memory_.before[word];
    return word * warp_size + static_cast<std::uint32_t>(__ffs(static_cast<int>(__ballot_sync(all_lanes, is_it)))) - 1;
  }

 private:
  Memory& memory_;
  bool are_all_;
  std::uint32_t words_, size_;
};

/// What follows the forces: the step of the limit begins, steps end and begin, or all of them end.
enum class Then { begin, end_and_begin, end };

__device__ Force<double> over_lanes(Force<double> sum) {
#pragma unroll
  for (int d = warp_size / 2; d > 0; d /= 2) {
    sum.x += __shfl_xor_sync(all_lanes, sum.x, d);
    sum.y += __shfl_xor_sync(all_lanes, sum.y, d);
    sum.z += __shfl_xor_sync(all_lanes, sum.z, d);
    sum.potential += __shfl_xor_sync(all_lanes, sum.potential, d);
  }
  return sum;
}

template <class Criterion, class Softening>
class CoreBlock {
 public:
  using Given = Arguments<Criterion, Softening>;
  struct Memory {
    Active::Memory active;
    alignas(Softening) unsigned char softening[sizeof(Softening)];
    Force<double> part[warps];
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
      if (p_.position[i].w >= a_.choose.pinned_mass) atomicOr(&progress.has_pinned, 1);
    });
    find_forces(own.coarsest, true, Then::begin, 0, progress.finest[0]);
    grid.sync();
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
        Double4 x = p_.position[i];
        const Double3 v = p_.velocity[i];
        x.x += step * v.x, x.y += step * v.y, x.z += step * v.z;
        p_.position[i] = x;
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
  template <class T>
  __device__ static T read(const T& value) {
    return *static_cast<const volatile T*>(&value);
  }
  template <class F>
  __device__ void for_all(F f) const {
    for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < a_.count; i += gridDim.x * threads) f(i);
  }
  __device__ void half_kick(std::uint32_t i) const { HalfKick{p_, a_.choose.rung, a_.choose.base, a_.choose.own.finest}(i); }

  /// Sets the forces of the core on particles of this rung and finer ones, does what follows, and raises `finest` to the finest of their
  /// rungs then. Returns how many they are.
  __device__ std::uint32_t find_forces(int coarsest, bool are_all, Then then, std::uint64_t tick, int& finest) {
    if (threadIdx.x == 0) memory_.finest = 0;
    const Active targets(memory_.active, a_.choose.rung, a_.count, coarsest, are_all);
    __syncthreads();
    const std::uint32_t n = targets.size();
    if (n <= enough_warps)
      sum_for<1>(targets, warps_a_target(n), then, tick);
    else if (n <= 2 * enough_warps)
      sum_for<2>(targets, 1, then, tick);
    else
      sum_for<most_at_once>(targets, 1, then, tick);
    __syncthreads();
    if (threadIdx.x == 0 && memory_.finest > 0) atomicMax(&finest, memory_.finest);
    return n;
  }

  __device__ void follow(std::uint32_t i, Then then, std::uint64_t tick) {
    if (then == Then::begin) a_.kick_by_rest(i);
    if (then == Then::end_and_begin) {
      KickAndChoose<Criterion> choose = a_.choose;
      choose.tick = tick;
      choose(i);
    } else {
      half_kick(i);
    }
    atomicMax(&memory_.finest, static_cast<int>(a_.choose.rung[i]));
  }

  __device__ std::uint32_t warps_a_target(std::uint32_t targets) const {
    std::uint32_t together = 1;
    while (2 * together <= warps && 2 * together * targets <= enough_warps && 2 * together * warp_size * least_sources <= a_.count)
      together *= 2;
    return together;
  }

  /// `at_once` targets for each group of `together` warps of the block.
  template <int at_once>
  __device__ void sum_for(const Active& targets, std::uint32_t together, Then then, std::uint64_t tick) {
    const std::uint32_t lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const std::uint32_t group = warp / together, member = warp % together, groups = warps / together;
    const std::uint32_t n = targets.size();
    for (std::uint32_t begin = 0; begin < n; begin += gridDim.x * groups * at_once) {
      // Neighbours in number are in different blocks.
      const std::uint32_t first = begin + (group * gridDim.x + blockIdx.x) * at_once;
      Force<double> sum[at_once];
      std::uint32_t target[at_once];
      if (first < n) {
        Double4 at[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          target[k] = targets[smaller(first + k, n - 1)];
          at[k] = p_.position[target[k]];
        }
#pragma unroll 2
        for (std::uint32_t j = member * warp_size + lane; j < a_.count; j += together * warp_size) {
          const Double4 s = p_.position[j];
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            add_particle(softening_.of(target[k], j), s.x, s.y, s.z, j == target[k] ? 0.0 : s.w, at[k].x, at[k].y, at[k].z, sum[k]);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) sum[k] = over_lanes(sum[k]);
      }
      if constexpr (at_once == 1) {
        if (together > 1) {
          __syncthreads();
          if (lane == 0) memory_.part[warp] = sum[0];
          __syncthreads();
          if (member == 0 && lane == 0)
            for (std::uint32_t m = 1; m < together; ++m) {
              const Force<double> part = memory_.part[warp + m];
              sum[0] = {sum[0].x + part.x, sum[0].y + part.y, sum[0].z + part.z, sum[0].potential + part.potential};
            }
        }
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (member == 0 && lane == k && first + k < n) {
          const std::uint32_t i = target[k];
          p_.acceleration[i] = {a_.G * sum[k].x, a_.G * sum[k].y, a_.G * sum[k].z, -a_.G * sum[k].potential};
          follow(i, then, tick);
        }
    }
  }

  const Given& a_;
  const ParticleView p_;
  const Softening& softening_;
  Memory& memory_;
};

template <class Criterion, class Softening>
__global__ void __launch_bounds__(threads, 1) core_steps_kernel(const __grid_constant__ Arguments<Criterion, Softening> given) {
  __shared__ typename CoreBlock<Criterion, Softening>::Memory memory;
  CoreBlock<Criterion, Softening>(given, memory).run();
}

}  // namespace

template <>
int take_core_steps(CudaSpace& space, CoreParticles<CudaSpace>& core, const CoreStep& step, RungCensus& work) {
  Particles<CudaSpace>& p = core.particles;
  const auto count = static_cast<std::uint32_t>(p.size());
  Scratch<CudaSpace, Progress> progress(space, 1);
  space.fill_bytes(progress.data(), 0, sizeof(Progress));
  with_criterion(step.rules.criterion, [&]<class Criterion>() {
    with_pair_softening(step.law, p.type.data(), p.type.data(), [&]<class Softening>(const Softening& softening) {
      Arguments<Criterion, Softening> arguments{choose_for<Criterion>(p, step.rules, step.own(), core.rest.data()),
                                                {view_of(p), core.rest.data(), step.half()},
                                                softening,
                                                step.law.G(),
                                                count,
                                                step.begin,
                                                step.end(),
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
      work_of(work, r) = {0, done.work[r].sub_steps, done.work[r].updates, 1e-9 * static_cast<double>(done.nanoseconds[r])};
  return done.last_finest;
}

}  // namespace grove
