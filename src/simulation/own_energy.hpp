// Energies that the total energy of a run hides: of the system itself, and of particles without mass.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particles.hpp"
#include "src/external/external_field.hpp"
#include "src/simulation/diagnostics.hpp"

namespace grove {

/// The field of the particles for OwnEnergy, in runs with external potentials.
inline constexpr const char* first_energy_field = "first_energy";

/// The energy of the system itself is that of all particles in the frame of their centre of mass, without external potentials. A particle
/// that has more mass than all others together counts as one of these, if the others are bound to each other at the start: the system is
/// then the others.
///
/// Where no particle has mass and no external potential changes, each particle conserves v^2 / 2 + phi: its first value is a field of the
/// particles.
template <class Space>
class OwnEnergy {
 public:
  /// All outlive it.
  OwnEnergy(Space& space, const Communicator& comm, const ExternalField<Space>& external)
      : space_(space), comm_(comm), external_(external) {}

  /// Looks at the masses of this rank's particles. Collective.
  void look_at(const std::vector<double>& mass);
  bool leaves_out_heaviest() const { return heaviest_.has_value(); }
  void leave_out_none() { heaviest_.reset(); }
  /// Whether measure() looks at the particles.
  bool needs_particles() const { return heaviest_.has_value() || conserves_each_; }
  /// The present energies, with the present forces, are the first ones of particles without mass. Asynchronous.
  void begin(Particles<Space>& particles) const;
  /// Sets what `sums` has of this from the other sums. Collective; synchronises.
  void measure(const Particles<Space>& particles, Diagnostics& sums) const;

 private:
  void leave_out_heaviest(const Particles<Space>& particles, Diagnostics& sums) const;

  Space& space_;
  const Communicator& comm_;
  const ExternalField<Space>& external_;
  std::optional<double> heaviest_;  ///< the mass of a particle that is heavier than all others together, two of which have mass
  std::uint64_t without_mass_ = 0;  ///< of all ranks
  bool conserves_each_ = false;     ///< no particle has mass, and there are external potentials, which do not change
};

/// The few particles that have most of the potential energy of all, as a tight pair of heavy ones does: energy errors are then theirs.
struct PotentialHolders {
  std::uint64_t count = 0;   ///< those with a 20th of it or more each
  std::uint64_t others = 0;  ///< further particles with mass
  double share = 0;          ///< of the sum of |m phi| that `count` have
  /// One particle alone has half of it wherever it is heavier than all others, whose energy then counts.
  bool hide_the_others() const { return count > 1 && others > 0 && share > 0.9; }
};

/// Looks at the present potentials, with external ones. Collective; synchronises.
template <class Space>
PotentialHolders find_potential_holders(Space& space, const Communicator& comm, const Particles<Space>& particles);

}  // namespace grove
