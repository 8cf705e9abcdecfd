#include "decomposition/ranks/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace grove {

namespace {

constexpr std::int64_t low_bits = 0xffffffff;
/// Exponent of the lowest bit of a double.
constexpr int lowest_exponent = -1074;

}  // namespace

void ExactSum::add(const ExactSum& other) {
  ExactSum settled = other;
  settled.settle();
  for (std::size_t k = 0; k < piece_count; ++k) piece_[k] += settled.piece_[k];
  not_finite_ += settled.not_finite_;
  if (++unsettled_ >= most_unsettled) settle();
}

void ExactSum::settle() {
  std::int64_t carry = 0;
  for (std::size_t k = 0; k + 1 < piece_count; ++k) {
    const std::int64_t sum = piece_[k] + carry;
    piece_[k] = sum & low_bits;
    carry = sum >> 32;
  }
  piece_.back() += carry;
  unsettled_ = 0;
}

double ExactSum::value() const {
  if (not_finite_ > 0) return std::numeric_limits<double>::quiet_NaN();
  ExactSum magnitude = *this;
  magnitude.settle();
  const bool is_negative = magnitude.piece_.back() < 0;
  if (is_negative) {
    for (std::int64_t& piece : magnitude.piece_) piece = -piece;
    magnitude.settle();
  }
  int top = piece_count - 1;
  while (top > 0 && magnitude.piece_[static_cast<std::size_t>(top)] == 0) --top;
  const auto piece = [&](int k) {
    return k < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(magnitude.piece_[static_cast<std::size_t>(k)]);
  };
  if (piece(top) == 0) return 0;
  // The first 64 bits, the last of which also says whether any bit follows: rounding to 53 bits then is that of the whole number.
  const auto width = static_cast<int>(std::bit_width(piece(top)));
  const std::uint64_t next = piece(top - 1) << 32 | piece(top - 2);
  std::uint64_t first = piece(top) << (64 - width) | next >> width;
  bool has_more = (next << (64 - width)) != 0;
  for (int k = top - 3; k >= 0 && !has_more; --k) has_more = piece(k) != 0;
  if (has_more) first |= 1;
  const double size = std::ldexp(static_cast<double>(first), 32 * (top - 2) + width + lowest_exponent);
  return is_negative ? -size : size;
}

void ExactSum::sum_over_ranks(std::span<ExactSum> sums, const Communicator& comm) {
  constexpr std::size_t row = piece_count + 1, batch = 4096;
  for (std::size_t begin = 0; begin < sums.size(); begin += batch) {
    const std::span<ExactSum> some = sums.subspan(begin, std::min(batch, sums.size() - begin));
    std::vector<std::int64_t> pieces;
    pieces.reserve(some.size() * row);
    for (ExactSum& sum : some) {
      sum.settle();
      pieces.insert(pieces.end(), sum.piece_.begin(), sum.piece_.end());
      pieces.push_back(sum.not_finite_);
    }
    comm.sum(std::span<std::int64_t>(pieces));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(i * row);
      std::copy_n(at, piece_count, some[i].piece_.begin());
      some[i].not_finite_ = at[piece_count];
      some[i].settle();
    }
  }
}

}  // namespace grove
