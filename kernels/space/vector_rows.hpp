// SIMD vectors of floats as rows of a matrix: transposition, and the sum of each row.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/space/float_vector.hpp"

namespace grove {

namespace detail {

inline constexpr int row_length = FloatVector::width;

/// Lane j of the result is element at(j) of `a` followed by `b`.
template <class At, int... j>
FloatVector picked(FloatVector a, FloatVector b, At at, std::integer_sequence<int, j...>) {
#if __has_builtin(__builtin_shufflevector)
  return FloatVector(__builtin_shufflevector(a.native(), b.native(), decltype(at)::of(j)...));
#else
  // GCC 11.
  using Lanes [[gnu::vector_size(sizeof(FloatVector))]] = int;
  return FloatVector(__builtin_shuffle(a.native(), b.native(), Lanes{decltype(at)::of(j)...}));
#endif
}
template <class At>
FloatVector picked(FloatVector a, FloatVector b, At at) {
  return picked(a, b, at, std::make_integer_sequence<int, row_length>());
}

/// The first and second of two rows `step` apart, after their blocks of `step` lanes have been exchanged.
template <int step>
struct FirstExchanged {
  static constexpr int of(int j) { return (j & step) == 0 ? j : row_length + j - step; }
};
template <int step>
struct SecondExchanged {
  static constexpr int of(int j) { return (j & step) == 0 ? j + step : row_length + j; }
};

/// The blocks of `step` elements of two rows with even or odd numbers.
template <int step>
struct EvenBlocks {
  static constexpr int of(int j) { return j / step * 2 * step + j % step; }
};
template <int step>
struct OddBlocks {
  static constexpr int of(int j) { return EvenBlocks<step>::of(j) + step; }
};

// Inlined, so that rows stay in registers and unused ones are not computed.
template <int step>
[[gnu::always_inline]] inline void transpose_blocks(FloatVector* row) {
  for (int i = 0; i < row_length; ++i) {
    if ((i & step) != 0) continue;
    const FloatVector a = row[i], b = row[i + step];
    row[i] = picked(a, b, FirstExchanged<step>());
    row[i + step] = picked(a, b, SecondExchanged<step>());
  }
  if constexpr (step > 1) transpose_blocks<step / 2>(row);
}

/// Sums of row[0 ... 2 step - 1], each with parts of row_length / (2 step) sums.
template <int step>
[[gnu::always_inline]] inline FloatVector sum_blocks(FloatVector* row) {
  for (std::ptrdiff_t i = 0; i < step; ++i)
    row[i] = picked(row[2 * i], row[2 * i + 1], EvenBlocks<step>()) + picked(row[2 * i], row[2 * i + 1], OddBlocks<step>());
  if constexpr (step > 1)
    return sum_blocks<step / 2>(row);
  else
    return row[0];
}

}  // namespace detail

/// Lane j of row i becomes lane i of row j.
[[gnu::always_inline]] inline void transpose(FloatVector (&row)[FloatVector::width]) {
  detail::transpose_blocks<FloatVector::width / 2>(row);
}

/// Lane i of the result is the sum of all lanes of row i, added in pairs. Overwrites the rows.
[[gnu::always_inline]] inline FloatVector sums_of(FloatVector (&row)[FloatVector::width]) {
  return detail::sum_blocks<FloatVector::width / 2>(row);
}

}  // namespace grove
