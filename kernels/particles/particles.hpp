// The particles of one rank, field by field, in the memory of its space.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/space/space.hpp"

namespace grove {

/// One particle with all its fields: what travels when a particle changes rank.
struct ParticleRecord {
  Double4 position;      ///< x y z, mass
  Double4 acceleration;  ///< x y z, potential
  Double3 velocity;
  std::uint64_t id = 0;
  std::uint32_t work = 1;  ///< cost of the particle's last force, in issue slots (see WalkCounts)
  std::uint32_t type = 1;
};

/// All fields have length size(), and the same order. Code units.
template <class Space>
class Particles {
 public:
  explicit Particles(Space& space) : position(space), acceleration(space), velocity(space), id(space), work(space), type(space) {}

  std::size_t size() const { return position.size(); }

  void resize_discard(std::size_t n) {
    for_each_field([n](auto& field) { field.resize_discard(n); });
  }
  void resize_keep(std::size_t n) {
    for_each_field([n](auto& field) { field.resize_keep(n); });
  }
  std::size_t bytes() {
    std::size_t sum = 0;
    for_each_field([&](auto& field) { sum += field.bytes(); });
    return sum;
  }

  /// Calls `f` with each field's buffer.
  template <class F>
  void for_each_field(F f) {
    f(position);
    f(acceleration);
    f(velocity);
    f(id);
    f(work);
    f(type);
  }

  Buffer<Space, Double4> position;      ///< x y z, and the mass in w
  Buffer<Space, Double4> acceleration;  ///< x y z, and the potential in w
  Buffer<Space, Double3> velocity;
  Buffer<Space, std::uint64_t> id;
  Buffer<Space, std::uint32_t> work;  ///< as in ParticleRecord
  Buffer<Space, std::uint8_t> type;
};

/// Plain pointers to the fields, for loop bodies.
struct ParticleView {
  Double4* position;
  Double4* acceleration;
  Double3* velocity;
  std::uint64_t* id;
  std::uint32_t* work;
  std::uint8_t* type;

  GROVE_HD ParticleRecord record(std::size_t i) const { return {position[i], acceleration[i], velocity[i], id[i], work[i], type[i]}; }
  GROVE_HD void set(std::size_t i, const ParticleRecord& r) const {
    position[i] = r.position;
    acceleration[i] = r.acceleration;
    velocity[i] = r.velocity;
    id[i] = r.id;
    work[i] = r.work;
    type[i] = static_cast<std::uint8_t>(r.type);
  }
};

template <class Space>
ParticleView view_of(const Particles<Space>& p) {
  return {p.position.data(), p.acceleration.data(), p.velocity.data(), p.id.data(), p.work.data(), p.type.data()};
}

}  // namespace grove
