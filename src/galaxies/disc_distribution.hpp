// The motion of a disc in equilibrium.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "src/galaxies/disc_potential.hpp"
#include "src/galaxies/random.hpp"
#include "src/galaxies/vertical_distribution.hpp"

namespace grove {

/// Distribution function of Kuijken & Dubinski (1995): N(R_c) exp(-(E_p - E_c) / sigma_R^2(R_c)) in the plane, with the guiding radius R_c
/// of an angular momentum, times f(E_z) across it. N, sigma_R and the height at each R_c are corrected until surface density, radial
/// dispersion and thickness at each R are the wanted ones. An orbit that leaves its guiding radius keeps its vertical action.
class DiscDistribution {
 public:
  DiscDistribution(const ComponentParameters& disc, const PlanePotential& plane, double G);

  /// Position about the centre and velocity of one particle; the disc turns about +z. False: no velocity is found.
  [[nodiscard]] bool draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const;

  double surface_density(double R) const;
  double circular_velocity(double R) const { return std::sqrt(at(circular_velocity2_, R)); }
  double epicyclic_frequency(double R) const { return std::sqrt(at(epicyclic2_, R)); }
  /// The wanted radial dispersion, and the vertical one that belongs to the height.
  double radial_dispersion(double R) const { return at(sigma_wanted_, R); }
  double vertical_dispersion(double R) const { return at(vertical_dispersion_, R); }
  double toomre_q(double R) const;

  /// The innermost radius at which no circular orbit is stable; nothing: it is a distribution function.
  std::optional<double> unstable_at() const { return unstable_at_; }

  /// The energy of radial motion that is too much or too little, all radii together, as a part of the energy of the disc.
  double misfit() const { return misfit_; }

 private:
  using Column = std::vector<double>;

  double at(const Column& column, double R) const;
  bool find_frequencies(const PlanePotential& plane, std::size_t at_height);
  void find_dispersions(double toomre_q, double q_radius);
  void correct();
  void tabulate_guiding_radii(const Column& weights);
  Column weights_of_guiding_radii() const;

  PlaneGrid grid_;
  double mass_, length_, G_, counter_rotating_;
  Column circular_velocity2_, potential_, epicyclic2_, vertical_frequency_;
  Column sigma_wanted_, sigma_, density_, height_factor_, vertical_dispersion_;
  std::vector<float> guiding_;  ///< [grid_.count][deviates]: place on the grid of the guiding radius for a normal deviate
  std::vector<VerticalDistribution> vertical_;
  double misfit_ = 0;
  std::optional<double> unstable_at_;
};

}  // namespace grove
