#include "kernels/particles/host_columns.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/space/rounded_up.hpp"

namespace grove {

namespace {

// On a GPU, large enough for copies at full speed; on the CPU, small enough that a piece stays in the cache while it is divided.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::size_t piece_turns = 2;
constexpr std::size_t column_alignment = 64;

std::size_t aligned(std::size_t bytes) { return rounded_up(bytes, column_alignment); }

/// Copies a field from the items of its array. Lengths are in words of the size of its elements.
template <class Word>
struct TakeRows {
  const Word* items;  // the first element of the field in the first item
  Word* rows;
  std::size_t item_words, row_words;
  GROVE_HD void operator()(std::size_t i) const {
    for (std::size_t c = 0; c < row_words; ++c) rows[i * row_words + c] = items[i * item_words + c];
  }
};

template <class Space>
void take_field(Space& space, const ParticleField& field, const std::byte* items, std::size_t item_bytes, std::size_t count,
                std::byte* to) {
  const auto take = [&]<class Word>(Word) {
    const auto* const from = reinterpret_cast<const Word*>(items) + field.at;
    space.for_each(count, TakeRows<Word>{from, reinterpret_cast<Word*>(to), item_bytes / sizeof(Word), field.components});
  };
  switch (size_of(field.type)) {
    case 1:
      return take(std::uint8_t{});
    case 2:
      return take(std::uint16_t{});
    case 4:
      return take(std::uint32_t{});
    default:
      return take(std::uint64_t{});
  }
}

}  // namespace

template <class Space>
ColumnReader<Space>::ColumnReader(Space& space, const FieldTablePtr& table, ItemOrder<Space>& order)
    : space_(space), table_(table), order_(order), rows_(space, Space::on_gpu ? piece_turns * piece_bytes : 0) {}

template <class Space>
void ColumnReader<Space>::read(const std::vector<FieldTarget>& targets) {
  std::vector<std::size_t> arrays;
  std::vector<std::vector<FieldTarget>> targets_of;
  for (std::size_t number = 0; number < table_->arrays().size(); ++number) {
    std::vector<FieldTarget> here;
    for (const FieldTarget& target : targets)
      if (table_->array_of(target.field->array.empty() ? target.field->name : target.field->array) == number) here.push_back(target);
    if (here.empty()) continue;
    arrays.push_back(number);
    targets_of.push_back(std::move(here));
  }
  std::vector<const std::byte*> items(arrays.size());
  for (std::size_t piece = 0; piece < order_.piece_count(); ++piece) {
    const auto [first, count] = order_.bring(piece, arrays, items);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      take_fields({items[i], table_->arrays()[arrays[i]].item_bytes, first, count}, targets_of[i]);
  }
}

template <class Space>
void ColumnReader<Space>::take_fields(const Items& items, const std::vector<FieldTarget>& targets) {
  const std::size_t longest = piece_bytes / items.item_bytes / column_alignment * column_alignment;
  for (std::size_t begin = 0; begin < items.count; begin += longest) {
    const std::size_t count = std::min(longest, items.count - begin);
    for (const FieldTarget& target : targets) {
      const std::size_t row = target.field->row_bytes();
      std::byte* const to = target.to + (items.first + begin) * row;
      std::byte* rows = to;
      if constexpr (Space::on_gpu) rows = rows_.data() + piece_count_++ % piece_turns * piece_bytes;
      take_field<Space>(space_, *target.field, items.data + begin * items.item_bytes, items.item_bytes, count, rows);
      if constexpr (Space::on_gpu) send_piece(rows, to, count * row);
    }
  }
}

template <class Space>
void ColumnReader<Space>::send_piece(const std::byte* piece, std::byte* to, std::size_t bytes) {
  // Work after this piece waits for the copy of the last piece, whose memory it overwrites.
  space_.order_after_copies();
  space_.order_copies_after_work();
  space_.copy_to_host_async(to, piece, bytes);
}

template <class Space>
void ColumnReader<Space>::wait() {
  space_.wait_for_copies();
}

template <class Space>
std::size_t HostCopy<Space>::bytes_of(std::size_t count, const Fields& fields) {
  std::size_t bytes = 0;
  for (const ParticleField* field : fields) bytes += aligned(count * field->row_bytes());
  return bytes;
}

template <class Space>
void HostCopy<Space>::reserve(std::size_t bytes) {
  if (bytes <= capacity()) return;
  release();
  memory_.resize_discard(bytes);
}

template <class Space>
void HostCopy<Space>::release() {
  count_ = 0;
  columns_.clear();
  memory_.release();
}

template <class Space>
void HostCopy<Space>::take(const Fields& fields, ItemOrder<Space>& order) {
  if (bytes_of(order.size(), fields) > capacity()) throw std::logic_error("the copy of the particles has no room");
  count_ = order.size();
  columns_.clear();
  std::byte* to = memory_.data();
  for (const ParticleField* field : fields) {
    columns_.push_back({field, to});
    to += aligned(count_ * field->row_bytes());
  }
  ColumnReader<Space> reader(space_, table_, order);
  reader.read(columns_);
  reader.wait();
}

template <class Space>
const FieldTarget* HostCopy<Space>::find(const ParticleField& field) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const FieldTarget& column) { return column.field == &field; });
  return found == columns_.end() ? nullptr : &*found;
}

template <class Space>
std::span<const std::byte> HostCopy<Space>::values(const ParticleField& field) {
  const FieldTarget* const column = find(field);
  if (!column) throw std::logic_error("the copy of the particles is without " + field.name);
  return {column->to, count_ * field.row_bytes()};
}

template <class Space>
std::span<const std::byte> ColumnsOnDemand<Space>::values(const ParticleField& field) {
  const std::size_t bytes = count_ * field.row_bytes(), lines = aligned(bytes) / sizeof(Line);
  if (present_ != &field) {
    present_ = nullptr;
    if (lines > capacity_) {
      capacity_ = 0;
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<Line[]>(lines);
      capacity_ = lines;
    }
    // Also without particles: other ranks may wait for this one.
    reader_.read({{&field, lines > 0 ? memory_[0].bytes : nullptr}});
    reader_.wait();
    present_ = &field;
  }
  return {lines > 0 ? memory_[0].bytes : nullptr, bytes};
}

template class ColumnReader<BackEnd>;
template class HostCopy<BackEnd>;
template class ColumnsOnDemand<BackEnd>;

}  // namespace grove
