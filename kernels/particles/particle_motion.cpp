#include "kernels/particles/particle_motion.hpp"

#include <cmath>

namespace grove {

namespace {

struct Kick {
  const Double4* acceleration;
  Double3* velocity;
  double dt;
  GROVE_HD void operator()(std::size_t i) const { velocity[i] = velocity[i] + dt * position_of(acceleration[i]); }
};

struct Drift {
  const Double3* velocity;
  Double4* position;
  double dt;
  GROVE_HD void operator()(std::size_t i) const {
    Double4& p = position[i];
    p = {p.x + dt * velocity[i].x, p.y + dt * velocity[i].y, p.z + dt * velocity[i].z, p.w};
  }
};

/// Three sums at a time: a reduction of all twelve would not fit in registers.
struct ThreeSums {
  CompensatedSum s[3];
};
struct AddThree {
  GROVE_HD ThreeSums operator()(const ThreeSums& a, const ThreeSums& b) const {
    return {{a.s[0] + b.s[0], a.s[1] + b.s[1], a.s[2] + b.s[2]}};
  }
};
GROVE_HD ThreeSums three(double a, double b, double c) { return {{{a, 0}, {b, 0}, {c, 0}}}; }
GROVE_HD ThreeSums three(double m, const Double3& v) { return three(m * v.x, m * v.y, m * v.z); }

struct Energies {
  ParticleView p;
  GROVE_HD ThreeSums operator()(std::size_t i) const {
    const double m = p.position[i].w;
    return three(m, 0.5 * m * dot(p.velocity[i], p.velocity[i]), 0.5 * m * p.acceleration[i].w);
  }
};
struct Momentum {
  ParticleView p;
  GROVE_HD ThreeSums operator()(std::size_t i) const { return three(p.position[i].w, p.velocity[i]); }
};
struct AngularMomentum {
  ParticleView p;
  GROVE_HD ThreeSums operator()(std::size_t i) const {
    const Double4 x = p.position[i];
    const Double3 v = p.velocity[i];
    return three(x.w, {x.y * v.z - x.z * v.y, x.z * v.x - x.x * v.z, x.x * v.y - x.y * v.x});
  }
};
struct MassMoment {
  ParticleView p;
  GROVE_HD ThreeSums operator()(std::size_t i) const { return three(p.position[i].w, position_of(p.position[i])); }
};

struct Force {
  ParticleView p;
  GROVE_HD ThreeSums operator()(std::size_t i) const { return three(p.position[i].w, position_of(p.acceleration[i])); }
};
struct AbsoluteForce {
  ParticleView p;
  GROVE_HD CompensatedSum operator()(std::size_t i) const {
    const Double3 a = position_of(p.acceleration[i]);
    return {p.position[i].w * sqrt(dot(a, a)), 0};
  }
};
struct AddOne {
  GROVE_HD CompensatedSum operator()(const CompensatedSum& a, const CompensatedSum& b) const { return a + b; }
};

/// Zero if all components are finite, otherwise NaN.
GROVE_HD double zero_of(const Double4& a) { return 0 * a.x + 0 * a.y + 0 * a.z + 0 * a.w; }

struct NotFinite {
  ParticleView p;
  std::size_t none;
  ParticlePart part;
  GROVE_HD std::size_t operator()(std::size_t i) const {
    if (part == ParticlePart::force) return zero_of(p.acceleration[i]) == 0 ? none : i;
    const Double3 v = p.velocity[i];
    return zero_of(p.position[i]) + zero_of({v.x, v.y, v.z, 0}) == 0 ? none : i;
  }
};
struct Smaller {
  GROVE_HD std::size_t operator()(std::size_t a, std::size_t b) const { return smaller(a, b); }
};

}  // namespace

template <class Space>
void kick(Space& space, Particles<Space>& particles, double dt) {
  space.for_each(particles.size(), Kick{particles.acceleration.data(), particles.velocity.data(), dt});
}

template <class Space>
void drift(Space& space, Particles<Space>& particles, double dt) {
  space.for_each(particles.size(), Drift{particles.velocity.data(), particles.position.data(), dt});
}

template <class Space>
ParticleSums sum_particles(Space& space, const Particles<Space>& particles) {
  const ParticleView p = view_of(particles);
  const std::size_t n = particles.size();
  const ThreeSums energies = space.transform_reduce(n, ThreeSums{}, Energies{p}, AddThree{});
  const ThreeSums momentum = space.transform_reduce(n, ThreeSums{}, Momentum{p}, AddThree{});
  const ThreeSums angular = space.transform_reduce(n, ThreeSums{}, AngularMomentum{p}, AddThree{});
  const ThreeSums moment = space.transform_reduce(n, ThreeSums{}, MassMoment{p}, AddThree{});
  ParticleSums sums{energies.s[0], energies.s[1], energies.s[2], {}, {}, {}};
  for (int k = 0; k < 3; ++k) {
    sums.momentum[k] = momentum.s[k];
    sums.angular_momentum[k] = angular.s[k];
    sums.mass_moment[k] = moment.s[k];
  }
  return sums;
}

template <class Space>
ForceSums sum_forces(Space& space, const Particles<Space>& particles) {
  const ParticleView p = view_of(particles);
  const std::size_t n = particles.size();
  const ThreeSums net = space.transform_reduce(n, ThreeSums{}, Force{p}, AddThree{});
  return {{net.s[0], net.s[1], net.s[2]}, space.transform_reduce(n, CompensatedSum{}, AbsoluteForce{p}, AddOne{})};
}

template <class Space>
std::size_t first_not_finite(Space& space, const Particles<Space>& particles, ParticlePart part) {
  const std::size_t n = particles.size();
  return space.transform_reduce(n, n, NotFinite{view_of(particles), n, part}, Smaller{});
}

template void kick(BackEnd&, Particles<BackEnd>&, double);
template void drift(BackEnd&, Particles<BackEnd>&, double);
template ParticleSums sum_particles(BackEnd&, const Particles<BackEnd>&);
template ForceSums sum_forces(BackEnd&, const Particles<BackEnd>&);
template std::size_t first_not_finite(BackEnd&, const Particles<BackEnd>&, ParticlePart);

}  // namespace grove
