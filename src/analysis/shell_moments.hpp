// Sums over the particles between given radii: numbers, masses, and moments of a few quantities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/analysis/groups.hpp"

namespace grove {

/// How many quantities are averaged.
inline constexpr std::size_t moment_count = 4;
using Moments = std::array<double, moment_count>;

/// A particle as a profile sees it.
struct ShellItem {
  double radius = 0;
  Moments quantities{};
  bool has_direction = true;  ///< false exactly at the centre: the particle counts, its quantities do not
};
/// The item of particle i. Called by several threads at a time, twice for each particle.
using ShellItemOf = std::function<ShellItem(std::size_t i)>;

/// One group of particles in one shell. Sums in the units of the particles.
struct ShellMoments {
  std::uint64_t particles = 0;
  double mass = 0;
  double mass_inside = 0;  ///< of all up to the outer radius of the shell
  /// Means, and mean squares of the deviations from them, weighted by Group::weight(); NaN where nothing has a weight.
  Moments mean{}, variance{};
};

/// The moments of a group, and what is outside of the shells.
struct GroupMoments {
  std::vector<ShellMoments> shells;
  std::uint64_t inside = 0, outside = 0;  ///< particles
};

/// The moments of each group in the shells between `edges` (shell_edges()). groups[0] has all particles. Sums are exact: the same bits on
/// any number of ranks and for any order of the particles. Takes 560 bytes for each of 7 sums of each shell, group and thread. Collective;
/// throws AgreedError where the host has less memory.
std::vector<GroupMoments> shell_moments(const ParticleSet& particles, const std::vector<Group>& groups, const std::vector<double>& edges,
                                        const ShellItemOf& item_of, const Communicator& comm);

}  // namespace grove
