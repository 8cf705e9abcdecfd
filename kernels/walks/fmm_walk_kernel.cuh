// The kernels of the walk of `fmm`, for target cells and for groups, and their launches.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/walks/fmm_walk_cuda.hpp"
#include "kernels/walks/fmm_walk_schedule.cuh"
#include "kernels/walks/fmm_walk_warp.cuh"

namespace grove {

namespace fmm_walk {

template <int order, class Opening, class Softening, bool at_group, class Team, GroupKind kind>
__global__ void __launch_bounds__(warps_per_block* warp_size,
                                  blocks_per_multiprocessor(ExpansionTerms<order, Softening>::form, at_group, Team::warps))
    fmm_walk_kernel(const __grid_constant__ FmmArguments a, const __grid_constant__ Opening opening,
                    const __grid_constant__ Softening softening) {
  using Walk = TargetWalk<order, Opening, Softening, at_group, Team, kind>;
  using Memory = typename Walk::Memory;
  alignas(16) __shared__ unsigned char shared[warps_per_block * sizeof(Memory)];
  const BlockSlot slot(a.counts->slots_lent, a.counts->slots_returned, a.slots_returned, a.block_slots, !at_group);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Team team;
  Walk walk(a, opening, softening, team, reinterpret_cast<Memory*>(shared)[warp], static_cast<int>(slot.number()) * warps_per_block + warp);
  // Numbers below this are indices in the list of slow groups. These groups are skipped when their own numbers come. Slow groups come
  // first because the GPU would wait for such a group if it were drawn last.
  constexpr bool some = kind == GroupKind::active_targets;
  const std::uint32_t slow_count = at_group && !some ? *a.targets.slow_group_count : 0;
  // A team works too long on one target to hold a second number meanwhile.
  const std::uint32_t cells = a.drawn_cells();
  NumberDrawer<at_group && Team::warps == 1, Team> drawer(team, at_group ? &a.counts->groups_drawn : &a.counts->cells_drawn,
                                                          at_group ? slow_count + a.walked_groups() : cells);
  CellsAbove above(a.done, &a.counts->cells_done, cells);
#pragma unroll 1
  for (std::uint32_t number; drawer.next(number);) {
    if constexpr (at_group) {
      std::uint32_t group = number;
      if constexpr (some) {
        group = a.data.active.groups[number];
      } else if (slow_count > 0) {
        if (number >= slow_count && a.targets.is_slow[number - slow_count] != 0) continue;
        group = number < slow_count ? a.targets.slow_groups[number] : number - slow_count;
      }
      const std::uint32_t cell = a.targets.group_parent[group];
      walk.load(group);
      above.wait(cell, a.has_list(cell));
      walk.run(group);
    } else {
      const std::uint32_t cell = a.drawn_cell(number);
      if (a.has_list(cell)) {
        walk.load(cell);
        walk.run(cell);
      }
      // Also if there was no memory: groups wait for it in any case.
      if (team.is_first()) publish_and_count(a.done[cell], 1U, a.counts->cells_done);
    }
  }
  if constexpr (at_group) await_previous_launch();
}

/// `targets`: their number. `overlaps`: blocks may start before the previous launch has ended.
template <bool at_group, class Team, GroupKind kind, int order, class Opening, class Softening>
void launch(CudaSpace& space, const FmmArguments& a, const Opening& opening, const Softening& softening, std::uint32_t targets,
            bool overlaps) {
  if (targets == 0) return;
  cudaLaunchConfig_t config{};
  const auto resident = static_cast<unsigned>(space.multiprocessors() *
                                              blocks_per_multiprocessor(ExpansionTerms<order, Softening>::form, at_group, Team::warps));
  config.gridDim = std::min((targets - 1) / (warps_per_block / Team::warps) + 1, resident);
  config.blockDim = warps_per_block * warp_size;
  config.stream = space.stream();
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, fmm_walk_kernel<order, Opening, Softening, at_group, Team, kind>, a, opening, softening),
             "walk of fmm");
}

}  // namespace fmm_walk

template <int order>
void launch_fmm_walk(CudaSpace& space, const ScaledLaw& law, const FmmArguments& a) {
  const auto with_team = [](int warps, auto f) {
    warps == 1 ? f(std::type_identity<WarpTeam<1>>{}) : f(std::type_identity<WarpTeam<warps_per_block>>{});
  };
  law.visit_with_expansions([&](const auto& opening, const auto& softening) {
    with_team(a.cell_team, [&]<class Team>(std::type_identity<Team>) {
      fmm_walk::launch<false, Team, fmm_walk::GroupKind::all_targets, order>(space, a, opening, softening, a.expected_cells, false);
    });
    const bool overlaps = a.expected_cells > 0 && space.overlaps_launches();
    const auto walk_groups = [&]<class Team, fmm_walk::GroupKind kind>() {
      fmm_walk::launch<true, Team, kind, order>(space, a, opening, softening, a.walked_groups(), overlaps);
    };
    // Teams walk where there are few groups, and wait more than they compute.
    if (a.data.active.is_list)
      with_team(a.group_team, [&]<class Team>(std::type_identity<Team>) {
        walk_groups.template operator()<Team, fmm_walk::GroupKind::active_targets>();
      });
    else if (a.group_team > 1)
      walk_groups.template operator()<WarpTeam<warps_per_block>, fmm_walk::GroupKind::all_targets>();
    else if (a.common_mass > 0)
      walk_groups.template operator()<WarpTeam<1>, fmm_walk::GroupKind::all_targets_of_one_mass>();
    else
      walk_groups.template operator()<WarpTeam<1>, fmm_walk::GroupKind::all_targets>();
  });
}

}  // namespace grove
