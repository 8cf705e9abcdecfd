#include "kernels/particles/particle_sort.hpp"

#include <cmath>

#include "kernels/particles/gather_items.hpp"

namespace grove {

namespace {

struct Iota {
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::uint32_t>(i); }
};

/// Computes the input of a sort. `has_classes`: the rule has several classes. Without this parameter, a GPU would copy their table for each
/// particle.
template <bool has_classes>
struct PrepareSort {
  ParticleKeys keys;
  const Double4* acceleration;
  const std::uint8_t* type;
  ClassOfType class_of_type;
  AccelerationMeasure measure;
  std::uint64_t* key;
  std::uint32_t* order;
  float* magnitude;
  GROVE_HD void operator()(std::size_t i) const {
    const std::uint64_t without_class = keys(i);
    if constexpr (has_classes)
      key[i] = key_in_class(without_class, class_of_type.of[type[i]]);
    else
      key[i] = without_class;
    order[i] = static_cast<std::uint32_t>(i);
    magnitude[i] = measure(acceleration[i]);
  }
};

/// Sorts arrays by an order, as many at a time as one launch can.
template <class Space>
class ArraySort {
 public:
  ArraySort(Space& space, View<const std::uint32_t> order) : space_(space), order_(order) {}

  /// Memory for sort_by_spare(); nothing else may use it from the next launch on.
  void use(void* spare, std::size_t bytes) {
    spare_ = static_cast<std::byte*>(spare);
    spare_bytes_ = bytes;
  }
  /// Sorts the items of `from` into `to`, which must not overlap with any array that waits for finish().
  void sort(const void* from, void* to, std::size_t item_bytes) {
    if (there_count_ == most_rows) finish();
    there_[there_count_++] = {from, to, item_bytes};
  }
  /// The same through the spare memory: `to` may be `from`, or any other array that waits.
  void sort_by_spare(const void* from, void* to, std::size_t item_bytes) {
    const std::size_t bytes = order_.size * item_bytes;
    if (bytes > spare_bytes_) return sort_by_scratch(from, to, item_bytes);
    if (there_count_ == most_rows || aligned(used_, item_bytes) + bytes > spare_bytes_) finish();
    std::byte* const place = spare_ + aligned(used_, item_bytes);
    sort(from, place, item_bytes);
    back_[back_count_++] = {place, to, item_bytes};
    used_ = aligned(used_, item_bytes) + bytes;
  }
  void finish() {
    gather_rows(space_, order_.size, order_.data, std::span<const ItemRow>(there_, there_count_));
    gather_rows(space_, order_.size, nullptr, std::span<const ItemRow>(back_, back_count_));
    there_count_ = back_count_ = used_ = 0;
  }

 private:
  /// The first offset from `used` on at which items of this size may begin.
  static std::size_t aligned(std::size_t used, std::size_t item_bytes) {
    const std::size_t alignment = item_bytes & (~item_bytes + 1);
    return (used + alignment - 1) / alignment * alignment;
  }
  void sort_by_scratch(const void* from, void* to, std::size_t item_bytes) {
    finish();
    Scratch<Space, std::byte> sorted(space_, order_.size * item_bytes);
    gather_items<Space>(space_, order_, item_bytes, from, sorted.data());
    space_.copy(to, sorted.data(), order_.size * item_bytes);
  }

  Space& space_;
  View<const std::uint32_t> order_;
  std::byte* spare_ = nullptr;
  std::size_t spare_bytes_ = 0, used_ = 0, there_count_ = 0, back_count_ = 0;
  ItemRow there_[most_rows], back_[most_rows];
};

}  // namespace

template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order, int bits) {
  space.for_each(keys.size, Iota{order.data});
  space.sort_pairs(keys, order, bits);
}

template <class Space>
SortInput<Space>::SortInput(Space& space, const Particles<Space>& particles, const KeyRule& rule, const AccelerationMeasure& measure,
                            View<std::uint64_t> keys_to_set)
    : keys(keys_to_set),
      magnitude(space, particles.size()),
      order(space, particles.size()),
      key_order(particles.has_acceleration ? KeyOrder::nearly_sorted : KeyOrder::any) {
  const auto prepare = [&]<bool has_classes>(std::bool_constant<has_classes>) {
    space.for_each(particles.size(),
                   PrepareSort<has_classes>{keys_of(particles, rule.cube, rule.lead), particles.acceleration.data(), particles.type.data(),
                                            rule.class_of_type, measure, keys.data, order.data(), magnitude.data()});
  };
  rule.class_count > 1 ? prepare(std::true_type{}) : prepare(std::false_type{});
}

template <class Space>
View<const float> sort_particles(Space& space, const SortInput<Space>& input, Particles<Space>& particles, std::size_t most_scratch) {
  space.sort_pairs(input.keys, input.order, key_bits, input.key_order);

  // Positions are sorted into the memory of the accelerations, and the two arrays swap their memory. All other arrays are sorted through
  // scratch, together with the positions, or, to save memory, after them through the old memory of the positions.
  const FieldTable& table = *particles.table();
  const std::size_t n = particles.size(), scratch_bytes = scratch_to_sort_at_once(table, n);
  const bool at_once = scratch_bytes <= most_scratch;
  Scratch<Space, std::byte> scratch(space, at_once ? scratch_bytes : 0);
  ParticleArray<Space>&position = particles.array(position_array), &acceleration = particles.array(acceleration_array);
  ArraySort<Space> arrays(space, input.order);
  arrays.sort(position.data(), acceleration.data(), position.item_bytes());
  position.swap(acceleration);
  if (at_once) {
    arrays.use(scratch.data(), scratch_bytes);
  } else {
    arrays.finish();
    arrays.use(acceleration.data(), n * acceleration.item_bytes());
  }
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    ParticleArray<Space>& array = particles.array(a);
    if (is_sorted_through_scratch(table, a)) arrays.sort_by_spare(array.data(), array.data(), array.item_bytes());
  }
  if (at_once) {
    arrays.sort_by_spare(input.magnitude.data(), acceleration.data(), sizeof(float));
  } else {
    arrays.finish();
    arrays.sort(input.magnitude.data(), acceleration.data(), sizeof(float));
  }
  arrays.finish();
  return {reinterpret_cast<const float*>(acceleration.data()), n};
}

template void sort_keys(BackEnd&, View<std::uint64_t>, View<std::uint32_t>, int);
template struct SortInput<BackEnd>;
template View<const float> sort_particles(BackEnd&, const SortInput<BackEnd>&, Particles<BackEnd>&, std::size_t);

}  // namespace grove
