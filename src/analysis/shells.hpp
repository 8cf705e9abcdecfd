// The shells of a profile: the radii between which it is measured, and numbers, masses and moments of a few quantities between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/analysis/groups.hpp"
#include "src/analysis/ordered_values.hpp"

namespace grove {

enum class ShellSpacing : std::uint8_t { log, linear, number };

/// The spacing called "log", "linear" or "number". Throws ConfigError for any other name.
ShellSpacing shell_spacing_named(const std::string& name);

/// What the user wants for shells; radii in code units.
struct ShellChoice {
  std::uint64_t count = 30;
  ShellSpacing spacing = ShellSpacing::log;
  std::optional<double> from, to;
};

/// The edges of the shells in increasing order, one more than shells; empty when all particles are at the centre or beyond the limits.
/// Shell k has edge[k] < r <= edge[k+1], the first one also r = edge[0].
///
/// By default they end at the radius that holds 99.9 % of the particles, and begin at the smallest one > 0 that holds 0.1 % of them; with
/// linear spacing at 0. With spacing `number` all have the same number of particles to within one, unless radii are equal. Equal edges are
/// merged: there may be fewer shells than requested. Collective.
std::vector<double> shell_edges(const ShellChoice& choice, const OrderedValues& radii);

/// Where a curve has the values of a shell: the geometric mean of its radii with spacing `log`, else the arithmetic one.
double middle_of_shell(ShellSpacing spacing, double inner, double outer);

/// How many quantities are averaged.
inline constexpr std::size_t moment_count = 6;
using Moments = std::array<double, moment_count>;

/// A particle as a profile sees it.
struct ShellItem {
  double radius = 0;
  Moments quantities{};
  bool has_direction = true;  ///< false exactly at the centre: the particle counts, its quantities do not
};
/// The item of particle i. Called by several threads at a time, up to three times for each particle.
using ShellItemOf = std::function<ShellItem(std::size_t i)>;

/// One group of particles in one shell. Sums in the units of the particles.
struct ShellMoments {
  std::uint64_t particles = 0;
  double mass = 0;
  /// Means, and mean squares of the deviations from them, weighted by Group::weight(); NaN where nothing has a weight.
  Moments mean{}, variance{};
  /// The same of all up to the outer radius of the shell.
  std::uint64_t particles_inside = 0;
  double mass_inside = 0;
  Moments mean_inside{};
};

/// The moments of a group, and what is outside of the shells.
struct GroupMoments {
  std::vector<ShellMoments> shells;
  std::uint64_t inside = 0, outside = 0;  ///< particles
};

/// The moments of each group in the shells between `edges` (shell_edges()). groups[0] has all particles. Sums are exact: the same bits on
/// any number of ranks and for any order of the particles. Takes 560 bytes for each of 9 sums of each shell, group and thread. Collective;
/// throws AgreedError where the host has less memory.
std::vector<GroupMoments> shell_moments(const ParticleSet& particles, const std::vector<Group>& groups, const std::vector<double>& edges,
                                        const ShellItemOf& item_of, const Communicator& comm);

/// [groups][shells] the median of a quantity's size: the smallest one that half of the particles do not exceed; NaN without particles.
/// Each particle that has a weight counts the same. Collective; throws AgreedError where memory ends.
std::vector<std::vector<double>> shell_medians(const ParticleSet& particles, const std::vector<Group>& groups,
                                               const std::vector<double>& edges, const ShellItemOf& item_of, std::size_t quantity,
                                               const Communicator& comm);

}  // namespace grove
