// Gathers items of any size by an index: used by the sort and the exchange for every array of the field table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/space/space.hpp"

namespace grove {

/// A copy of items from one array to another.
struct ItemRow {
  const void* from;
  void* to;  ///< must not overlap with `from` of any row of the same call
  std::size_t item_bytes;
};
inline constexpr std::size_t most_rows = 8;  ///< in one call

namespace detail {

template <int count>
struct Words {
  std::uint32_t word[count];
};

template <class T>
GROVE_HD void move_item(const ItemRow& row, std::size_t from, std::size_t to) {
  static_cast<T*>(row.to)[to] = static_cast<const T*>(row.from)[from];
}

GROVE_HD inline void move_bytes(const ItemRow& row, std::size_t from, std::size_t to) {
  for (std::size_t b = 0; b < row.item_bytes; ++b)
    static_cast<std::byte*>(row.to)[to * row.item_bytes + b] = static_cast<const std::byte*>(row.from)[from * row.item_bytes + b];
}

struct MoveItems {
  ItemRow rows[most_rows];
  int count;
  const std::uint32_t* index;  ///< null: item i goes to place i

  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t from = index ? index[i] : i;
    for (int r = 0; r < count; ++r) move(rows[r], from, i);
  }
  GROVE_HD static void move(const ItemRow& row, std::size_t from, std::size_t to) {
    switch (row.item_bytes) {
      case 1:
        return move_item<std::uint8_t>(row, from, to);
      case 2:
        return move_item<std::uint16_t>(row, from, to);
      case 4:
        return move_item<std::uint32_t>(row, from, to);
      case 8:
        return move_item<std::uint64_t>(row, from, to);
      case 12:
        return move_item<Words<3>>(row, from, to);
      case 16:
        return move_item<Float4>(row, from, to);
      case 24:
        return move_item<Double3>(row, from, to);
      case 32:
        return move_item<Double4>(row, from, to);
      default:
        return move_bytes(row, from, to);
    }
  }
};

}  // namespace detail

/// For each of at most most_rows rows, copies item index[i] to place i for all i < n; with a null index, item i. All memory is of the space
/// and aligned like the items. Asynchronous, in one launch.
template <class Space>
void gather_rows(Space& space, std::size_t n, const std::uint32_t* index, std::span<const ItemRow> rows) {
  detail::MoveItems move{{}, static_cast<int>(rows.size()), index};
  std::copy(rows.begin(), rows.end(), move.rows);
  if (!rows.empty()) space.for_each(n, move);
}

/// Copies item index[i] of `from` to place i of `to`. Both are memory of the space, aligned like its blocks, and do not overlap.
/// Asynchronous.
template <class Space>
void gather_items(Space& space, View<const std::uint32_t> index, std::size_t item_bytes, const void* from, void* to) {
  const ItemRow row{from, to, item_bytes};
  gather_rows(space, index.size, index.data, {&row, 1});
}

}  // namespace grove
