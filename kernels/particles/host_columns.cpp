#include "kernels/particles/host_columns.hpp"

#include <algorithm>
#include <stdexcept>

namespace grove {

namespace {

// Long enough that the copies run at full speed.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::size_t piece_turns = 2;
constexpr std::size_t column_alignment = 64;
constexpr int id_bits = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + column_alignment - 1) / column_alignment * column_alignment; }

struct Iota {
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::uint32_t>(i); }
};

/// Takes a field out of the items of its array. Lengths are in words of the size of the field's elements.
template <class Word>
struct GatherRows {
  const Word* items;           // from the field's first element in the first item on
  const std::uint32_t* order;  // null: as they are
  Word* rows;
  std::size_t item_words, row_words, first;
  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t from = (order ? order[first + i] : first + i) * item_words;
    for (std::size_t c = 0; c < row_words; ++c) rows[i * row_words + c] = items[from + c];
  }
};

/// The particles [first, first + count) of the new order.
struct Stretch {
  const std::uint32_t* order;
  std::size_t first, count;
};

template <class Word, class Space>
void gather_words(Space& space, const ParticleField& field, const ParticleArray<Space>& array, const Stretch& stretch, std::byte* to) {
  const auto* const items = reinterpret_cast<const Word*>(array.data()) + field.at;
  space.for_each(stretch.count, GatherRows<Word>{items, stretch.order, reinterpret_cast<Word*>(to), array.item_bytes() / sizeof(Word),
                                                 field.components, stretch.first});
}

template <class Space>
void gather_field(Space& space, const ParticleField& field, const ParticleArray<Space>& array, const Stretch& stretch, std::byte* to) {
  switch (size_of(field.type)) {
    case 1:
      return gather_words<std::uint8_t>(space, field, array, stretch, to);
    case 2:
      return gather_words<std::uint16_t>(space, field, array, stretch, to);
    case 4:
      return gather_words<std::uint32_t>(space, field, array, stretch, to);
    default:
      return gather_words<std::uint64_t>(space, field, array, stretch, to);
  }
}

/// The memory of the last step is free for the arena's next user.
template <class Space>
Space& without_step_memory(Space& space) {
  space.arena().begin_step();
  return space;
}

}  // namespace

template <class Space>
ColumnReader<Space>::ColumnReader(Space& space, const Particles<Space>& particles, ParticleOrder order)
    : space_(without_step_memory(space)),
      particles_(particles),
      order_(space, order == ParticleOrder::by_id ? particles.size() : 0),
      pieces_(space, Space::on_gpu ? piece_turns * piece_bytes : 0) {
  if (order != ParticleOrder::by_id) return;
  const std::size_t n = particles.size();
  Scratch<Space, std::uint64_t> ids(space, n);
  space.copy(ids.data(), particles.id.data(), n * sizeof(std::uint64_t));
  space.for_each(n, Iota{order_.data()});
  space.sort_pairs(ids, order_, id_bits);
}

template <class Space>
void ColumnReader<Space>::read(const ParticleField& field, std::byte* to) {
  const std::string& name = field.array.empty() ? field.name : field.array;
  const ParticleArray<Space>& array = particles_.array(particles_.table()->array_of(name));
  const std::size_t n = particles_.size(), row = field.row_bytes();
  if constexpr (Space::on_gpu) {
    const std::size_t longest = piece_bytes / row;
    for (std::size_t first = 0; first < n; first += longest) {
      const std::size_t count = std::min(longest, n - first);
      std::byte* const piece = pieces_.data() + piece_count_++ % piece_turns * piece_bytes;
      gather_field<Space>(space_, field, array, {order_.data(), first, count}, piece);
      // Work that comes after this piece waits for the copy of the piece before it, whose memory it will write to.
      space_.order_after_copies();
      space_.order_copies_after_work();
      space_.copy_to_host_async(to + first * row, piece, count * row);
    }
  } else {
    gather_field<Space>(space_, field, array, {order_.data(), 0, n}, to);
  }
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
  Buffer<typename Space::HostMemory, std::byte> none(space_.host_memory());
  memory_.swap(none);
}

template <class Space>
void HostCopy<Space>::take(const Particles<Space>& particles, const Fields& fields, ParticleOrder order) {
  if (bytes_of(particles.size(), fields) > capacity()) throw std::logic_error("the copy of the particles has no room");
  count_ = particles.size();
  columns_.clear();
  ColumnReader<Space> reader(space_, particles, order);
  std::size_t at = 0;
  for (const ParticleField* field : fields) {
    columns_.push_back({field, at});
    reader.read(*field, memory_.data() + at);
    at += aligned(count_ * field->row_bytes());
  }
  reader.wait();
}

template <class Space>
const typename HostCopy<Space>::Column* HostCopy<Space>::find(const ParticleField& field) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) { return column.field == &field; });
  return found == columns_.end() ? nullptr : &*found;
}

template <class Space>
bool HostCopy<Space>::knows(const ParticleField& field) const {
  return find(field) != nullptr;
}

template <class Space>
std::span<const std::byte> HostCopy<Space>::values(const ParticleField& field) {
  const Column* const column = find(field);
  if (!column) throw std::logic_error("the copy of the particles is without " + field.name);
  return {memory_.data() + column->at, count_ * field.row_bytes()};
}

template <class Space>
std::span<const std::byte> ColumnsOnDemand<Space>::values(const ParticleField& field) {
  const std::size_t bytes = count_ * field.row_bytes();
  if (present_ != &field) {
    present_ = nullptr;
    if (bytes > capacity_) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      capacity_ = bytes;
    }
    reader_.read(field, memory_.get());
    reader_.wait();
    present_ = &field;
  }
  return {memory_.get(), bytes};
}

template class ColumnReader<BackEnd>;
template class HostCopy<BackEnd>;
template class ColumnsOnDemand<BackEnd>;

}  // namespace grove
