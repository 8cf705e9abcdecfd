// Steps 1 and 9 (docs/development/overview.md): kicks, drifts, and the sums over particles that a run reports.
#pragma once

#include "kernels/particles/last_accelerations.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// velocity += dt * acceleration. Asynchronous.
template <class Space>
void kick(Space& space, Particles<Space>& particles, double dt);

/// position += dt * velocity. Asynchronous.
template <class Space>
void drift(Space& space, Particles<Space>& particles, double dt);

/// kick() and then drift(), in one loop. Asynchronous.
template <class Space>
void kick_and_drift(Space& space, Particles<Space>& particles, double kick_dt, double drift_dt);

/// A sum of doubles and its rounding error (Neumaier 1974; two-sum of Knuth).
struct CompensatedSum {
  double sum = 0, lost = 0;

  GROVE_HD double value() const { return sum + lost; }
  GROVE_HD friend CompensatedSum operator+(const CompensatedSum& a, const CompensatedSum& b) {
    const double s = a.sum + b.sum;
    const double from_b = s - a.sum;
    return {s, a.lost + b.lost + ((a.sum - (s - from_b)) + (b.sum - from_b))};
  }
};

/// Sums over particles, code units. The potential energy, the sum of m * phi / 2, is not finite if the force on any particle is not.
struct ParticleSums {
  CompensatedSum mass, kinetic, potential;
  CompensatedSum momentum[3], angular_momentum[3], mass_moment[3];
};

/// The sums over all particles of this rank, with the same bits in every run. Synchronises.
template <class Space>
ParticleSums sum_particles(Space& space, const Particles<Space>& particles);

/// kick() and then sum_particles(), in one loop where that is faster, with the same bits. Synchronises.
template <class Space>
ParticleSums kick_and_sum(Space& space, Particles<Space>& particles, double dt);

/// The members of ParticleSums, in their order.
using MotionSums = Row<CompensatedSum, 12>;

/// Sums over particles that may still be computed.
template <class Space>
class LaterSums {
 public:
  explicit LaterSums(const typename Space::template Later<MotionSums>& rows) : rows_(rows) {}
  /// Waits for the sums.
  ParticleSums get();

 private:
  typename Space::template Later<MotionSums> rows_;
};

/// kick_and_sum() by `last_kick`, which ends a step, and kick_and_drift(), which begins the next one, with the same bits; each particle is
/// read and written once. Returns the sums between the two. Also stores the magnitudes of accelerations in `magnitudes`. A particle whose
/// force is not finite stays as it is between the two. Asynchronous.
template <class Space>
LaterSums<Space> end_and_begin(Space& space, Particles<Space>& particles, double last_kick, double kick, double drift,
                               const MagnitudesAhead& magnitudes = {});

/// Sums of m a and of m |a| over particles, code units.
struct ForceSums {
  CompensatedSum net[3], absolute;
};

/// The sums of the forces of this rank's particles, with the same bits in every run. Synchronises.
template <class Space>
ForceSums sum_forces(Space& space, const Particles<Space>& particles);

/// A part of a particle's fields: its motion (position, mass, velocity) or its force (acceleration, potential).
enum class ParticlePart { motion, force };

/// Index of the first particle whose `part` is not finite; particles.size() if there is none. Synchronises.
template <class Space>
std::size_t first_not_finite(Space& space, const Particles<Space>& particles, ParticlePart part);

}  // namespace grove
