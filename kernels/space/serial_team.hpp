// A team: the threads that share one item of Space::for_each_by_team(). One thread on the CPU, some lanes of a warp on the GPU.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// Lanes of a team on the GPU, if the caller does not say how many.
inline constexpr int standard_team = 8;

/// The team of one thread. Every team has these functions. All members call them together, and all get the same bits.
struct SerialTeam {
  static constexpr int size = 1;
  GROVE_HD int rank() const { return 0; }
  /// Sum, smallest or largest of the values that the members pass.
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
  /// Each value becomes its sum, or the largest. Exchanges of several values do not wait for each other.
  template <class T, int n>
  GROVE_HD void sum_each(T (&)[n]) const {}
  template <class T, int n>
  GROVE_HD void largest_each(T (&)[n]) const {}
  /// The value that the member of rank 0 passes.
  template <class T>
  GROVE_HD T of_first(T x) const {
    return x;
  }
  /// Waits for all members. They see what each has written to memory before.
  GROVE_HD void synchronize() const {}
  /// Bit r says whether the condition is true for the member of rank r.
  GROVE_HD std::uint32_t votes(bool condition) const { return condition ? 1 : 0; }
};

}  // namespace grove
