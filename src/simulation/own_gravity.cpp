#include "src/simulation/own_gravity.hpp"

#include <cmath>

namespace grove {

namespace {

struct KeepMagnitude {
  const Double4* acceleration;
  const std::uint8_t* active;
  double* magnitude;
  GROVE_HD void operator()(std::size_t i) const {
    if (active && active[i] == 0) return;
    const Double3 a = position_of(acceleration[i]);
    magnitude[i] = sqrt(dot(a, a));
  }
};
struct SetMagnitude {
  const double* magnitude;
  Double4* acceleration;
  GROVE_HD void operator()(std::size_t i) const { acceleration[i] = {magnitude[i], 0, 0, 0}; }
};

template <class Space>
double* magnitudes_of(const Particles<Space>& particles) {
  return reinterpret_cast<double*>(particles.array(particles.table()->array_of(own_gravity_field)).data());
}

}  // namespace

template <class Space>
void keep_own_gravity(Space& space, Particles<Space>& particles, const std::uint8_t* active) {
  space.for_each(particles.size(), KeepMagnitude{particles.acceleration.data(), active, magnitudes_of(particles)});
}

template <class Space>
void show_own_gravity(Space& space, Particles<Space>& particles) {
  space.for_each(particles.size(), SetMagnitude{magnitudes_of(particles), particles.acceleration.data()});
}

template void keep_own_gravity(BackEnd&, Particles<BackEnd>&, const std::uint8_t*);
template void show_own_gravity(BackEnd&, Particles<BackEnd>&);

}  // namespace grove
