// The active targets of a walk: those whose forces are wanted.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/tree/fmm_targets.hpp"

namespace grove {

/// Plain pointers for loop bodies.
struct ActiveTargets {
  bool is_list = false;                    ///< walks are for `groups` alone; else for all groups
  const std::uint8_t* particle = nullptr;  ///< [particles] not 0 for active ones; null: all are active
  View<const std::uint32_t> groups;        ///< those with an active particle, ascending
  const std::uint32_t* cell = nullptr;     ///< [target cells] not 0 above such a group; null: all are needed
  const std::uint32_t* cells = nullptr;    ///< [*cell_count] these cells, ascending; on a GPU
  const std::uint32_t* cell_count = nullptr;

  GROVE_HD bool wants(std::size_t i) const { return !particle || particle[i] != 0; }
  GROVE_HD bool wants_cell(std::uint32_t c) const { return !cell || cell[c] != 0; }
};

/// Consecutive parts of the particles: part p is [begin[p], begin[p + 1]). A group of targets is in one part.
struct ParticleParts {
  std::array<std::uint32_t, most_type_classes + 1> begin{};
  int count = 0;
};

/// Finds the groups and target cells that have active particles, in memory of the step.
template <class Space>
class ActiveTargetLists {
 public:
  explicit ActiveTargetLists(Space& space) : groups_(space), cell_(space), cells_(space), cell_count_(space) {}

  /// Finds the groups. `active` [particles]: not 0 for active ones; it must live as long as the results are used; null: all are active.
  /// Synchronises once, with parts twice.
  void find(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active, const ParticleParts& parts = {});
  /// All active targets, and those of the parts [begin, end).
  ActiveTargets all() const;
  ActiveTargets of_parts(int begin, int end) const;
  /// `some`, with the target cells above its groups. They take the place of those of the last call. Asynchronous.
  ActiveTargets with_cells(Space& space, const FmmTargets<Space>& targets, ActiveTargets some);

 private:
  const std::uint8_t* active_ = nullptr;
  std::vector<std::uint32_t> part_groups_;  ///< [parts + 1] where the groups of each part begin in groups_
  StepBuffer<Space, std::uint32_t> groups_, cell_, cells_, cell_count_;
};

}  // namespace grove
