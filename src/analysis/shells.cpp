#include "src/analysis/shells.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr double share_inside = 0.001, share_to_end = 0.999;
/// Particles that all have about one radius, as two do, get shells inside it, too.
constexpr double least_ratio = 2, ratio_for_others = 10;

double default_begin(const ShellChoice& choice, const OrderedValues& radii, double to) {
  if (choice.spacing == ShellSpacing::linear) return 0;
  const double innermost = radii.percentile(share_inside);
  const double from = innermost > 0 || choice.spacing == ShellSpacing::number ? innermost : radii.next_above(0);
  return from * least_ratio <= to ? from : to / ratio_for_others;
}

std::vector<double> of_equal_number(const ShellChoice& choice, const OrderedValues& radii, double from, double to) {
  const std::uint64_t before = radii.count_below(from), inside = radii.count_up_to(to) - before;
  std::vector<double> edges{from};
  for (std::uint64_t k = 1; k < choice.count; ++k)
    if (const std::uint64_t n = before + fraction_of(inside, k, choice.count); n > 0) edges.push_back(radii.nth(n));
  edges.push_back(to);
  return edges;
}

std::vector<double> of_equal_size(const ShellChoice& choice, double from, double to) {
  std::vector<double> edges{from};
  const auto count = static_cast<double>(choice.count);
  for (std::uint64_t k = 1; k < choice.count; ++k) {
    const double share = static_cast<double>(k) / count;
    const bool is_linear = choice.spacing == ShellSpacing::linear;
    const double edge = is_linear ? from + (to - from) * share : from * std::exp(std::log(to / from) * share);
    edges.push_back(std::clamp(edge, from, to));
  }
  edges.push_back(to);
  return edges;
}

}  // namespace

ShellSpacing shell_spacing_named(const std::string& name) {
  if (name == "log") return ShellSpacing::log;
  if (name == "linear") return ShellSpacing::linear;
  if (name == "number") return ShellSpacing::number;
  throw ConfigError("--spacing " + name + ": must be log, linear or number");
}

std::vector<double> shell_edges(const ShellChoice& choice, const OrderedValues& radii) {
  const double to = choice.to ? *choice.to : radii.percentile(share_to_end);
  const double from = choice.from ? *choice.from : default_begin(choice, radii, to);
  // In an order of bits, -0 would be the largest number.
  if (!(from + 0.0 < to) || !std::isfinite(to) || (choice.spacing == ShellSpacing::log && !(from > 0))) return {};
  std::vector<double> edges =
      choice.spacing == ShellSpacing::number ? of_equal_number(choice, radii, from, to) : of_equal_size(choice, from, to);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

double middle_of_shell(ShellSpacing spacing, double inner, double outer) {
  return spacing == ShellSpacing::log ? std::sqrt(inner) * std::sqrt(outer) : inner / 2 + outer / 2;
}

}  // namespace grove
