// The active targets of a walk: those whose forces are wanted.
#pragma once

#include "kernels/tree/fmm_targets.hpp"

namespace grove {

/// Plain pointers for loop bodies. All targets are active when `particle` is null.
struct ActiveTargets {
  const std::uint8_t* particle = nullptr;  ///< [particles] not 0 for active ones
  View<const std::uint32_t> groups;        ///< those with an active particle, ascending
  const std::uint32_t* cell = nullptr;     ///< [target cells] not 0 above such a group; where there are target cells

  GROVE_HD bool some() const { return particle != nullptr; }
  GROVE_HD bool wants(std::size_t i) const { return !particle || particle[i] != 0; }
  GROVE_HD bool wants_cell(std::uint32_t c) const { return !cell || cell[c] != 0; }
};

/// Finds the groups and target cells that have active particles, in memory of the step.
template <class Space>
class ActiveTargetLists {
 public:
  explicit ActiveTargetLists(Space& space) : groups_(space), cell_(space) {}

  /// Finds the groups. `active` [particles]: not 0 for active ones; it must live as long as the result is used. Synchronises once.
  ActiveTargets find(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active);
  /// Finds the groups and the target cells above them.
  ActiveTargets find(Space& space, const FmmTargets<Space>& targets, const std::uint8_t* active);

 private:
  StepBuffer<Space, std::uint32_t> groups_, cell_;
};

}  // namespace grove
