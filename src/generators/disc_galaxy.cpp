// A disc that turns in a spherical halo; see disc_equilibrium.hpp.
#include "src/generators/disc_galaxy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace grove {
namespace {

/// Functions of the radius, tabulated at even steps of its logarithm from `first` to `last` and constant beyond both.
template <std::size_t count>
class RadialTable {
 public:
  using Row = std::array<double, count>;

  template <class Function>
  RadialTable(double first, double last, const Function& row)
      : log_first_(std::log(first)), spacing_((std::log(last) - log_first_) / (entries - 1)) {
    for (int i = 0; i < entries; ++i) rows_.push_back(row(first * std::exp(spacing_ * i)));
  }

  Row at(double radius) const {
    const double place = std::clamp((std::log(radius) - log_first_) / spacing_, 0.0, static_cast<double>(entries - 1));
    const auto i = std::min(static_cast<std::size_t>(place), rows_.size() - 2);
    const double weight = place - static_cast<double>(i);
    Row row;
    for (std::size_t k = 0; k < count; ++k) row[k] = (1 - weight) * rows_[i][k] + weight * rows_[i + 1][k];
    return row;
  }

 private:
  static constexpr int entries = 500;
  double log_first_, spacing_;
  std::vector<Row> rows_;
};

/// Less than 1e-7 of the disc lies below the first radius and less than 1e-40 above the last, in scale lengths.
constexpr double first_radius = 1e-4, last_radius = 100;

Draw disc_of(const DiscParameters& p, const DiscEquilibrium& equilibrium) {
  const RadialTable<4> motion(first_radius * p.scale_length, last_radius * p.scale_length, [&](double radius) {
    const DiscMotion m = equilibrium.motion(radius);
    return RadialTable<4>::Row{m.rotation, m.sigma_radial, m.sigma_azimuthal, m.sigma_vertical};
  });
  return [motion, scale_length = p.scale_length, height = p.height](RandomStream& random, ModelParticle& particle) {
    // The mass inside a radius is a gamma distribution of shape 2: the sum of two exponential deviates.
    const double radius = -scale_length * (std::log(random.uniform()) + std::log(random.uniform()));
    const double phi = 2.0 * std::numbers::pi * random.uniform(), cosine = std::cos(phi), sine = std::sin(phi);
    particle.position[0] = radius * cosine;
    particle.position[1] = radius * sine;
    particle.position[2] = height * std::atanh(2.0 * random.uniform() - 1.0);
    const auto [rotation, sigma_radial, sigma_azimuthal, sigma_vertical] = motion.at(radius);
    const double radial = sigma_radial * random.normal(), azimuthal = rotation + sigma_azimuthal * random.normal();
    particle.velocity[0] = radial * cosine - azimuthal * sine;
    particle.velocity[1] = radial * sine + azimuthal * cosine;
    particle.velocity[2] = sigma_vertical * random.normal();
  };
}

/// The halo's sphere with the speeds that it has in the field of the disc.
Draw halo_of(const std::string& model, const DiscParameters& p, const DiscEquilibrium& equilibrium) {
  const Draw alone = model == "hernquist" ? hernquist_sphere(p.halo) : plummer_sphere(p.halo);
  const RadialTable<1> factor(1e-4 * std::min(p.halo.scale_radius, p.scale_length), p.halo.cutoff * p.halo.scale_radius,
                              [&](double radius) { return RadialTable<1>::Row{equilibrium.halo_speed_factor(radius)}; });
  return [=](RandomStream& random, ModelParticle& particle) {
    alone(random, particle);
    const double f = factor.at(std::hypot(particle.position[0], particle.position[1], particle.position[2]))[0];
    for (double& component : particle.velocity) component *= f;
  };
}

}  // namespace

DiscParameters disc_parameters(const InitialConditions& conditions, const DiscScale& scale, const std::string& halo, double G) {
  const double share = conditions.number("disc_mass"), length = scale.length;
  DiscParameters p;
  p.mass = share * scale.mass;
  p.scale_length = length;
  p.height = conditions.number("height") * length;
  p.toomre_q = conditions.number("toomre_q");
  p.halo = {(1 - share) * scale.mass, conditions.number("halo_radius") * length, conditions.number("cutoff"), G};
  p.halo_profile = halo == "hernquist" ? hernquist_profile() : plummer_profile();
  return p;
}

DiscGalaxy disc_galaxy(const InitialConditions& conditions, const DiscScale& scale, const std::string& halo, std::uint64_t n, double G) {
  const DiscParameters p = disc_parameters(conditions, scale, halo, G);
  const DiscEquilibrium equilibrium(p);
  const std::uint64_t in_disc = first_part_count(n, conditions.number("disc_particles"));
  return {{{}, in_disc, p.mass, disc_of(p, equilibrium)}, {{}, n - in_disc, p.halo.mass, halo_of(halo, p, equilibrium)}};
}

void add_disc_settings(std::vector<Setting>& settings) {
  settings.insert(settings.end(), {{"disc_mass", 0.1, {1e-6, 0.9}, "part of the mass that is in the disc"},
                                   {"disc_particles", 0.5, {1e-6, 0.999999}, "part of the particles that is in the disc"},
                                   {"height", 0.1, {1e-3, 0.5}, "scale height of the disc, sech^2(z / height), in scale lengths"},
                                   {"toomre_q", 1.5, {0.0, 10.0}, "Toomre's Q of the disc at two scale lengths"},
                                   {"halo_radius", 3.0, {1e-2, 1e3}, "scale radius of the halo, in scale lengths"}});
}

}  // namespace grove
