// Reused memory: StepBuffer within a step, Scratch within one call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/space/rounded_up.hpp"
#include "kernels/space/view.hpp"

namespace grove {

/// Memory that is not kept beyond a step: one block of bytes of a space, used from both ends and reused.
///
/// The low end is memory of the step (StepBuffer): taken piece by piece and released together by begin_step(). The high end is scratch
/// (Scratch): released last in, first out. All of it is used on one stream, so that released memory can be taken at once: work enqueued
/// later runs later.
///
/// When the two ends meet, further requests get separate blocks. The first request of the next step replaces all blocks by one that is
/// large enough for the largest use so far: later steps allocate nothing. If begin_step() is never called, any request does so while
/// nothing is in use.
template <class Space>
class Arena {
 public:
  explicit Arena(Space& space) : space_(&space) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { free_all(); }

  /// Takes scratch; null for 0 bytes. Throws SystemError when memory is short, like all functions here that take memory.
  void* take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::size_t rounded = round_up(bytes);
    if (may_merge()) merge_blocks();
    std::byte* data = nullptr;
    if (fits(rounded)) {
      high_ += rounded;
      data = shared_.data + shared_.size - high_;
    } else {
      data = take_from(scratch_blocks_, rounded);
    }
    scratch_in_use_ += rounded;
    note_use();
    return data;
  }

  /// Releases the scratch that was taken last; `data` is from take().
  void release(void* data, std::size_t bytes) {
    if (bytes == 0) return;
    auto* const at = static_cast<std::byte*>(data);
    const std::size_t rounded = round_up(bytes);
    if (shared_.data <= at && at < shared_.data + shared_.size) {
      high_ = static_cast<std::size_t>(shared_.data + shared_.size - at) - rounded;
    } else {
      drop_idle_scratch();
      scratch_blocks_.back().used = static_cast<std::size_t>(at - scratch_blocks_.back().data);
      if (scratch_blocks_.back().size > largest_idle_block) drop_idle_scratch();
    }
    scratch_in_use_ -= rounded;
  }

  /// Takes memory for the present step.
  void* take_for_step(std::size_t bytes) {
    const std::size_t rounded = round_up(bytes);
    if (may_merge()) merge_blocks();
    std::byte* data = nullptr;
    if (fits(rounded)) {
      data = shared_.data + shared_.used;
      shared_.used += rounded;
    } else {
      data = take_from(step_blocks_, rounded);
    }
    step_in_use_ += rounded;
    note_use();
    return data;
  }

  /// Releases all memory of the last step.
  void begin_step() {
    ++step_;
    step_begins_ = true;
    for (const Block& block : step_blocks_) space_->deallocate(block.data, block.size);
    step_blocks_.clear();
    shared_.used = 0;
    step_in_use_ = 0;
  }
  /// The largest use so far was exceptional: later steps are expected to need less.
  void forget_largest_use() {
    peak_ = 0;
    forgets_ = true;
  }
  /// Number of the present step. Memory of other steps is invalid.
  std::uint64_t step() const { return step_; }

  std::size_t bytes_held() const {
    std::size_t sum = shared_.size;
    for (const auto* blocks : {&step_blocks_, &scratch_blocks_})
      for (const Block& block : *blocks) sum += block.size;
    return sum;
  }

 private:
  static constexpr std::uint64_t first_step = 1;  ///< step() keeps this value if begin_step() is never called
  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t smallest_block = std::size_t{1} << 20;
  /// Larger blocks of scratch are freed as soon as they are idle.
  static constexpr std::size_t largest_idle_block = std::size_t{1} << 26;
  struct Block {
    std::byte* data = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
  };

  static std::size_t round_up(std::size_t bytes) { return std::max(rounded_up(bytes, alignment), alignment); }

  bool fits(std::size_t rounded) const { return shared_.used + high_ + rounded <= shared_.size; }
  void note_use() {
    peak_ = std::max(peak_, step_in_use_ + scratch_in_use_);
    step_begins_ = false;
  }

  /// Takes bytes from the last of `blocks`, or from a new one.
  std::byte* take_from(std::vector<Block>& blocks, std::size_t rounded) {
    if (blocks.empty() || blocks.back().used + rounded > blocks.back().size) {
      drop_idle_scratch();
      blocks.push_back(new_block(std::max(rounded, smallest_block)));
    }
    Block& block = blocks.back();
    std::byte* const data = block.data + block.used;
    block.used += rounded;
    return data;
  }
  Block new_block(std::size_t bytes) { return {static_cast<std::byte*>(space_->allocate(bytes)), bytes, 0}; }

  void drop_idle_scratch() {
    while (!scratch_blocks_.empty() && scratch_blocks_.back().used == 0) {
      space_->deallocate(scratch_blocks_.back().data, scratch_blocks_.back().size);
      scratch_blocks_.pop_back();
    }
  }
  void free_all() {
    for (auto* blocks : {&step_blocks_, &scratch_blocks_}) {
      for (const Block& block : *blocks) space_->deallocate(block.data, block.size);
      blocks->clear();
    }
    space_->deallocate(shared_.data, shared_.size);
    shared_ = {};
  }
  /// Whether one larger block may replace all blocks: nothing is in use, the largest use did not fit into the shared block, and no step is
  /// in progress, which would take more memory.
  bool may_merge() const {
    return step_in_use_ == 0 && scratch_in_use_ == 0 && (peak_ > shared_.size || forgets_) && (step_begins_ || step_ == first_step);
  }
  /// Replaces all blocks by one, a little larger than the largest use: trees differ from step to step.
  void merge_blocks() {
    free_all();
    forgets_ = false;
    if (peak_ == 0) return;
    shared_ = new_block(std::max(round_up(peak_ + peak_ / 64), smallest_block));
  }

  Space* space_;
  Block shared_;                       ///< `used` at the low end
  std::size_t high_ = 0;               ///< bytes used at the high end of `shared_`
  std::vector<Block> step_blocks_;     ///< memory of the step that did not fit into shared_
  std::vector<Block> scratch_blocks_;  ///< scratch that did not fit into shared_
  std::size_t step_in_use_ = 0, scratch_in_use_ = 0;
  std::size_t peak_ = 0;  ///< largest use of both together
  bool forgets_ = false;  ///< the blocks are to be freed
  std::uint64_t step_ = first_step;
  bool step_begins_ = true;  ///< nothing has been taken in this step
};

/// Memory of a space that is valid until the next Arena::begin_step(), such as the tree of a force evaluation. Contents are raw. Within a
/// step memory is reused up to the capacity; a larger size takes new memory and leaves the old memory unused for the rest of the step. The
/// space must outlive the buffer.
template <class Space, class T>
class StepBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit StepBuffer(Space& space) : space_(&space) {}
  StepBuffer(const StepBuffer&) = delete;
  StepBuffer& operator=(const StepBuffer&) = delete;

  /// 0 until the first resize_discard() of the step, like bytes().
  std::size_t size() const { return is_of_this_step() ? size_ : 0; }
  std::size_t bytes() const { return is_of_this_step() ? capacity_ * sizeof(T) : 0; }
  /// Throws std::logic_error if the memory is of an earlier step.
  T* data() const {
    if (is_of_this_step()) return data_;
    if (size_ > 0) throw std::logic_error("memory of a step is used in a later one");
    return nullptr;
  }
  View<T> view() const { return {data(), size()}; }

  /// Sets the length; contents are undefined if it grows. Throws SystemError when memory is short.
  void resize_discard(std::size_t n) {
    Arena<Space>& arena = space_->arena();
    if (!is_of_this_step()) {
      data_ = nullptr;
      size_ = capacity_ = 0;
    }
    if (n > capacity_) {
      data_ = static_cast<T*>(arena.take_for_step(n * sizeof(T)));
      capacity_ = n;
    }
    step_ = arena.step();
    size_ = n;
  }

  /// Sets the length, with room for `room` more items if memory has to be taken. Contents are undefined.
  void resize_with_room(std::size_t n, std::size_t room) {
    resize_discard(is_of_this_step() && n <= capacity_ ? n : n + room);
    size_ = n;
  }

  /// Sets the length and keeps the first min(old, new) items. Ordered on the space's stream.
  void resize_keep(std::size_t n) {
    const std::size_t kept = size();
    T* const old = kept > 0 ? data() : nullptr;
    resize_discard(n);
    if (old != data_ && kept > 0) space_->copy(data_, old, std::min(kept, n) * sizeof(T));
  }

 private:
  bool is_of_this_step() const { return step_ == space_->arena().step(); }

  Space* space_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::uint64_t step_ = 0;  ///< step of `data_`; Arena counts from 1
};

/// Uninitialised memory within a scope, from the arena of `space`.
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

}  // namespace grove
