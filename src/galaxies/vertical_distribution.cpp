#include "src/galaxies/vertical_distribution.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

namespace grove {
namespace {

constexpr std::size_t vertical_energies = 96;

}  // namespace

VerticalDistribution::VerticalDistribution(const std::vector<double>& heights, const double* potential, const HeightLaw& law)
    : heights_(heights), law_(law) {
  // potential / z^2 is smooth down to the plane.
  for (std::size_t j = 1; j < heights.size(); ++j) over_z2_.push_back(potential[j] / (heights[j] * heights[j]));
  over_z2_.insert(over_z2_.begin(), over_z2_.front());
  const double highest = heights_.back();
  for (std::size_t i = 0; i < vertical_energies; ++i) {
    const double part = static_cast<double>(i) / vertical_energies, lowest = 0.9 * highest * part * part;
    const double energy = potential_at(lowest);
    // z = lowest + x^2 takes out the singularity.
    const auto term = [&](double x) {
      const double z = lowest + x * x, above = potential_at(z) - energy;
      return above > 0 ? -law_.slope(z) * 2 * x / std::sqrt(2 * above) : 0;
    };
    double f = 0, from = 0;
    for (double to = 0.5 * std::sqrt(law_.scale); from < std::sqrt(highest - lowest); to += 0.5 * std::sqrt(law_.scale)) {
      to = std::min(to, std::sqrt(highest - lowest));
      f += boost::math::quadrature::gauss<double, 10>::integrate(term, from, to);
      from = to;
    }
    energy_.push_back(energy);
    log_f_.push_back(std::log(std::max(f, 1e-300)));
  }
  // Rejection needs that f falls.
  for (std::size_t i = vertical_energies - 1; i-- > 0;) log_f_[i] = std::max(log_f_[i], log_f_[i + 1]);
  const auto pressure = [&](double z) {
    // The work of the force over all that is above: integral of rho sigma^2 dz = integral of z rho dPhi/dz dz.
    const double step = 1e-3 * law_.scale,
                 slope = (potential_at(z + step) - potential_at(std::max(0.0, z - step))) / (z > step ? 2 * step : z + step);
    return z * law_.density(z) * slope;
  };
  double work = 0, mass = 0;
  for (int piece = 0; piece < 24; ++piece) {
    const double from = highest * piece / 24, to = highest * (piece + 1) / 24;
    work += boost::math::quadrature::gauss<double, 10>::integrate(pressure, from, to);
    mass += boost::math::quadrature::gauss<double, 10>::integrate([&](double z) { return law_.density(z); }, from, to);
  }
  dispersion_ = std::sqrt(work / mass);
}

double VerticalDistribution::potential_at(double z) const {
  // Heights grow with the square of their number.
  const double place = std::sqrt(z / heights_.back()) * static_cast<double>(heights_.size() - 1);
  const std::size_t j = std::min(static_cast<std::size_t>(place), heights_.size() - 2);
  const double weight = place - static_cast<double>(j);
  return z * z * ((1 - weight) * over_z2_[j] + weight * over_z2_[j + 1]);
}

double VerticalDistribution::value(double energy) const {
  if (energy >= energy_.back()) return 0;
  const auto next = std::upper_bound(energy_.begin() + 1, energy_.end() - 1, energy);
  const auto i = static_cast<std::size_t>(next - energy_.begin());
  const double weight = (energy - energy_[i - 1]) / (energy_[i] - energy_[i - 1]);
  return std::exp((1 - weight) * log_f_[i - 1] + weight * log_f_[i]);
}

bool VerticalDistribution::draw(RandomStream& random, double& z, double& vz) const {
  const double highest = 0.8 * heights_.back();
  double above = 0;
  do {
    above = law_.height_with(random.uniform());
  } while (above > highest);
  const double energy = potential_at(above), most = value(energy);
  // Beyond this velocity f is below 1e-8 of its value at rest.
  std::size_t last = vertical_energies - 1;
  while (last > 1 && log_f_[last - 1] < std::log(most) - 18.4) --last;
  const double fastest = std::sqrt(2 * std::max(energy_[last] - energy, 0.0));
  bool is_found = false;
  for (int trial = 0; trial < most_trials && !is_found; ++trial) {
    vz = fastest * (2 * random.uniform() - 1);
    is_found = most * random.uniform() < value(energy + 0.5 * vz * vz);
  }
  z = random.uniform() < 0.5 ? above : -above;
  return is_found;
}

}  // namespace grove
