// Source cells that a walk has yet to test, taken a SIMD vector at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/space/float_vector.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Calls `use(l)` for each bit l that is set in `bits`.
template <class Use>
void for_each_bit(std::uint32_t bits, Use use) {
  for (; bits != 0; bits &= bits - 1) use(std::countr_zero(bits));
}

/// Up to FloatVector::width cells. In a set of bits, bit l stands for lane l.
struct CellBatch {
  std::uint32_t filled = 0;                ///< lanes with a cell; the other lanes repeat one of these
  std::uint32_t marked = 0;                ///< lanes whose cell is marked
  std::uint32_t cell[FloatVector::width];  ///< number in the source tree

  /// The lanes among `lanes` for which `holds(links)` is true.
  template <class Holds>
  std::uint32_t where(std::uint32_t lanes, const CellLinks* links, Holds holds) const {
    std::uint32_t bits = 0;
    for_each_bit(lanes, [&](int l) { bits |= (holds(links[cell[l]]) ? 1U : 0U) << l; });
    return bits;
  }
};

/// A first-in, first-out queue, so that nearly all batches are full. A cell can be marked: the mark is the highest bit of its number.
class CellQueue {
 public:
  static constexpr std::uint32_t mark = 1U << 31;

  explicit CellQueue(const TreeView& tree) : tree_(tree) {}

  /// Empties the queue and puts in the roots, or the given cells.
  void start_with_roots() {
    begin_ = end_ = 0;
    reserve(tree_.root_count);
    for (std::uint32_t i = 0; i < tree_.root_count; ++i) entries_[end_++] = tree_.root(i);
  }
  void start_with(std::span<const std::uint32_t> cells) {
    begin_ = end_ = 0;
    reserve(cells.size());
    std::copy(cells.begin(), cells.end(), entries_.begin());
    end_ = cells.size();
  }

  bool is_empty() const { return begin_ == end_; }

  /// Takes the next cells. The queue must not be empty.
  CellBatch take() {
    constexpr std::size_t width = FloatVector::width;
    CellBatch batch;
    const std::size_t count = std::min(width, end_ - begin_);
    for (std::size_t l = 0; l < width; ++l) {
      const std::uint32_t entry = entries_[begin_ + (l < count ? l : 0)];
      batch.cell[l] = entry & ~mark;
      batch.marked |= entry / mark << l;
    }
    batch.filled = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
    begin_ += count;
    return batch;
  }

  /// Appends the children of the cells in the lanes `opened`. Children from the lanes `marked` are marked.
  void add_children(const CellBatch& batch, std::uint32_t opened, std::uint32_t marked) {
    // Always writes eight, of which only the existing children count: the processor cannot predict the number of children.
    constexpr std::uint32_t at_once = 8;
    for_each_bit(opened, [&](int l) {
      const CellLinks& links = tree_.links[batch.cell[l]];
      const std::uint32_t first = links.first_child | ((marked >> l & 1U) != 0 ? mark : 0);
      for (std::uint32_t k = 0; k < at_once; ++k) __builtin_prefetch(tree_.geometry + links.first_child + k);
      reserve(links.child_count + at_once);
      for (std::uint32_t k = 0; k < links.child_count; k += at_once)
        for (std::uint32_t j = k; j < k + at_once; ++j) entries_[end_ + j] = first + j;
      end_ += links.child_count;
    });
  }

 private:
  /// Makes room for `more` further entries.
  void reserve(std::size_t more) {
    if (end_ + more > entries_.size()) entries_.resize(2 * (end_ + more));
  }

  const TreeView& tree_;
  std::vector<std::uint32_t> entries_;
  std::size_t begin_ = 0, end_ = 0;  ///< of the waiting entries
};

}  // namespace grove
