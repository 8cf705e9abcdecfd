// Several numbers that are summed side by side, each by itself.
#pragma once

#include <cstddef>

#include "kernels/space/host_device.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// A row of a table: `count` parts. Spaces reduce tables to one row, column by column, see reduce_rows().
template <class T, int count>
struct Row {
  T part[static_cast<std::size_t>(count)];
};

/// op(k, ...) of the parts k of two rows.
template <class T, int count, class Op>
GROVE_HD Row<T, count> join(const Row<T, count>& a, const Row<T, count>& b, const Op& op) {
  Row<T, count> both;
  for (int k = 0; k < count; ++k) both.part[k] = op(k, a.part[k], b.part[k]);
  return both;
}

/// Joins rows that begin with the three low and the three high ends of a box. All other parts are added.
struct JoinBoxAndSums {
  GROVE_HD double operator()(int k, double a, double b) const { return k < 3 ? smaller(a, b) : k < 6 ? larger(a, b) : a + b; }
};

}  // namespace grove
