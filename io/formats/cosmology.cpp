#include "io/formats/cosmology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

namespace grove {

namespace {

bool differs_from(std::optional<double> value, double usual) { return value && std::abs(*value - usual) > 1e-6; }

/// Headers of early versions of GADGET have h = 0 where it has no meaning.
bool has_h(const HeaderFacts& facts) { return differs_from(facts.h, 1) && *facts.h != 0; }

std::optional<double> scale_factor(const HeaderFacts& facts) {
  if (facts.scale_factor) return facts.scale_factor;
  if (facts.redshift && *facts.redshift > -1) return 1 / (1 + *facts.redshift);
  return std::nullopt;
}

/// The file's own word counts first: a flag, or a scale factor. Without them the time must be that of an expanding universe, 1 / (1 + z).
/// Today it is 1, as in one snapshot of many series of isolated systems: a box and densities must stand beside it, as they must beside a
/// redshift that does not fit the time. Densities and h alone prove nothing, since programs write them for isolated galaxies, too.
bool expands(const HeaderFacts& facts) {
  if (facts.expands) return *facts.expands;
  if (differs_from(facts.scale_factor, 1)) return true;
  const auto a = scale_factor(facts);
  if (!a) return false;
  const bool time_is_scale_factor = facts.scale_factor || !facts.time || std::abs(*facts.time - *a) < 1e-6 * *a;
  const bool is_past = differs_from(*a, 1);
  if (time_is_scale_factor && is_past) return true;
  const bool has_densities = differs_from(facts.omega_matter, 0) || differs_from(facts.omega_lambda, 0);
  return has_densities && facts.box_size.value_or(0) > 0 && (time_is_scale_factor || is_past);
}

void add_expansion(const HeaderFacts& facts, std::vector<std::string>& parts) {
  std::string part = "space does not expand here";
  if (const auto a = scale_factor(facts))
    part =
        fmt::format("a = {:.6g} (redshift {:.6g}): lengths are comoving, velocities may have factors of a, and space does not expand here",
                    *a, 1 / *a - 1);
  parts.push_back(part);
}

std::string units_of_h(const HeaderFacts& facts) {
  return fmt::format("h = {:.6g}: lengths and masses are in units of 1/h, and so are times; G fits, since h cancels", *facts.h);
}

void add_h(const HeaderFacts& facts, std::vector<std::string>& parts) {
  if (!has_h(facts)) return;
  parts.push_back(facts.has_h_in_units ? units_of_h(facts) : fmt::format("h = {:.6g}, which is not in the units", *facts.h));
}

void add_box(const HeaderFacts& facts, bool is_cosmological, std::vector<std::string>& parts) {
  const bool has_box = facts.box_size && *facts.box_size > 0;
  const std::string side = has_box ? fmt::format(" of side {:.6g}", *facts.box_size) : "";
  if (facts.is_periodic.value_or(false))
    parts.push_back(fmt::format("a periodic box{}: here it has an end, and falls together", side));
  else if (is_cosmological && has_box && !facts.is_periodic)
    parts.push_back(fmt::format("a box{}, periodic in most such simulations: here it has an end, and falls together", side));
}

}  // namespace

std::string why_not_isolated(const HeaderFacts& facts) {
  const bool is_cosmological = expands(facts);
  if (!is_cosmological && !facts.is_periodic.value_or(false)) return "";
  std::vector<std::string> parts;
  if (is_cosmological) add_expansion(facts, parts);
  add_h(facts, parts);
  add_box(facts, is_cosmological, parts);
  if (facts.gas > 0) parts.push_back(fmt::format("gas: {} of {} particles, which move without pressure here", facts.gas, facts.particles));
  const char* what = is_cosmological ? "is of a cosmological simulation" : "is of a periodic box";
  return fmt::format("{}, and Grove computes isolated systems: {}", std::string(what), fmt::join(parts, "; "));
}

std::string note_on_h(const HeaderFacts& facts) {
  if (!has_h(facts) || !facts.has_h_in_units || !why_not_isolated(facts).empty()) return "";
  return "the header has " + units_of_h(facts) + ". Many programs fill h in for isolated systems, whose units do not have it";
}

}  // namespace grove
