// A team: the threads that share one item of Space::for_each_by_team(): one thread on the CPU, a part of a warp on the GPU.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// Default number of lanes of a team on the GPU.
inline constexpr int standard_team = 8;

/// A team of one thread. Every team has these functions; all members call them together and get the same bits.
struct SerialTeam {
  static constexpr int size = 1;
  GROVE_HD int rank() const { return 0; }
  /// Sum, smallest or largest of the members' values.
  template <class T>
  GROVE_HD T sum(T x) const {
    return x;
  }
  template <class T>
  GROVE_HD T smallest(T x) const {
    return x;
  }
  template <class T>
  GROVE_HD T largest(T x) const {
    return x;
  }
  /// Replaces each value by its sum, or the largest, over the members. Exchanges of several values overlap.
  template <class T, int n>
  GROVE_HD void sum_each(T (&)[n]) const {}
  template <class T, int n>
  GROVE_HD void largest_each(T (&)[n]) const {}
  /// The value of the member of rank 0.
  template <class T>
  GROVE_HD T of_first(T x) const {
    return x;
  }
  /// Waits for all members. Each sees what the others wrote to memory before.
  GROVE_HD void synchronize() const {}
  /// Bit r is the condition of the member of rank r.
  GROVE_HD std::uint32_t votes(bool condition) const { return condition ? 1 : 0; }
};

}  // namespace grove
