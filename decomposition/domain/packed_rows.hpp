// Messages with particles: for each rank the rows of all arrays that travel, array by array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/space/rounded_up.hpp"
#include "kernels/space/search.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// Each array of a message begins at a multiple of this [bytes].
inline constexpr std::size_t array_alignment = 32;

/// An array of particles that travels.
struct TravellingArray {
  std::byte* data;
  std::size_t item_bytes;
  GROVE_HD std::size_t packed_bytes(std::size_t items) const { return rounded_up(item_bytes * items, array_alignment); }
};

/// Rows of particles by the rank to which they go or from which they come.
struct MessageRows {
  std::vector<std::uint64_t> first{0}, begin{0};  ///< [ranks + 1] first row of each rank, first byte of its message
  std::uint64_t count() const { return first.back(); }
  std::uint64_t bytes() const { return begin.back(); }

  /// Adds the rows of the next rank.
  void add(std::uint64_t rows, const std::vector<TravellingArray>& arrays) {
    std::uint64_t end = begin.back();
    for (const TravellingArray& array : arrays) end += array.packed_bytes(rows);
    first.push_back(first.back() + rows);
    begin.push_back(end);
  }
  /// The message of rank `r` in the memory of all messages.
  View<std::byte> message(std::byte* bytes, int r) const {
    const auto k = static_cast<std::size_t>(r);
    return {bytes + begin[k], begin[k + 1] - begin[k]};
  }
};

/// Copies an item, whose addresses are aligned to every power of two up to array_alignment that divides its size.
GROVE_HD inline void copy_item(const std::byte* from, std::byte* to, std::size_t bytes) {
  const auto copy_as = [&]<class Word>(Word) {
    for (std::size_t k = 0; k < bytes / sizeof(Word); ++k) reinterpret_cast<Word*>(to)[k] = reinterpret_cast<const Word*>(from)[k];
  };
  if (bytes % sizeof(std::uint64_t) == 0)
    copy_as(std::uint64_t{});
  else if (bytes % sizeof(std::uint32_t) == 0)
    copy_as(std::uint32_t{});
  else
    copy_as(std::byte{});
}

/// The messages of all ranks. Rows are numbered rank by rank.
struct PackedRows {
  const TravellingArray* arrays;
  std::uint32_t array_count;
  std::uint32_t rank_count;
  const std::uint64_t* first;  ///< [ranks + 1] first row of each rank
  const std::uint64_t* begin;  ///< [ranks + 1] first byte of each message
  std::byte* bytes;

  GROVE_HD std::byte* item(std::uint32_t array, std::uint64_t row) const {
    const std::uint32_t rank = lower_bound(first, 0, rank_count, row + 1) - 1;
    const std::size_t rows = first[rank + 1] - first[rank];
    std::byte* at = bytes + begin[rank];
    for (std::uint32_t a = 0; a < array; ++a) at += arrays[a].packed_bytes(rows);
    return at + (row - first[rank]) * arrays[array].item_bytes;
  }
};

/// Packs particle index[r] as row r.
struct PackRows {
  PackedRows packed;
  std::uint64_t count;
  const std::uint32_t* index;
  GROVE_HD void operator()(std::size_t i) const {
    const auto array = static_cast<std::uint32_t>(i / count);
    const std::uint64_t row = i % count;
    const TravellingArray& from = packed.arrays[array];
    copy_item(from.data + index[row] * from.item_bytes, packed.item(array, row), from.item_bytes);
  }
};

/// Unpacks row i, or row[i] if `row` is given, to particle first + i.
struct UnpackRows {
  PackedRows packed;
  std::uint64_t count, first;
  const std::uint32_t* row = nullptr;
  GROVE_HD void operator()(std::size_t k) const {
    const auto array = static_cast<std::uint32_t>(k / count);
    const std::uint64_t i = k % count;
    const TravellingArray& to = packed.arrays[array];
    copy_item(packed.item(array, row ? row[i] : i), to.data + (first + i) * to.item_bytes, to.item_bytes);
  }
};

/// The tables that these loops read, in memory of the space; one copy.
template <class Space>
class PackedTable {
 public:
  PackedTable(Space& space, const std::vector<TravellingArray>& arrays, const MessageRows& rows)
      : arrays_(arrays.size()),
        ranks_(rows.first.size() - 1),
        words_(space, array_words * arrays_ + rows.first.size() + rows.begin.size()) {
    std::vector<std::uint64_t> words(array_words * arrays_);
    std::memcpy(words.data(), arrays.data(), words.size() * sizeof(std::uint64_t));
    words.insert(words.end(), rows.first.begin(), rows.first.end());
    words.insert(words.end(), rows.begin.begin(), rows.begin.end());
    copy_from_host<Space, std::uint64_t>(space, words, words_.view());
  }
  const TravellingArray* arrays() const { return reinterpret_cast<const TravellingArray*>(words_.data()); }
  PackedRows packed(std::byte* bytes) const {
    const std::uint64_t* const first = words_.data() + array_words * arrays_;
    return {arrays(), static_cast<std::uint32_t>(arrays_), static_cast<std::uint32_t>(ranks_), first, first + ranks_ + 1, bytes};
  }

 private:
  static constexpr std::size_t array_words = sizeof(TravellingArray) / sizeof(std::uint64_t);
  std::size_t arrays_, ranks_;
  Scratch<Space, std::uint64_t> words_;
};

}  // namespace grove
