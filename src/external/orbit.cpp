#include "src/external/orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

using OrbitPoints = std::vector<OrbitPoint>;

/// At point `at`, of the polynomial through the points [begin, end): the derivative of its Lagrange form.
Double3 velocity_of_polynomial(const OrbitPoints& points, std::size_t begin, std::size_t end, std::size_t at) {
  const auto weight = [&](std::size_t i) {
    double product = 1;
    for (std::size_t k = begin; k < end; ++k)
      if (k != i) product *= points[i].time - points[k].time;
    return 1 / product;
  };
  Double3 velocity;
  for (std::size_t i = begin; i < end; ++i)
    if (i != at) velocity = velocity + (weight(i) / weight(at) / (points[at].time - points[i].time)) * (points[i].place - points[at].place);
  return velocity;
}

/// Velocities with which the second derivative has no jumps: a tridiagonal system, solved from the known ends.
void set_velocities(OrbitPoints& points) {
  const std::size_t n = points.size(), some = std::min<std::size_t>(n, 4);
  points.front().velocity = velocity_of_polynomial(points, 0, some, 0);
  points.back().velocity = velocity_of_polynomial(points, n - some, n, n - 1);
  std::vector<double> next(n);  // velocity[i] is what stands in points, minus next[i] velocity[i + 1]
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = points[i].time - points[i - 1].time, after = points[i + 1].time - points[i].time;
    const Double3 sum =
        (3 * after / before) * (points[i].place - points[i - 1].place) + (3 * before / after) * (points[i + 1].place - points[i].place);
    const double per_pivot = 1 / (2 * (before + after) - after * next[i - 1]);
    next[i] = before * per_pivot;
    points[i].velocity = per_pivot * (sum - after * points[i - 1].velocity);
  }
  for (std::size_t i = n - 1; i-- > 1;) points[i].velocity = points[i].velocity - next[i] * points[i + 1].velocity;
}

}  // namespace

Orbit::Orbit(std::vector<OrbitPoint> points, std::string name) : points_(std::move(points)), name_(std::move(name)) {
  if (points_.size() < 2) throw ConfigError(fmt::format("{}: has {} rows; a path needs two or more", name_, points_.size()));
  for (std::size_t i = 1; i < points_.size(); ++i)
    if (!(points_[i].time > points_[i - 1].time))
      throw ConfigError(
          fmt::format("{}: time {:.10g} comes after {:.10g}; times must increase", name_, points_[i].time, points_[i - 1].time));
  set_velocities(points_);
}

Double3 Orbit::at(double time) const {
  if (points_.empty()) return {};
  const auto next =
      std::upper_bound(points_.begin() + 1, points_.end() - 1, time, [](double t, const OrbitPoint& point) { return t < point.time; });
  const OrbitPoint &a = next[-1], &b = *next;
  const double h = b.time - a.time, s = (time - a.time) / h, r = 1 - s;
  return (r * r * (1 + 2 * s)) * a.place + (s * s * (1 + 2 * r)) * b.place + (h * s * r) * (r * a.velocity - s * b.velocity);
}

void Orbit::require_times(double begin, double end) const {
  // A file may have been written with fewer digits.
  const double slack = moves() ? 1e-9 * (points_.back().time - points_.front().time) : 0;
  // Points that were appended have no name, and others follow.
  if (!moves() || name_.empty() || (points_.front().time <= begin + slack && points_.back().time >= end - slack)) return;
  throw ConfigError(fmt::format("{}: has times from {:.10g} to {:.10g}; those from {:.10g} to {:.10g} are needed", name_,
                                points_.front().time, points_.back().time, begin, end));
}

}  // namespace grove
