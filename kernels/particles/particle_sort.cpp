#include "kernels/particles/particle_sort.hpp"

#include <cmath>

#include "kernels/particles/gather_items.hpp"

namespace grove {

namespace {

struct KeyOf {
  const Double4* position;
  std::uint64_t* key;
  KeyCube cube;
  GROVE_HD void operator()(std::size_t i) const { key[i] = morton_key(position[i], cube); }
};

struct KeyInClass {
  const Double4* position;
  const std::uint8_t* type;
  ClassOfType class_of_type;
  std::uint64_t* key;
  KeyCube cube;
  GROVE_HD void operator()(std::size_t i) const { key[i] = key_in_class(morton_key(position[i], cube), class_of_type.of[type[i]]); }
};

struct Iota {
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::uint32_t>(i); }
};

/// What the sort of particles starts from: their present order, and the magnitudes of their accelerations.
struct PrepareSort {
  const Double4* acceleration;
  AccelerationMeasure measure;
  std::uint32_t* order;
  float* magnitude;
  GROVE_HD void operator()(std::size_t i) const {
    order[i] = static_cast<std::uint32_t>(i);
    magnitude[i] = measure(acceleration[i]);
  }
};

/// Sorts arrays by way of spare memory, as many at a time as have room there.
template <class Space>
class ArraySort {
 public:
  ArraySort(Space& space, View<const std::uint32_t> order, void* spare, std::size_t spare_bytes)
      : space_(space), order_(order), spare_(static_cast<std::byte*>(spare)), spare_bytes_(spare_bytes) {}

  void add(void* items, std::size_t item_bytes) {
    const std::size_t bytes = order_.size * item_bytes;
    if (bytes > spare_bytes_) return sort_with_more(items, item_bytes);
    if (count_ == most_rows || aligned(used_, item_bytes) + bytes > spare_bytes_) finish();
    std::byte* const place = spare_ + aligned(used_, item_bytes);
    there_[count_] = {items, place, item_bytes};
    back_[count_++] = {place, items, item_bytes};
    used_ = aligned(used_, item_bytes) + bytes;
  }
  void finish() {
    gather_rows(space_, order_.size, order_.data, std::span<const ItemRow>(there_, count_));
    gather_rows(space_, order_.size, nullptr, std::span<const ItemRow>(back_, count_));
    count_ = used_ = 0;
  }

 private:
  /// The first place not before `used` where such items may lie.
  static std::size_t aligned(std::size_t used, std::size_t item_bytes) {
    const std::size_t alignment = item_bytes & (~item_bytes + 1);
    return (used + alignment - 1) / alignment * alignment;
  }
  void sort_with_more(void* items, std::size_t item_bytes) {
    Scratch<Space, std::byte> sorted(space_, order_.size * item_bytes);
    gather_items<Space>(space_, order_, item_bytes, items, sorted.data());
    space_.copy(items, sorted.data(), order_.size * item_bytes);
  }

  Space& space_;
  View<const std::uint32_t> order_;
  std::byte* spare_;
  std::size_t spare_bytes_, used_ = 0, count_ = 0;
  ItemRow there_[most_rows], back_[most_rows];
};

}  // namespace

template <class Space>
void compute_keys(Space& space, View<const Double4> position, const KeyCube& cube, View<std::uint64_t> keys) {
  space.for_each(position.size, KeyOf{position.data, keys.data, cube});
}

template <class Space>
void compute_keys_in_classes(Space& space, const Particles<Space>& particles, const ClassOfType& class_of_type, const KeyCube& cube,
                             View<std::uint64_t> keys) {
  space.for_each(particles.size(), KeyInClass{particles.position.data(), particles.type.data(), class_of_type, keys.data, cube});
}

template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order, int bits) {
  space.for_each(keys.size, Iota{order.data});
  space.sort_pairs(keys, order, bits);
}

template <class Space>
View<const float> sort_particles(Space& space, View<std::uint64_t> keys, const AccelerationMeasure& measure, Particles<Space>& particles) {
  const std::size_t n = particles.size();
  Scratch<Space, float> magnitude(space, n);
  Scratch<Space, std::uint32_t> order(space, n);
  space.for_each(n, PrepareSort{particles.acceleration.data(), measure, order.data(), magnitude.data()});
  space.sort_pairs(keys, order, key_bits);

  // Positions are sorted into the memory of the accelerations, and the two arrays swap their memory. All other fields are then sorted by
  // way of the memory that the positions had.
  ParticleArray<Space>&position = particles.array(position_array), &lent = particles.array(acceleration_array);
  gather_items<Space>(space, order, position.item_bytes(), position.data(), lent.data());
  position.swap(lent);
  ArraySort<Space> sort(space, order, lent.data(), n * lent.item_bytes());
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    const FieldArray& described = particles.table()->arrays()[a];
    if (a == position_array || described.is_lent || !described.travels) continue;
    sort.add(particles.array(a).data(), particles.array(a).item_bytes());
  }
  sort.finish();
  gather_items<Space>(space, order, sizeof(float), magnitude.data(), lent.data());
  return {reinterpret_cast<const float*>(lent.data()), n};
}

template void compute_keys(BackEnd&, View<const Double4>, const KeyCube&, View<std::uint64_t>);
template void compute_keys_in_classes(BackEnd&, const Particles<BackEnd>&, const ClassOfType&, const KeyCube&, View<std::uint64_t>);
template void sort_keys(BackEnd&, View<std::uint64_t>, View<std::uint32_t>, int);
template View<const float> sort_particles(BackEnd&, View<std::uint64_t>, const AccelerationMeasure&, Particles<BackEnd>&);

}  // namespace grove
