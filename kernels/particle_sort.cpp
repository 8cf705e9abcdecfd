#include "kernels/particle_sort.hpp"

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

/// Puts field[order[i]] at i by way of `spare`, which ends up holding the field's old memory.
template <class Space, class T>
void reorder(Space& space, View<const std::uint32_t> order, Buffer<Space, T>& field, Buffer<Space, T>& spare) {
  spare.resize_discard(field.size());
  space.for_each(field.size(), Gather<T>{field.data(), order.data, spare.data()});
  field.swap(spare);
}

}  // namespace

template <class Space>
void compute_keys(Space& space, Particles<Space>& particles, const KeyCube& cube) {
  space.for_each(particles.size(), KeyOf{particles.position.data(), particles.key.data(), cube});
}

template <class Space>
void sort_keys(Space& space, View<const std::uint64_t> keys, View<std::uint64_t> sorted_keys, View<std::uint32_t> order) {
  Scratch<Space, std::uint32_t> index(space, keys.size);
  space.for_each(keys.size, Iota{index.data()});
  space.sort_pairs(keys, index, sorted_keys, order, key_bits);
}

template <class Space>
void ParticleSorter<Space>::sort(Space& space, Particles<Space>& particles) {
  const std::size_t n = particles.size();
  Scratch<Space, std::uint32_t> order(space, n);
  spare64_.resize_discard(n);
  sort_keys<Space>(space, particles.key.view(), spare64_.view(), order);
  particles.key.swap(spare64_);
  reorder<Space>(space, order, particles.position, spare4_);
  reorder<Space>(space, order, particles.acceleration, spare4_);
  reorder<Space>(space, order, particles.velocity, spare3_);
  reorder<Space>(space, order, particles.id, spare64_);
  reorder<Space>(space, order, particles.work, spare32_);
  reorder<Space>(space, order, particles.type, spare8_);
}

template void compute_keys(BackEnd&, Particles<BackEnd>&, const KeyCube&);
template void sort_keys(BackEnd&, View<const std::uint64_t>, View<std::uint64_t>, View<std::uint32_t>);
template class ParticleSorter<BackEnd>;

}  // namespace grove
