#include "src/analysis/bar.hpp"

#include <cmath>
#include <numbers>

#include "src/analysis/profile_columns.hpp"

namespace grove {

namespace {

constexpr double degree = std::numbers::pi / 180;
/// Fewer particles have a large A2 by chance.
constexpr double least_share_of_bar = 0.01;
/// Cosine of 18 degrees: beyond, the projection of the x axis is too short to give a steady direction.
constexpr double most_along_axis = 0.95;

}  // namespace

double a2_of(const Moments& mean) { return std::hypot(mean[disc_cos2], mean[disc_sin2]); }

double a2_phase_of(const Moments& mean) {
  if (!(a2_of(mean) > 0)) return Bar::unknown;
  const double phase = std::atan2(mean[disc_sin2], mean[disc_cos2]) / 2 / degree;
  // A tiny negative phase rounds to 180.
  return phase >= 0 ? phase : phase + 180 < 180 ? phase + 180 : 0;
}

Bar bar_of(const GroupMoments& moments, const std::vector<double>& edges, const Group& group, const std::optional<double>& radius) {
  Bar bar;
  const auto is_better = [&](double a2, double edge) {
    return radius ? !(std::abs(edge - *radius) >= std::abs(bar.radius - *radius)) : !(a2 <= bar.a2);
  };
  for (std::size_t k = 0; k < moments.shells.size(); ++k) {
    const ShellMoments& shell = moments.shells[k];
    const auto inside = static_cast<double>(shell.particles_inside);
    const double a2 = a2_of(shell.mean_inside);
    if (inside < least_share_of_bar * static_cast<double>(group.particles) || std::isnan(a2) || !is_better(a2, edges[k + 1])) continue;
    bar = {.a2 = a2,
           .noise = 1 / std::sqrt(inside),
           .radius = edges[k + 1],
           .phase = a2_phase_of(shell.mean_inside),
           .rotation = shell.mean[disc_v_phi] / (edges[k] / 2 + edges[k + 1] / 2)};
  }
  return bar;
}

DiscPlane plane_of(const Double3& axis) {
  const Double3 from = std::abs(axis.x) < most_along_axis ? Double3{1, 0, 0} : Double3{0, 1, 0};
  const Double3 across = from - dot(from, axis) * axis;
  return {axis, (1 / std::sqrt(dot(across, across))) * across};
}

double turn_of_bar(const Bar& before, const DiscPlane& plane_before, const Bar& after, const DiscPlane& plane_after) {
  const Double3 &from = plane_before.x_axis, &x = plane_after.x_axis;
  const double turn_of_axes = std::atan2(dot(from, cross(plane_after.axis, x)), dot(from, x)) / degree;
  const double turn = after.phase - before.phase - turn_of_axes;
  return turn - 180 * std::round(turn / 180);
}

}  // namespace grove
