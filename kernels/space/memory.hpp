// Types that own memory of a space: Buffer for the lifetime of the object, StepBuffer until the next step begins, Scratch within one call.
// The last two use the arena of the space: see arena.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/space/arena.hpp"
#include "kernels/space/view.hpp"

namespace grove {

/// Owned memory of a space (host or device). It grows by at least a sixteenth, so that only the first few steps of a run allocate. Contents
/// are raw: no constructors run. The space must outlive the buffer.
template <class Space, class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Buffer(Space& space) : space_(&space) {}
  Buffer(Buffer&& other) noexcept : space_(other.space_) { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { space_->deallocate(data_, capacity_ * sizeof(T)); }

  void swap(Buffer& other) noexcept {
    std::swap(space_, other.space_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T* data() const { return data_; }
  View<T> view() const { return {data_, size_}; }

  /// Sets the length; contents are undefined if it grows. Throws SystemError when memory is short.
  void resize_discard(std::size_t n) {
    if (n > capacity_) {
      const std::size_t wanted = std::max(n, capacity_ + capacity_ / 16);
      space_->deallocate(std::exchange(data_, nullptr), std::exchange(capacity_, 0) * sizeof(T));
      data_ = static_cast<T*>(space_->allocate(wanted * sizeof(T)));
      capacity_ = wanted;
    }
    size_ = n;
  }

  /// Sets the length and keeps the first min(old, new) items. Ordered on the space's stream.
  void resize_keep(std::size_t n) {
    reserve_keep(n);
    size_ = n;
  }
  /// Frees the memory.
  void release() { *this = Buffer(*space_); }
  /// Makes room for `n` items and keeps the present items. Ordered on the space's stream.
  void reserve_keep(std::size_t n) {
    if (n <= capacity_) return;
    Buffer grown(*space_);
    grown.resize_discard(std::max(n, capacity_ + capacity_ / 16));
    grown.size_ = size_;
    space_->copy(grown.data_, data_, size_ * sizeof(T));
    space_->synchronize();
    swap(grown);
  }

 private:
  Space* space_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Copies between the host and a space. Synchronous.
template <class Space, class T>
void copy_to_host(Space& space, View<const T> from, std::span<T> to) {
  space.copy_to_host(to.data(), from.data, to.size_bytes());
}
template <class Space, class T>
void copy_from_host(Space& space, std::span<const T> from, View<T> to) {
  space.copy_from_host(to.data, from.data(), from.size_bytes());
}

}  // namespace grove
