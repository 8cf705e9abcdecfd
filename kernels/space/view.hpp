// Borrowed memory: a pointer and a length. Kernels take Views, Buffers own memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/space/host_device.hpp"

namespace grove {

/// The order that a sort may expect. The result is always correct, but a sort of keys that are not nearly sorted as expected is slow.
enum class KeyOrder { any, nearly_sorted };

/// `size` items at `data`, on the host or the device; does not own them.
template <class T>
struct View {
  T* data = nullptr;
  std::size_t size = 0;

  View() = default;
  GROVE_HD View(T* first, std::size_t count) : data(first), size(count) {}
  /// A view of mutable items converts to a view of constant items.
  template <class U>
  requires std::is_same_v<const U, T> GROVE_HD View(const View<U>& other) : data(other.data), size(other.size) {}

  GROVE_HD T& operator[](std::size_t i) const { return data[i]; }
  GROVE_HD bool empty() const { return size == 0; }
  /// The `count` items from `first` on, which must exist.
  GROVE_HD View part(std::size_t first, std::size_t count) const { return {data + first, count}; }
};

}  // namespace grove
