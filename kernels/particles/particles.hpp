// The particles of one rank, field by field, in memory of its space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/particles/fields.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// One array of the field table, in memory of a space. Contents are raw.
template <class Space>
class ParticleArray {
 public:
  ParticleArray(Space& space, std::size_t item_bytes) : memory_(space), item_bytes_(item_bytes) {}

  std::size_t size() const { return memory_.size() / item_bytes_; }
  std::size_t item_bytes() const { return item_bytes_; }
  std::byte* data() const { return memory_.data(); }
  /// The item of particle `i`.
  std::byte* item(std::size_t i) const { return memory_.data() + i * item_bytes_; }

  void resize_discard(std::size_t n) { memory_.resize_discard(n * item_bytes_); }
  void resize_keep(std::size_t n) { memory_.resize_keep(n * item_bytes_); }
  /// Makes room for `n` items; the length does not change.
  void reserve_keep(std::size_t n) { memory_.reserve_keep(n * item_bytes_); }
  /// Swaps memory with an array of the same item size.
  void swap(ParticleArray& other) noexcept { memory_.swap(other.memory_); }

 private:
  Buffer<Space, std::byte> memory_;
  std::size_t item_bytes_;
};

/// A ParticleArray with items of type T.
template <class Space, class T>
class TypedArray {
 public:
  explicit TypedArray(ParticleArray<Space>& array) : array_(&array) {}
  std::size_t size() const { return array_->size(); }
  T* data() const { return reinterpret_cast<T*>(array_->data()); }
  View<T> view() const { return {data(), size()}; }

 private:
  ParticleArray<Space>* array_;
};

/// Particles in code units. All arrays have length size() and the same order.
template <class Space>
class Particles {
 public:
  explicit Particles(Space& space, FieldTablePtr table = standard_fields())
      : table_(std::move(table)),
        arrays_(make_arrays(space, *table_)),
        position(arrays_[position_array]),
        velocity(arrays_[velocity_array]),
        id(arrays_[id_array]),
        acceleration(arrays_[acceleration_array]),
        type(arrays_[type_array]),
        work(arrays_[work_array]),
        tree_level(arrays_[tree_level_array]) {}
  Particles(const Particles&) = delete;
  Particles& operator=(const Particles&) = delete;

  const FieldTablePtr& table() const { return table_; }
  std::size_t size() const { return position.size(); }
  std::size_t array_count() const { return arrays_.size(); }
  /// The array that table()->arrays()[number] describes.
  ParticleArray<Space>& array(std::size_t number) { return arrays_[number]; }
  const ParticleArray<Space>& array(std::size_t number) const { return arrays_[number]; }

  void resize_discard(std::size_t n) {
    for (auto& array : arrays_) array.resize_discard(n);
  }

  /// Whether `acceleration` holds a result for every particle, for opening criteria. Force solvers set it; code that replaces the particles
  /// clears it.
  bool has_acceleration = false;

 private:
  static std::vector<ParticleArray<Space>> make_arrays(Space& space, const FieldTable& table) {
    std::vector<ParticleArray<Space>> arrays;
    for (const FieldArray& array : table.arrays()) arrays.emplace_back(space, array.item_bytes);
    return arrays;
  }

  FieldTablePtr table_;
  std::vector<ParticleArray<Space>> arrays_;

 public:
  const TypedArray<Space, Double4> position;  ///< x y z, mass in w
  const TypedArray<Space, Double3> velocity;
  const TypedArray<Space, std::uint64_t> id;
  const TypedArray<Space, Double4> acceleration;  ///< x y z, potential in w
  const TypedArray<Space, std::uint8_t> type;
  const TypedArray<Space, std::uint32_t> work;       ///< cost of the last force in issue slots (see GroupWork, work.hpp)
  const TypedArray<Space, std::uint8_t> tree_level;  ///< see build_tree(), choose_target_groups() and divide_busy_groups()
};

/// Pointers to the fields of motion, for loop bodies.
struct ParticleView {
  Double4* position;
  Double4* acceleration;
  Double3* velocity;
};

template <class Space>
ParticleView view_of(const Particles<Space>& p) {
  return {p.position.data(), p.acceleration.data(), p.velocity.data()};
}

}  // namespace grove
