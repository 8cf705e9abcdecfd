#include "src/run/start/rounded_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "io/snapshots/snapshot_fields.hpp"

namespace grove {

namespace {

constexpr double tolerated = 0.1;

/// Farthest coordinates of all particles, and whether they use all digits that 32 bits have, and no more.
struct Coordinates {
  double largest = 0, extent = 0;
  bool are_rounded = false;
  /// Between neighbouring numbers of 32 bits, farthest out.
  double spacing() const {
    if (largest > static_cast<double>(std::numeric_limits<float>::max())) return 0;
    const auto far = static_cast<float>(largest);
    return static_cast<double>(std::nextafter(far, std::numeric_limits<float>::infinity())) - static_cast<double>(far);
  }
};

Coordinates coordinates_of(const ParticleSet& particles, const Communicator& comm) {
  Coordinates all;
  double low[3], high[3];
  std::fill(low, low + 3, std::numeric_limits<double>::infinity());
  std::fill(high, high + 3, -std::numeric_limits<double>::infinity());
  bool are_rounded = true, use_last_digit = false;
  for (std::size_t i = 0; i < particles.position.size(); ++i) {
    const double x = particles.position[i];
    low[i % 3] = std::min(low[i % 3], x);
    high[i % 3] = std::max(high[i % 3], x);
    if (!(std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      are_rounded = false;
      continue;
    }
    const auto rounded = static_cast<float>(x);
    are_rounded = are_rounded && static_cast<double>(rounded) == x;
    use_last_digit = use_last_digit || (std::bit_cast<std::uint32_t>(rounded) & 1U) != 0;
  }
  comm.min(std::span<double>(low));
  comm.max(std::span<double>(high));
  for (int d = 0; d < 3; ++d) {
    all.largest = std::max({all.largest, std::abs(low[d]), std::abs(high[d])});
    all.extent = std::max(all.extent, high[d] - low[d]);
  }
  all.are_rounded = comm.min(are_rounded ? 1 : 0) == 1 && comm.max(use_last_digit ? 1 : 0) == 1;
  return all;
}

}  // namespace

std::vector<std::string> notes_on_rounded_positions(const ParticleSet& particles, const Config& config, bool is_read,
                                                    const Communicator& comm) {
  const std::vector<std::string> shortened = config.output.field_choice().single_precision;
  const bool is_written = std::find(shortened.begin(), shortened.end(), "position") != shortened.end();
  const auto count = static_cast<double>(comm.sum(static_cast<std::uint64_t>(particles.size())));
  if (!(is_read || is_written) || count < 2) return {};
  const Coordinates all = coordinates_of(particles, comm);
  const std::vector<double>& of_type = config.gravity.softening_of_type;
  const double softening = of_type.empty() ? config.gravity.softening : *std::min_element(of_type.begin(), of_type.end());
  const double scale = softening > 0 ? softening : all.extent / std::cbrt(count), spacing = all.spacing();
  if (!(spacing > tolerated * scale) || !std::isfinite(spacing)) return {};
  const std::string words =
      fmt::format("numbers of 32 bits, which are {:.3g} apart at a coordinate of {:.3g}: {:.2g} {}", spacing, all.largest, spacing / scale,
                  softening > 0 ? "softening lengths" : "mean distances of the particles");
  std::vector<std::string> notes;
  if (is_read && all.are_rounded)
    notes.push_back(
        fmt::format("{} has positions in {}. Forces between close particles are those of rounded distances; a file in 64 bits, or "
                    "particles nearer to the origin, would not be rounded",
                    config.initial_conditions.file, words));
  if (is_written) notes.push_back(fmt::format("output.single_precision writes positions in {}. Take position out of it", words));
  return notes;
}

}  // namespace grove
