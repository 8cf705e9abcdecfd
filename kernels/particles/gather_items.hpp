// Copies of items of any size from places given by an index: what the sort and the exchange do with every array of the table of fields.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/space/space.hpp"

namespace grove {

namespace detail {

template <int count>
struct Words {
  std::uint32_t word[count];
};

template <class T>
struct Gather {
  const T* from;
  const std::uint32_t* index;
  T* to;
  GROVE_HD void operator()(std::size_t i) const { to[i] = from[index[i]]; }
};

struct GatherBytes {
  const std::byte* from;
  const std::uint32_t* index;
  std::byte* to;
  std::size_t item_bytes;
  GROVE_HD void operator()(std::size_t i) const {
    for (std::size_t b = 0; b < item_bytes; ++b) to[i * item_bytes + b] = from[index[i] * item_bytes + b];
  }
};

template <class T, class Space>
void gather_as(Space& space, View<const std::uint32_t> index, const void* from, void* to) {
  space.for_each(index.size, Gather<T>{static_cast<const T*>(from), index.data, static_cast<T*>(to)});
}

}  // namespace detail

/// Puts item index[i] of `from` at place i of `to`; both are memory of the space, aligned as its blocks are, and do not overlap.
/// Asynchronous.
template <class Space>
void gather_items(Space& space, View<const std::uint32_t> index, std::size_t item_bytes, const void* from, void* to) {
  switch (item_bytes) {
    case 1:
      return detail::gather_as<std::uint8_t>(space, index, from, to);
    case 2:
      return detail::gather_as<std::uint16_t>(space, index, from, to);
    case 4:
      return detail::gather_as<std::uint32_t>(space, index, from, to);
    case 8:
      return detail::gather_as<std::uint64_t>(space, index, from, to);
    case 12:
      return detail::gather_as<detail::Words<3>>(space, index, from, to);
    case 16:
      return detail::gather_as<Float4>(space, index, from, to);
    case 24:
      return detail::gather_as<Double3>(space, index, from, to);
    case 32:
      return detail::gather_as<Double4>(space, index, from, to);
    default:
      space.for_each(index.size,
                     detail::GatherBytes{static_cast<const std::byte*>(from), index.data, static_cast<std::byte*>(to), item_bytes});
  }
}

}  // namespace grove
