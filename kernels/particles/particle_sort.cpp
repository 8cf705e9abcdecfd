#include "kernels/particles/particle_sort.hpp"

#include "kernels/particles/gather_items.hpp"
#include "kernels/space/rounded_up.hpp"

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

/// Sorts arrays through spare memory, as many at a time as fit into it and into one launch.
template <class Space>
class ArraySort {
 public:
  ArraySort(Space& space, View<const std::uint32_t> order, View<std::byte> spare) : space_(space), order_(order), spare_(spare) {}

  void sort(ParticleArray<Space>& array) {
    const std::size_t item_bytes = array.item_bytes(), bytes = order_.size * item_bytes;
    if (bytes > spare_.size) return sort_by_scratch(array, bytes);
    if (count_ == most_rows || aligned(used_, item_bytes) + bytes > spare_.size) finish();
    std::byte* const place = spare_.data + aligned(used_, item_bytes);
    there_[count_] = {array.data(), place, item_bytes};
    back_[count_++] = {place, array.data(), item_bytes};
    used_ = aligned(used_, item_bytes) + bytes;
  }
  /// Afterwards all arrays are sorted, and the spare memory is free.
  void finish() {
    gather_rows(space_, order_.size, order_.data, std::span<const ItemRow>(there_, count_));
    gather_rows(space_, order_.size, nullptr, std::span<const ItemRow>(back_, count_));
    count_ = used_ = 0;
  }

 private:
  /// The first offset from `used` on at which items of this size may begin: a multiple of the largest power of two that divides the size.
  static std::size_t aligned(std::size_t used, std::size_t item_bytes) { return rounded_up(used, item_bytes & (~item_bytes + 1)); }
  void sort_by_scratch(ParticleArray<Space>& array, std::size_t bytes) {
    Scratch<Space, std::byte> sorted(space_, bytes);
    gather_items<Space>(space_, order_, array.item_bytes(), array.data(), sorted.data());
    space_.copy(array.data(), sorted.data(), bytes);
  }

  Space& space_;
  View<const std::uint32_t> order_;
  View<std::byte> spare_;
  std::size_t used_ = 0, count_ = 0;
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
View<const float> sort_particles(Space& space, const SortInput<Space>& input, Particles<Space>& particles) {
  space.sort_pairs(input.keys, input.order, key_bits, input.key_order);

  // Positions are sorted into the memory of the accelerations, and the two arrays swap their memory. The other arrays are sorted through
  // the old memory of the positions, which gets the magnitudes at last.
  ParticleArray<Space>&position = particles.array(position_array), &acceleration = particles.array(acceleration_array);
  gather_items<Space>(space, input.order, position.item_bytes(), position.data(), acceleration.data());
  position.swap(acceleration);
  ArraySort<Space> arrays(space, input.order, {acceleration.data(), particles.size() * acceleration.item_bytes()});
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    const FieldArray& described = particles.table()->arrays()[a];
    if (a != position_array && described.travels && !described.is_scratch) arrays.sort(particles.array(a));
  }
  arrays.finish();
  gather_items<Space>(space, input.order, sizeof(float), input.magnitude.data(), acceleration.data());
  return {reinterpret_cast<const float*>(acceleration.data()), particles.size()};
}

template void sort_keys(BackEnd&, View<std::uint64_t>, View<std::uint32_t>, int);
template struct SortInput<BackEnd>;
template View<const float> sort_particles(BackEnd&, const SortInput<BackEnd>&, Particles<BackEnd>&);

}  // namespace grove
