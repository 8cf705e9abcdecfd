#include "src/simulation/own_gravity.hpp"

#include <cmath>

namespace grove {

namespace {

struct OwnGravity {
  double magnitude, potential;
};
struct Keep {
  const Double4* acceleration;
  const std::uint8_t* active;
  OwnGravity* own;
  GROVE_HD void operator()(std::size_t i) const {
    if (active && active[i] == 0) return;
    const Double3 a = position_of(acceleration[i]);
    own[i] = {sqrt(dot(a, a)), acceleration[i].w};
  }
};
struct Show {
  const OwnGravity* own;
  Double4* acceleration;
  GROVE_HD void operator()(std::size_t i) const { acceleration[i] = {own[i].magnitude, 0, 0, own[i].potential}; }
};

template <class Space>
OwnGravity* own_gravity_of(const Particles<Space>& particles) {
  return reinterpret_cast<OwnGravity*>(particles.array(particles.table()->array_of(own_gravity_field)).data());
}

}  // namespace

template <class Space>
void keep_own_gravity(Space& space, Particles<Space>& particles, const std::uint8_t* active) {
  space.for_each(particles.size(), Keep{particles.acceleration.data(), active, own_gravity_of(particles)});
}

template <class Space>
void show_own_gravity(Space& space, Particles<Space>& particles) {
  space.for_each(particles.size(), Show{own_gravity_of(particles), particles.acceleration.data()});
}

template void keep_own_gravity(BackEnd&, Particles<BackEnd>&, const std::uint8_t*);
template void show_own_gravity(BackEnd&, Particles<BackEnd>&);

}  // namespace grove
