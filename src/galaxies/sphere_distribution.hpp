// The velocities of a sphere in equilibrium: its distribution function.
#pragma once

#include <optional>
#include <vector>

#include "src/galaxies/random.hpp"
#include "src/galaxies/sphere_mass.hpp"
#include "src/galaxies/spherical_potential.hpp"

namespace grove {

/// How radial the orbits of a sphere are.
struct Anisotropy {
  double beta = 0;    ///< 1 - sigma_t^2 / sigma_r^2, the same everywhere
  double radius = 0;  ///< beta = r^2 / (r^2 + radius^2); 0: not so
};

/// Distribution function by inversion of the density in a potential: f(E) (Eddington 1916), f(E + L^2 / (2 radius^2)) (Osipkov 1979,
/// Merritt 1985), or L^(-2 beta) f(E) (Cuddeford 1991). Safe to draw from with many threads.
class SphereDistribution {
 public:
  SphereDistribution(const SphereMass& sphere, const SphericalPotential& potential, const Anisotropy& anisotropy);

  /// Whether the numbers of the sphere and its field are such that there is a result.
  bool is_finite() const { return is_finite_; }
  /// The lowest energy, below that at infinity, at which f < 0; nothing: it is a distribution function.
  std::optional<double> negative_at() const { return negative_at_; }

  /// Position about the centre and velocity of one particle. False: no velocity is found.
  [[nodiscard]] bool draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const;

  double density(double radius) const;
  /// Radial dispersion by Jeans' equation in the same potential.
  double radial_dispersion(double log_radius) const;
  double anisotropy_at(double radius) const;

 private:
  /// The speeds at one radius: largest one that occurs, and the largest value of their distribution.
  struct Speeds {
    double fastest = 0, bound = 0;
  };

  /// Integrals over the density out of which f is made.
  double inverted(const RadialSpline& log_density, double log_radius) const;
  double value(double above_centre) const;
  double speed_distribution(double above_centre, double speed) const;
  Speeds speeds_at(double log_radius) const;
  double draw_radius(double part) const;
  double between_radii(const std::vector<double>& column, double log_radius) const;

  SphericalPotential potential_;
  Anisotropy anisotropy_;
  std::vector<double> density_;
  double core_ = 0;                  // part of the mass further in than the shells
  std::vector<double> mass_inside_;  // out to the edges of shells, over the whole
  double first_ = 0, step_ = 0;      // of ln(above centre / below infinity)
  std::vector<double> log_f_;
  std::vector<Speeds> speeds_;
  std::vector<double> dispersion2_;
  bool is_finite_ = true;
  std::optional<double> negative_at_;
};

}  // namespace grove
