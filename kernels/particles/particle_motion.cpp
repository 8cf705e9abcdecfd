#include "kernels/particles/particle_motion.hpp"

#include <bit>
#include <cmath>

namespace grove {

namespace {

/// Zero if all components are finite, otherwise NaN.
GROVE_HD double zero_of(const Double4& a) { return 0 * a.x + 0 * a.y + 0 * a.z + 0 * a.w; }

GROVE_HD void move(Double4& p, const Double3& v, double dt) { p = {p.x + dt * v.x, p.y + dt * v.y, p.z + dt * v.z, p.w}; }

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
  GROVE_HD void operator()(std::size_t i) const { move(position[i], velocity[i], dt); }
};

struct KickAndDrift {
  Kick kick;
  Drift drift;
  GROVE_HD void operator()(std::size_t i) const {
    kick(i);
    drift(i);
  }
};

GROVE_HD MotionSums motion_of(const Double4& x, const Double3& v, const Double4& a) {
  const double m = x.w;
  return {{{m, 0},
           {0.5 * m * dot(v, v), 0},
           {0.5 * m * a.w + zero_of(a), 0},
           {m * v.x, 0},
           {m * v.y, 0},
           {m * v.z, 0},
           {m * (x.y * v.z - x.z * v.y), 0},
           {m * (x.z * v.x - x.x * v.z), 0},
           {m * (x.x * v.y - x.y * v.x), 0},
           {m * x.x, 0},
           {m * x.y, 0},
           {m * x.z, 0}}};
}

struct Motion {
  ParticleView p;
  GROVE_HD MotionSums operator()(std::size_t i) const { return motion_of(p.position[i], p.velocity[i], p.acceleration[i]); }
};

/// The sums after a kick, which is stored or not.
template <bool is_stored>
struct KickedMotion {
  const Double4* position;
  const Double4* acceleration;
  Double3* velocity;
  double dt;
  GROVE_HD MotionSums operator()(std::size_t i) const {
    const Double4 a = acceleration[i];
    const Double3 v = velocity[i] + dt * position_of(a);
    if constexpr (is_stored) velocity[i] = v;
    return motion_of(position[i], v, a);
  }
};

/// The kick that ends a step, and the kick and drift that begin the next one.
struct EndAndBegin {
  const Double4* acceleration;
  Double3* velocity;
  Double4* position;
  double last_kick, kick, drift;
  MagnitudesAhead magnitudes;

  /// The velocity at the end of the step.
  GROVE_HD Double3 at_end(std::size_t i) const { return velocity[i] + last_kick * position_of(acceleration[i]); }
  /// A particle whose force is not finite stays as it is at the end of the step, for the error message that follows.
  GROVE_HD void begin(std::size_t i, const Double3& at_end, const Double4& a) const {
    const bool is_finite = zero_of(a) == 0;
    const Double3 v = is_finite ? at_end + kick * position_of(a) : at_end;
    velocity[i] = v;
    magnitudes.put(i, a);
    if (is_finite) move(position[i], v, drift);
  }
  GROVE_HD void operator()(std::size_t i) const { begin(i, at_end(i), acceleration[i]); }
};

/// The same with the sums between the two.
struct EndSumAndBegin {
  EndAndBegin motion;
  GROVE_HD MotionSums operator()(std::size_t i) const {
    const Double4 a = motion.acceleration[i];
    const Double3 v = motion.at_end(i);
    const MotionSums sums = motion_of(motion.position[i], v, a);
    motion.begin(i, v, a);
    return sums;
  }
};

/// From this number of particles on, a GPU kicks and sums in one loop. The sums need many registers, which limits the number of threads:
/// with fewer particles a separate loop for the kick is faster.
constexpr std::size_t enough_to_kick_and_sum = 524288;

ParticleSums sums_of(const MotionSums& all) { return std::bit_cast<ParticleSums>(all); }

/// The force and its absolute value.
struct ForceTerms {
  ParticleView p;
  GROVE_HD Row<CompensatedSum, 4> operator()(std::size_t i) const {
    const Double3 a = position_of(p.acceleration[i]);
    const double m = p.position[i].w;
    return {{{m * a.x, 0}, {m * a.y, 0}, {m * a.z, 0}, {m * sqrt(dot(a, a)), 0}}};
  }
};

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
void kick_and_drift(Space& space, Particles<Space>& particles, double kick_dt, double drift_dt) {
  space.for_each(particles.size(), KickAndDrift{{particles.acceleration.data(), particles.velocity.data(), kick_dt},
                                                {particles.velocity.data(), particles.position.data(), drift_dt}});
}

template <class Space>
ParticleSums sum_particles(Space& space, const Particles<Space>& particles) {
  return sums_of(space.reduce_rows(particles.size(), MotionSums{}, Motion{view_of(particles)}, AddParts{}));
}

template <class Space>
ParticleSums kick_and_sum(Space& space, Particles<Space>& particles, double dt) {
  if (Space::on_gpu && particles.size() < enough_to_kick_and_sum) {
    kick(space, particles, dt);
    return sum_particles(space, particles);
  }
  const KickedMotion<true> motion{particles.position.data(), particles.acceleration.data(), particles.velocity.data(), dt};
  return sums_of(space.reduce_rows(particles.size(), MotionSums{}, motion, AddParts{}));
}

template <class Space>
LaterSums<Space> end_and_begin(Space& space, Particles<Space>& particles, double last_kick, double kick, double drift,
                               const MagnitudesAhead& magnitudes) {
  const EndAndBegin motion{
      particles.acceleration.data(), particles.velocity.data(), particles.position.data(), last_kick, kick, drift, magnitudes};
  if (!Space::on_gpu || particles.size() >= enough_to_kick_and_sum)
    return LaterSums<Space>(space.reduce_rows_later(particles.size(), MotionSums{}, EndSumAndBegin{motion}, AddParts{}));
  const KickedMotion<false> at_end{motion.position, motion.acceleration, motion.velocity, last_kick};
  LaterSums<Space> sums(space.reduce_rows_later(particles.size(), MotionSums{}, at_end, AddParts{}));
  space.for_each(particles.size(), motion);
  return sums;
}

template <class Space>
ParticleSums LaterSums<Space>::get() {
  return sums_of(rows_.get());
}

template <class Space>
ForceSums sum_forces(Space& space, const Particles<Space>& particles) {
  return std::bit_cast<ForceSums>(
      space.reduce_rows(particles.size(), Row<CompensatedSum, 4>{}, ForceTerms{view_of(particles)}, AddParts{}));
}

template <class Space>
std::size_t first_not_finite(Space& space, const Particles<Space>& particles, ParticlePart part) {
  const std::size_t n = particles.size();
  return space.transform_reduce(n, n, NotFinite{view_of(particles), n, part}, Smaller{});
}

template void kick(BackEnd&, Particles<BackEnd>&, double);
template void drift(BackEnd&, Particles<BackEnd>&, double);
template void kick_and_drift(BackEnd&, Particles<BackEnd>&, double, double);
template ParticleSums sum_particles(BackEnd&, const Particles<BackEnd>&);
template ParticleSums kick_and_sum(BackEnd&, Particles<BackEnd>&, double);
template LaterSums<BackEnd> end_and_begin(BackEnd&, Particles<BackEnd>&, double, double, double, const MagnitudesAhead&);
template class LaterSums<BackEnd>;
template ForceSums sum_forces(BackEnd&, const Particles<BackEnd>&);
template std::size_t first_not_finite(BackEnd&, const Particles<BackEnd>&, ParticlePart);

}  // namespace grove
