// Who owns memory: Buffer for what lives on, Scratch for what lives inside one call. Both are move-only and belong to a space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/view.hpp"

namespace grove {

/// Owned memory of a space (host or device) that grows by half when it must, so that steps of a run stop allocating after the first few.
/// Contents are raw: no constructors run. The space must outlive the buffer.
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

  /// Sets the length; contents are undefined if memory had to grow. Throws SystemError when memory is short.
  void resize_discard(std::size_t n) {
    if (n > capacity_) {
      const std::size_t wanted = std::max(n, capacity_ + capacity_ / 2);
      space_->deallocate(std::exchange(data_, nullptr), std::exchange(capacity_, 0) * sizeof(T));
      data_ = static_cast<T*>(space_->allocate(wanted * sizeof(T)));
      capacity_ = wanted;
    }
    size_ = n;
  }

  /// Sets the length and keeps the first min(old, new) items. Ordered on the space's stream.
  void resize_keep(std::size_t n) {
    if (n > capacity_) {
      Buffer grown(*space_);
      grown.resize_discard(std::max(n, capacity_ + capacity_ / 2));
      space_->copy(grown.data_, data_, size_ * sizeof(T));
      space_->synchronize();
      swap(grown);
    }
    size_ = n;
  }

 private:
  Space* space_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// The scratch memory of a space: a stack of bytes that grows and is used again. Taken and released last in, first out, on one stream,
/// so that memory released by the host may be taken again at once: work enqueued later runs later.
template <class Space>
class Arena {
 public:
  explicit Arena(Space& space) : space_(&space) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (const Block& block : blocks_) space_->deallocate(block.data, block.size);
  }

  void* take(std::size_t bytes) {
    const std::size_t rounded = round_up(bytes);
    if (blocks_.empty() || blocks_.back().used + rounded > blocks_.back().size) grow(rounded);
    Block& block = blocks_.back();
    void* const data = block.data + block.used;
    block.used += rounded;
    peak_ = std::max(peak_, in_use_ += rounded);
    return data;
  }

  /// Releases what was taken last; `data` is what take() returned for it.
  void release(void* data, std::size_t bytes) {
    while (blocks_.back().used == 0) drop_last();
    blocks_.back().used = static_cast<std::size_t>(static_cast<std::byte*>(data) - blocks_.back().data);
    in_use_ -= round_up(bytes);
    if (in_use_ == 0 && blocks_.back().size < peak_) merge_blocks();
  }

  std::size_t bytes_held() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.size;
    return sum;
  }

 private:
  static constexpr std::size_t alignment = 256;
  struct Block {
    std::byte* data;
    std::size_t size;
    std::size_t used;
  };

  static std::size_t round_up(std::size_t bytes) { return std::max((bytes + alignment - 1) / alignment, std::size_t{1}) * alignment; }

  void grow(std::size_t bytes) {
    while (!blocks_.empty() && blocks_.back().used == 0) drop_last();
    const std::size_t wanted = std::max(bytes, std::size_t{1} << 20);
    blocks_.push_back({static_cast<std::byte*>(space_->allocate(wanted)), wanted, 0});
  }
  /// With nothing in use, puts one block in the place of several, large enough for the largest use so far: later steps allocate nothing.
  void merge_blocks() {
    while (!blocks_.empty()) drop_last();
    grow(peak_ + peak_ / 4);
  }
  void drop_last() {
    space_->deallocate(blocks_.back().data, blocks_.back().size);
    blocks_.pop_back();
  }

  Space* space_;
  std::vector<Block> blocks_;
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
};

/// Uninitialised memory for the length of a scope, from the arena of `space`.
template <class Space, class T>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Scratch(Space& space, std::size_t n) : space_(&space), view_{static_cast<T*>(space.arena().take(n * sizeof(T))), n} {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { space_->arena().release(view_.data, view_.size * sizeof(T)); }

  View<T> view() const { return view_; }
  T* data() const { return view_.data; }
  operator View<T>() const { return view_; }
  operator View<const T>() const { return view_; }

 private:
  Space* space_;
  View<T> view_;
};

/// Copies between the host and a space. Synchronous: host memory may be used or re-used on return.
template <class Space, class T>
void copy_to_host(Space& space, View<const T> from, std::span<T> to) {
  space.copy_to_host(to.data(), from.data, to.size_bytes());
}
template <class Space, class T>
void copy_from_host(Space& space, std::span<const T> from, View<T> to) {
  space.copy_from_host(to.data, from.data(), from.size_bytes());
}

}  // namespace grove
