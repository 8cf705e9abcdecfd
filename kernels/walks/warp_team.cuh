// Teams: warps that share the work for one target. How teams draw the next target.
#pragma once

#include <cstdint>

#include "kernels/space/warp.cuh"

namespace grove {

inline constexpr int warps_per_block = 4;  ///< in the kernels of the walks

/// The warps that walk together for one target at a time: all `size` = warps_per_block warps of a block, or a single warp. Each warp has
/// its own stack, queues and sums. The first warp draws targets and adds up the sums of all.
template <int size>
class WarpTeam {
 public:
  static constexpr int warps = size;

  /// All lanes call it together. The shuffle tells the compiler that all lanes of a warp have the same rank.
  __device__ WarpTeam() : rank_(__shfl_sync(all_lanes, static_cast<int>(threadIdx.x) / warp_size, 0)) {}

  /// This warp's place in its team.
  __device__ int rank() const { return size == 1 ? 0 : rank_; }
  __device__ bool is_first() const { return rank() == 0; }
  /// All warps of the team wait for each other. Each then sees what the others have written.
  __device__ void sync() const {
    if constexpr (size == 1)
      __syncwarp();
    else
      __syncthreads();
  }

 private:
  static_assert(size == 1 || size == warps_per_block);
  int rank_;
};

/// Draws numbers from 0, 1, ... `end` - 1 for one team; each number goes to only one team. `ahead`: the team draws its next number while it
/// works on the current one, which hides the latency. This is not allowed if teams wait for the work of other teams: a team would hold a
/// number that it has not begun to work on. All lanes call each function together.
template <bool ahead, class Team>
class NumberDrawer {
 public:
  __device__ NumberDrawer(const Team& team, unsigned* counter, std::uint32_t end) : team_(team), counter_(counter), end_(end) {
    if constexpr (ahead) drawn_ = draw();
  }

  /// Sets `number`. Returns false if there are no more numbers.
  __device__ bool next(std::uint32_t& number) {
    if constexpr (!ahead) drawn_ = draw();
    if constexpr (Team::warps > 1) share_with_team();
    number = __shfl_sync(all_lanes, drawn_, 0);
    if (number >= end_) return false;
    if constexpr (ahead) drawn_ = draw();
    return true;
  }

 private:
  __device__ unsigned draw() const { return team_.is_first() && threadIdx.x % warp_size == 0 ? atomicAdd(counter_, 1U) : 0; }

  /// Gives all warps the number of the first warp. That warp can be one number ahead of a warp that still reads, so there are two places.
  __device__ void share_with_team() {
    __shared__ unsigned place[2];
    turn_ ^= 1;
    if (threadIdx.x == 0) place[turn_] = drawn_;
    team_.sync();
    drawn_ = place[turn_];
  }

  Team team_;
  unsigned* counter_;
  std::uint32_t end_;
  unsigned drawn_ = 0;
  int turn_ = 0;
};

}  // namespace grove
