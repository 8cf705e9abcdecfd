#include "kernels/particles/particle_sort.hpp"

#include <cmath>

namespace grove {

namespace {

struct KeyOf {
  const Double4* position;
  std::uint64_t* key;
  KeyCube cube;
  GROVE_HD void operator()(std::size_t i) const { key[i] = morton_key(position[i], cube); }
};

struct Iota {
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::uint32_t>(i); }
};

template <class T>
struct Gather {
  const T* from;
  const std::uint32_t* order;
  T* to;
  GROVE_HD void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};

/// |a| in the unit of opening criteria. In FP64: neither G nor the user's units need leave its square in the range of FP32.
struct ScaledMagnitude {
  const Double4* acceleration;
  double per_unit;
  float* out;
  GROVE_HD void operator()(std::size_t i) const {
    const Double3 a = per_unit * position_of(acceleration[i]);
    out[i] = static_cast<float>(sqrt(dot(a, a)));
  }
};

/// Puts field[order[i]] at i, by way of `spare`, which has room for the field.
template <class Space, class T>
void reorder(Space& space, View<const std::uint32_t> order, View<T> field, void* spare) {
  T* const sorted = static_cast<T*>(spare);
  space.for_each(field.size, Gather<T>{field.data, order.data, sorted});
  space.copy(field.data, sorted, field.size * sizeof(T));
}

}  // namespace

template <class Space>
void compute_keys(Space& space, View<const Double4> position, const KeyCube& cube, View<std::uint64_t> keys) {
  space.for_each(position.size, KeyOf{position.data, keys.data, cube});
}

template <class Space>
void sort_keys(Space& space, View<std::uint64_t> keys, View<std::uint32_t> order) {
  space.for_each(keys.size, Iota{order.data});
  space.sort_pairs(keys, order, key_bits);
}

template <class Space>
View<const float> sort_particles(Space& space, View<std::uint64_t> keys, double acceleration_unit, Particles<Space>& particles) {
  const std::size_t n = particles.size();
  Scratch<Space, float> magnitude(space, n);
  Scratch<Space, std::uint32_t> order(space, n);
  space.for_each(n, ScaledMagnitude{particles.acceleration.data(), 1 / acceleration_unit, magnitude.data()});
  sort_keys<Space>(space, keys, order);

  // The memory of the acceleration takes the positions, and that of the positions, now the acceleration's, all other fields by turns.
  space.for_each(n, Gather<Double4>{particles.position.data(), order.data(), particles.acceleration.data()});
  particles.position.swap(particles.acceleration);
  void* const spare = particles.acceleration.data();
  reorder<Space>(space, order, particles.velocity.view(), spare);
  reorder<Space>(space, order, particles.id.view(), spare);
  reorder<Space>(space, order, particles.work.view(), spare);
  reorder<Space>(space, order, particles.type.view(), spare);
  float* const sorted = static_cast<float*>(spare);
  space.for_each(n, Gather<float>{magnitude.data(), order.data(), sorted});
  return {sorted, n};
}

template void compute_keys(BackEnd&, View<const Double4>, const KeyCube&, View<std::uint64_t>);
template void sort_keys(BackEnd&, View<std::uint64_t>, View<std::uint32_t>);
template View<const float> sort_particles(BackEnd&, View<std::uint64_t>, double, Particles<BackEnd>&);

}  // namespace grove
