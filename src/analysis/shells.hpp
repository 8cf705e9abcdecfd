// The radii between which a profile is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace grove
