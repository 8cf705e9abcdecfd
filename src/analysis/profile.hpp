// Radial profiles of a snapshot, parallel over its ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/analysis/bar.hpp"
#include "src/analysis/centre.hpp"
#include "src/analysis/groups.hpp"
#include "src/analysis/shells.hpp"
#include "src/external/external_info.hpp"

namespace grove {

/// What the user wants to know.
struct ProfileRequest {
  CentreChoice centre;
  ShellChoice shells;
  std::vector<double> fractions{0.1, 0.5, 0.9};  ///< of the mass, for Lagrangian radii
  /// The component whose centre is taken, or "all". Empty: that of the disc or, without one, all. A given centre is that of no component.
  std::string centre_on;
  /// The component, or "all", whose angular momentum is the axis of rings; empty: spherical shells about the centre.
  std::string disc;
  /// The radius inside of which the bar is measured: the outer edge of a ring that is nearest to it. Empty: that with the strongest bar.
  std::optional<double> bar_radius;
};

/// A component, or all particles.
struct GroupProfile {
  Group group;
  std::vector<std::vector<double>> columns;  ///< [profile_columns()][shells], code units
  std::vector<double> lagrangian_radii;      ///< one for each of ProfileRequest::fractions
  std::uint64_t inside = 0, outside = 0;     ///< particles inside of the first shell, and outside of the last
  Bar bar{};                                 ///< of rings
};

struct SnapshotProfile {
  Centre centre;
  std::string note;       ///< note_on_centre()
  std::string centre_on;  ///< the component whose centre it is; "all"
  bool is_disc = false;
  DiscPlane plane;                   ///< of a disc
  std::vector<GroupProfile> groups;  ///< all, then each component
};

/// Measures the profiles of the particles of all ranks about their centre, with velocities relative to that of the centre. The same bits on
/// every rank, on any number of ranks and for any order of the particles.
/// @param G         gravitational constant in code units
/// @param external  potentials that add to the circular velocity of all particles together
/// Collective. Throws AgreedError: exit code of ConfigError for a component that is not there, of DataError for one without angular
/// momentum and for numbers that are too large.
SnapshotProfile measure_profile(const ParticleSet& particles, const ComponentNames& names, double G, const ProfileRequest& request,
                                const Communicator& comm, const std::vector<ExternalParameters>& external = {});

}  // namespace grove
