#include "src/generators/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace grove {
namespace {

constexpr int shells = 256, halvings = 60;

/// Mean of 1 / distance between two shells. Where one point of the first is r from the centre of the second, it is 1 / max(r, second); the
/// rest is the mean over the first, in whose points r dr is distributed evenly.
double mean_inverse_distance(double first, double second, double separation) {
  const double low = std::abs(separation - first), high = separation + first;
  double sum = 0;
  if (low < second) sum += (std::pow(std::min(high, second), 2) - low * low) / (2 * second);
  if (high > second) sum += high - std::max(low, second);
  return sum / (2 * separation * first);
}

}  // namespace

ShellBody shell_body(double mass, double edge, const std::function<double(double)>& mass_inside) {
  ShellBody body{mass, {}};
  for (int k = 0; k < shells; ++k) {
    const double wanted = (k + 0.5) / shells * mass_inside(edge);
    double low = 0, high = edge;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (mass_inside(middle) < wanted ? low : high) = middle;
    }
    body.radius.push_back(high);
  }
  return body;
}

double overlap_factor(const std::vector<ShellBody>& a, const std::vector<ShellBody>& b, double separation) {
  double energy = 0, masses = 0;
  for (const ShellBody& one : a)
    for (const ShellBody& other : b) {
      double sum = 0;
      for (const double first : one.radius)
        for (const double second : other.radius) sum += mean_inverse_distance(first, second, separation);
      energy += one.mass * other.mass * sum / static_cast<double>(one.radius.size() * other.radius.size());
      masses += one.mass * other.mass;
    }
  return energy * separation / masses;
}

}  // namespace grove
