#include "src/analysis/external_rotation.hpp"

#include <cmath>
#include <numbers>

#include "kernels/base/type_table.hpp"
#include "src/external/external_potentials.hpp"

namespace grove {

namespace {

/// Places on the circle. Opposite ones cancel a uniform field; the mean of a smooth function converges exponentially.
constexpr int places = 64;

template <class Potential>
double mean_pull(const Potential& potential, const Double3& from_potential, double radius) {
  double sum = 0;
  for (int k = 0; k < places; ++k) {
    const double angle = 2 * std::numbers::pi * k / places;
    const Double3 outwards{std::cos(angle), std::sin(angle), 0};
    sum -= dot(position_of(potential.at(from_potential + radius * outwards)), outwards);
  }
  return sum / places;
}

}  // namespace

double external_circular_velocity2(const std::vector<ExternalParameters>& sections, double G, const Double3& centre, double radius) {
  double sum = 0;
  for (const ExternalParameters& section : sections)
    for_each_type<ExternalPotentials>([&]<class Potential>() {
      if (Potential::info().name != section.potential) return;
      const Double3 of_potential{section.number("x"), section.number("y"), section.number("z")};
      sum += radius * mean_pull(Potential(section, G), centre - of_potential, radius);
    });
  return sum;
}

}  // namespace grove
