#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <parallel/algorithm>
#include <utility>
#include <vector>

#include "kernels/space/error.hpp"
#include "kernels/space/space.hpp"

namespace grove {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
/// Up to so many digits that differ, sorting digit by digit is faster than comparing. Ids in a row have 3 or 4, Morton keys 8.
constexpr int most_digits = 4;
constexpr std::size_t fewest_for_digits = 4096;

struct Pairs {
  std::uint64_t* key;
  std::uint32_t* value;
};

/// Puts pairs in the order of the digit at bit `shift` of their keys, of which the bits in `mask` count; those of equal digit keep their
/// order.
void sort_by_digit(std::size_t n, int shift, std::uint64_t mask, const Pairs& from, const Pairs& to) {
  const auto blocks = static_cast<std::size_t>(omp_get_max_threads());
  const auto digit_of = [=](std::uint64_t key) { return (key & mask) >> shift & (digit_values - 1); };
  // First how often each digit occurs in each block, then where its first pair goes.
  std::vector<std::array<std::size_t, digit_values>> place(blocks);
  const auto for_each_in_block = [&](std::int64_t b, auto f) {
    const auto block = static_cast<std::size_t>(b);
    for (std::size_t i = n / blocks * block + n % blocks * block / blocks,
                     end = n / blocks * (block + 1) + n % blocks * (block + 1) / blocks;
         i < end; ++i)
      f(i, place[block]);
  };
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::int64_t b = 0; b < static_cast<std::int64_t>(blocks); ++b)
    for_each_in_block(b, [&](std::size_t i, auto& count) { ++count[digit_of(from.key[i])]; });
  std::size_t next = 0;
  for (std::size_t digit = 0; digit < digit_values; ++digit)
    for (auto& block : place) next += std::exchange(block[digit], next);
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::int64_t b = 0; b < static_cast<std::int64_t>(blocks); ++b)
    for_each_in_block(b, [&](std::size_t i, auto& at) {
      const std::size_t k = at[digit_of(from.key[i])]++;
      to.key[k] = from.key[i];
      to.value[k] = from.value[i];
    });
}

void sort_by_comparing(HostSpace& space, View<std::uint64_t> keys, View<std::uint32_t> values, std::uint64_t mask) {
  struct Pair {
    std::uint64_t key;
    std::uint32_t value, rank;
  };
  Scratch<HostSpace, Pair> pairs(space, keys.size);
  Pair* const p = pairs.data();
  space.for_each(keys.size, [=](std::size_t i) { p[i] = {keys[i], values[i], static_cast<std::uint32_t>(i)}; });
  __gnu_parallel::sort(p, p + keys.size, [mask](const Pair& a, const Pair& b) {
    const std::uint64_t ka = a.key & mask, kb = b.key & mask;
    return ka < kb || (ka == kb && a.rank < b.rank);
  });
  space.for_each(keys.size, [=](std::size_t i) {
    keys[i] = p[i].key;
    values[i] = p[i].value;
  });
}

}  // namespace

void HostSpace::sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits) {
  const std::size_t n = keys.size;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::vector<int> shifts;
  if (n >= fewest_for_digits) {
    const std::uint64_t differing = transform_reduce(
        n, std::uint64_t{0}, [=](std::size_t i) { return (keys[i] ^ keys[0]) & mask; },
        [](std::uint64_t a, std::uint64_t b) { return a | b; });
    for (int shift = 0; shift < 64; shift += digit_bits)
      if ((differing >> shift & (digit_values - 1)) != 0) shifts.push_back(shift);
  }
  if (n < fewest_for_digits || shifts.size() > most_digits) return sort_by_comparing(*this, keys, values, mask);

  Scratch<HostSpace, std::uint64_t> spare_keys(*this, n);
  Scratch<HostSpace, std::uint32_t> spare_values(*this, n);
  const Pairs own{keys.data, values.data}, spare{spare_keys.data(), spare_values.data()};
  for (std::size_t pass = 0; pass < shifts.size(); ++pass)
    sort_by_digit(n, shifts[pass], mask, pass % 2 == 0 ? own : spare, pass % 2 == 0 ? spare : own);
  if (shifts.size() % 2 == 0) return;
  copy(keys.data, spare.key, n * sizeof(std::uint64_t));
  copy(values.data, spare.value, n * sizeof(std::uint32_t));
}

void* HostSpace::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!data)
    throw SystemError("the host is out of memory: " + std::to_string(bytes >> 20) + " MiB more wanted, " +
                      std::to_string(bytes_held_ >> 20) + " MiB held by this rank; " + more_host_memory);
  bytes_held_ += bytes;
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
  return data;
}

void HostSpace::deallocate(void* data, std::size_t bytes) noexcept {
  std::free(data);
  bytes_held_ -= data ? bytes : 0;
}

std::string HostSpace::description() const { return "CPU, " + std::to_string(omp_get_max_threads()) + " threads"; }

}  // namespace grove
