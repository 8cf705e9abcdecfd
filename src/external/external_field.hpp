// The external potentials of a run, added to the gravity of its particles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/particles/particle_motion.hpp"
#include "src/external/external_info.hpp"
#include "src/external/free_orbits.hpp"

namespace grove {

/// Sums over particles in external potentials, code units.
struct ExternalSums {
  CompensatedSum energy;    ///< sum of m phi: without the factor 1/2 of pairs
  CompensatedSum virial;    ///< sum of m x a, x from the centre of the first potential: the part in the virial theorem
  CompensatedSum force[3];  ///< sum of m a

  friend ExternalSums operator+(const ExternalSums& a, const ExternalSums& b) {
    return {a.energy + b.energy, a.virial + b.virial, {a.force[0] + b.force[0], a.force[1] + b.force[1], a.force[2] + b.force[2]}};
  }
};

/// One potential about its centre, in the memory of one space.
template <class Space>
class ExternalPotential {
 public:
  virtual ~ExternalPotential() = default;
  virtual void add(Space& space, View<const Double4> position, Double4* field) const = 0;
  /// `origin` of x in the virial: the same for all potentials, so that their parts can be added.
  virtual ExternalSums sums(Space& space, View<const Double4> position, const Double3& origin) const = 0;
  virtual Double3 centre() const = 0;
  /// `path`: from the place of its section.
  virtual void set_time(double time, const Double3& path) = 0;
};

/// All potentials of a run together. They act on particles of any mass, also zero.
template <class Space>
class ExternalField {
 public:
  /// The sections that are there. Free ones are at their places at `begin`. Throws ConfigError for an unknown name.
  ExternalField(const std::vector<ExternalParameters>& sections, double G, const ExternalFunction& function = {}, double begin = 0);

  bool empty() const { return potentials_.empty(); }
  /// Whether nothing escapes from one of them.
  bool holds_all() const { return holds_all_; }
  /// Whether one may change with time, so that energies are not conserved.
  bool changes() const { return changes_; }
  /// Throws ConfigError where one has no place at a time between these.
  void require_times(double begin, double end) const;
  /// Of what follows.
  void set_time(double time);

  /// Adds acceleration and potential at `position`, or where `active` [position.size] is not null, for those where it is not 0; field:
  /// [position.size]. Asynchronous, unless some are active or there is a function of the caller's; what that throws is known to this rank
  /// alone.
  void add(Space& space, View<const Double4> position, Double4* field, const std::uint8_t* active = nullptr) const;
  /// Sums over the particles at `position`: the same bits every run. Synchronises.
  ExternalSums sums(Space& space, View<const Double4> position) const;

 private:
  std::vector<std::unique_ptr<ExternalPotential<Space>>> potentials_;
  std::vector<Orbit> paths_;  ///< of each
  std::unique_ptr<FreeOrbits> free_;
  bool holds_all_ = false, changes_ = false;
};

}  // namespace grove
