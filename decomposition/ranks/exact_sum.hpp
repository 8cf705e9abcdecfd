// Sums that do not depend on the order of their terms, nor on the number of threads and ranks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The exact sum of any doubles: an integer with room for the whole range of their exponents, kept in pieces of 32 bits so that an addition
/// needs no carries (the small superaccumulator of Neal 2015, arXiv:1505.05571). For up to 2^62 numbers.
class ExactSum {
 public:
  void add(double value);
  void add(const ExactSum& other);
  /// The sum rounded once, to the nearest double; infinite when it is too large, NaN when a term was not finite.
  double value() const;

  /// Adds each sum over the ranks, on every rank. All ranks give the same number of them. Collective.
  static void sum_over_ranks(std::span<ExactSum> sums, const Communicator& comm);

 private:
  /// 2046 exponents and 53 bits are 2099 bits; the rest is for the sign and for the number of additions.
  static constexpr std::size_t piece_count = 68;
  /// A piece grows by less than 2^32 an addition and must stay below 2^63.
  static constexpr std::uint32_t most_unsettled = std::uint32_t{1} << 29;

  void settle();

  /// Piece k counts in 2^(32 k - 1074). Settled, all are in [0, 2^32), and the last one has the sign.
  std::array<std::int64_t, piece_count> piece_{};
  std::int64_t not_finite_ = 0;  ///< how many numbers were not
  std::uint32_t unsettled_ = 0;  ///< additions since the last carries
};

inline void ExactSum::add(double value) {
  if (value == 0) return;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<std::uint32_t>(bits >> 52) & 0x7ff;
  if (exponent == 0x7ff) {
    ++not_finite_;
    return;
  }
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  const std::uint32_t place = exponent == 0 ? 0 : exponent - 1, k = place / 32, shift = place % 32;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xffffffff);
  const std::uint64_t rest = shift == 0 ? mantissa >> 32 : mantissa >> (32 - shift);
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  piece_[k] += sign * low;
  piece_[k + 1] += sign * static_cast<std::int64_t>(rest & 0xffffffff);
  piece_[k + 2] += sign * static_cast<std::int64_t>(rest >> 32);
  if (++unsettled_ == most_unsettled) settle();
}

/// `count` sums over i < n of all ranks, in parallel: add(i, sums) adds the terms of item i to the sums. Collective.
template <std::size_t count, class Add>
std::array<double, count> exact_sums(std::size_t n, const Communicator& comm, Add add) {
  std::array<ExactSum, count> all{};
#pragma omp parallel
  {
    std::array<ExactSum, count> own{};
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i) add(i, own);
#pragma omp critical(grove_exact_sums)
    for (std::size_t k = 0; k < count; ++k) all[k].add(own[k]);
  }
  ExactSum::sum_over_ranks(all, comm);
  std::array<double, count> values{};
  for (std::size_t k = 0; k < count; ++k) values[k] = all[k].value();
  return values;
}

}  // namespace grove
