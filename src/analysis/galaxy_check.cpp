#include "src/analysis/galaxy_check.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>
#include <span>

#include "kernels/space/vector.hpp"
#include "src/analysis/groups.hpp"
#include "src/analysis/model_mass.hpp"
#include "src/galaxies/galaxy_place.hpp"
#include "src/galaxies/height_law.hpp"
#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

/// Parts of the mass of a component between which shells lie, where these have enough particles.
constexpr double mass_parts[] = {0, 0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 0.99};
constexpr double fewest_of_shell = 30;
/// Beyond the noise, as parts of what is wanted: the tables of a sphere, and the approximate distribution function of a disc.
constexpr double allowed_of_sphere = 0.005, allowed_of_disc = 0.03;
/// Of mean radial velocities over the circular velocity, and of the virial ratio.
constexpr double allowed_flow = 0.005, allowed_virial = 0.005;

/// The sums over the particles of a shell.
enum ShellSum : std::size_t { in_number, in_v, in_v2, in_v4, in_across, in_across2, shell_sums };
/// Mass of a component by the logarithm of its radius: what its particles feel of another one.
constexpr std::size_t log_bins = 2048;
constexpr double log_first = -25, log_step = 40.0 / log_bins;  // of the radius in half-mass radii of the component

/// A component while its particles are counted.
struct Counting {
  const GalaxyPart* part;
  CheckedComponent checked;
  std::optional<ModelMass> mass;
  std::vector<double> parts, edges;        ///< of shells, one more than these
  std::vector<double> sums;                ///< [shells][shell_sums]
  std::vector<double> virial_of;           ///< [log_bins + 1] G sum of m / r further out, for a source of mass 1
  std::array<double, 2> kinetic_virial{};  ///< 2 K and sum m x.a
};

/// Vector i of particles in the frame of a galaxy whose discs lie in the xy plane; `zero` is the galaxy's own.
Double3 seen_from(const GalaxyPlace& place, const double (&zero)[3], const std::vector<double>& vectors, std::size_t i) {
  double v[3] = {vectors[3 * i] - zero[0], vectors[3 * i + 1] - zero[1], vectors[3 * i + 2] - zero[2]};
  place.turn_back(v);
  return {v[0], v[1], v[2]};
}

/// One particle in the frame of its galaxy.
struct Placed {
  std::size_t component;
  double m, r, v2, xa;    ///< mass, distance from the centre, squared velocity, position times acceleration
  double radius, radial;  ///< along r, or along R of a disc
  double across;          ///< |z|, or the mean square of a velocity across the radius
};

/// Calls work(placed) for this rank's particles of a galaxy; `first_ids` has one more than components.
template <class Work>
void for_each_placed(const ParticleSet& particles, const GalaxyPlace& place, const std::vector<std::uint64_t>& first_ids,
                     const std::vector<Counting>& components, const Work& work) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto next = std::upper_bound(first_ids.begin(), first_ids.end(), particles.id[i]);
    if (next == first_ids.begin() || next == first_ids.end()) continue;
    Placed p{};
    p.component = static_cast<std::size_t>(next - first_ids.begin()) - 1;
    const Double3 x = seen_from(place, place.position, particles.position, i);
    const Double3 v = seen_from(place, place.velocity, particles.velocity, i);
    const Double3 a = seen_from(place, {0, 0, 0}, particles.acceleration, i);
    p.m = particles.mass[i];
    p.r = std::hypot(x.x, x.y, x.z);
    p.v2 = v.x * v.x + v.y * v.y + v.z * v.z;
    p.xa = x.x * a.x + x.y * a.y + x.z * a.z;
    const bool is_disc = components[p.component].checked.model.disc != nullptr;
    p.radius = is_disc ? std::hypot(x.x, x.y) : p.r;
    p.radial = p.radius > 0 ? (x.x * v.x + x.y * v.y + (is_disc ? 0 : x.z * v.z)) / p.radius : 0;
    p.across = is_disc ? std::abs(x.z) : 0.5 * (p.v2 - p.radial * p.radial);
    work(p);
  }
}

std::size_t log_bin(double r, double scale) {
  const double place = r > 0 ? (std::log(r / scale) - log_first) / log_step : 0;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(log_bins - 1)));
}

void choose_shells(Counting& counting) {
  const double count = static_cast<double>(counting.part->plan.count);
  counting.mass.emplace(counting.checked.model);
  counting.parts = {0};
  for (const double part : mass_parts)
    if (part > 0 && (part - counting.parts.back()) * count >= fewest_of_shell) counting.parts.push_back(part);
  if (counting.parts.size() == 1) counting.parts.push_back(mass_parts[std::size(mass_parts) - 1]);
  for (const double part : counting.parts) counting.edges.push_back(part > 0 ? counting.mass->radius_with(part) : 0);
  counting.sums.assign((counting.edges.size() - 1) * shell_sums, 0);
}

void count(const Placed& p, Counting& counting) {
  counting.kinetic_virial[0] += p.m * p.v2;
  counting.kinetic_virial[1] += p.m * p.xa;
  if (!counting.mass) return;
  if (p.r > 0) counting.virial_of[log_bin(p.r, counting.part->plan.half_mass_radius)] += p.m / p.r;
  const auto next = std::upper_bound(counting.edges.begin(), counting.edges.end(), p.radius);
  if (next == counting.edges.end() || next == counting.edges.begin()) return;
  double* const sums = &counting.sums[(static_cast<std::size_t>(next - counting.edges.begin()) - 1) * shell_sums];
  const double v2 = p.radial * p.radial;
  sums[in_number] += 1;
  sums[in_v] += p.radial;
  sums[in_v2] += v2;
  sums[in_v4] += v2 * v2;
  sums[in_across] += p.across;
  sums[in_across2] += p.across * p.across;
}

/// Sums over the ranks, and what is further out than each bin.
void finish_counting(Counting& counting, double G, const Communicator& comm) {
  comm.sum(std::span<double>(counting.kinetic_virial));
  if (!counting.mass) return;
  comm.sum(std::span<double>(counting.sums));
  comm.sum(std::span<double>(counting.virial_of));
  double outside = 0;
  for (std::size_t k = log_bins; k-- > 0;) {
    const double here = G * counting.virial_of[k];
    counting.virial_of[k] = outside + 0.5 * here;
    outside += here;
  }
}

/// A root mean square out of the mean of squares, whose deviation is `deviation`.
Compared dispersion(double wanted2, double mean2, double deviation, double n, double allowed) {
  const double drawn = std::sqrt(mean2);
  return {std::sqrt(wanted2), drawn, drawn > 0 ? 0.5 * deviation / drawn / std::sqrt(n) : 0, allowed * std::sqrt(wanted2)};
}

/// What a shell should have and has.
CheckedShell compared_shell(const Counting& c, std::size_t k, const ComponentParameters& parameters, double G,
                            const RotationCurve& rotation) {
  const ModelMass& mass = *c.mass;
  const GalaxyComponent& model = c.checked.model;
  const double* const sums = &c.sums[k * shell_sums];
  const double inner = c.edges[k], outer = c.edges[k + 1], part = c.parts[k + 1] - c.parts[k];
  const double volume = model.disc ? std::numbers::pi * (outer * outer - inner * inner)
                                   : 4 * std::numbers::pi / 3 * (outer * outer * outer - inner * inner * inner);
  const double count = static_cast<double>(c.part->plan.count), m = c.part->plan.mass / count, n = std::max(sums[in_number], 1.0);
  const double allowed = model.disc ? allowed_of_disc : allowed_of_sphere;
  CheckedShell shell;
  shell.radius = mass.radius_with(0.5 * (c.parts[k] + c.parts[k + 1]));
  shell.circular_velocity = rotation.total_at(shell.radius);
  const double density = m * count * part / volume;
  shell.density = {density, m * sums[in_number] / volume, m * std::sqrt(count * part * (1 - part)) / volume, allowed * density};
  const double mean = sums[in_v] / n, v2 = sums[in_v2] / n, v4 = sums[in_v4] / n;
  const double across = sums[in_across] / n, across2 = sums[in_across2] / n;
  const double of_v2 = std::sqrt(std::max(v4 - v2 * v2, 0.0)), of_across = std::sqrt(std::max(across2 - across * across, 0.0));
  shell.flow = {0, mean / shell.circular_velocity, std::sqrt(v2 / n) / shell.circular_velocity, allowed_flow};
  const auto radial2 = [&](double r) {
    const double sigma = model.disc ? model.disc->radial_dispersion(r) : model.sphere->radial_dispersion(std::log(r));
    return sigma * sigma;
  };
  shell.radial = dispersion(mass.mean(inner, outer, radial2), v2, of_v2, n, allowed);
  if (!model.disc) {
    const auto across_radius2 = [&](double r) { return radial2(r) * (1 - model.sphere->anisotropy_at(r)); };
    shell.across = dispersion(mass.mean(inner, outer, across_radius2), across, of_across, n, allowed);
    return shell;
  }
  const double height = HeightLaw(parameters).mean();
  shell.across = {height, across, of_across / std::sqrt(n), allowed * height};
  const double per_sigma = model.disc->epicyclic_frequency(shell.radius) / (3.36 * G);
  shell.wanted_q = per_sigma * shell.radial.wanted / shell.density.wanted;
  shell.drawn_q = per_sigma * shell.radial.drawn / shell.density.drawn;
  return shell;
}

/// Of the sums 2 K + sum m x.a of all components, [component]: over samples of the particles. A particle adds its own 2 K + m x.a and,
/// as a source, what others get.
std::vector<double> virial_noise(const ParticleSet& particles, const GalaxyPlace& place, const std::vector<std::uint64_t>& first_ids,
                                 const std::vector<Counting>& components, const Communicator& comm) {
  const std::size_t count = components.size();
  std::vector<double> sums(2 * count * count, 0);  // [of component][particles of component] of terms and their squares
  for_each_placed(particles, place, first_ids, components, [&](const Placed& p) {
    for (std::size_t c = 0; c < count; ++c) {
      if (!components[c].mass) continue;
      double term = c == p.component ? p.m * (p.v2 + p.xa) : 0;
      term -= p.m * components[c].virial_of[log_bin(p.r, components[c].part->plan.half_mass_radius)];
      double* const sum = &sums[2 * (c * count + p.component)];
      sum[0] += term;
      sum[1] += term * term;
    }
  });
  comm.sum(std::span<double>(sums));
  std::vector<double> noise;
  for (std::size_t c = 0; c < count; ++c) {
    double variance = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const double* const sum = &sums[2 * (c * count + j)];
      variance += std::max(sum[1] - sum[0] * sum[0] / static_cast<double>(components[j].part->plan.count), 0.0);
    }
    noise.push_back(std::sqrt(variance));
  }
  return noise;
}

CheckedGalaxy checked_galaxy(CheckedGalaxy galaxy, std::span<const GalaxyPart> parts, std::uint64_t first_id, double G,
                             const ParticleSet& particles, const Communicator& comm) {
  const GalaxyPlace place(galaxy.parameters);
  std::vector<Counting> components;
  std::vector<std::uint64_t> first_ids{first_id};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Counting& counting = components.emplace_back(Counting{&parts[i], std::move(galaxy.components[i]), {}, {}, {}, {}, {}});
    first_ids.push_back(first_ids.back() + parts[i].plan.count);
    if (is_point(galaxy.parameters.components[i].kind)) continue;
    choose_shells(counting);
    counting.virial_of.assign(log_bins, 0);
  }
  for_each_placed(particles, place, first_ids, components, [&](const Placed& p) { count(p, components[p.component]); });
  for (Counting& counting : components) finish_counting(counting, G, comm);
  const std::vector<double> noise = virial_noise(particles, place, first_ids, components, comm);
  for (std::size_t i = 0; i < components.size(); ++i) {
    Counting& c = components[i];
    const auto [kinetic, virial] = c.kinetic_virial;
    if (c.mass) c.checked.virial = {1, kinetic / std::abs(virial), noise[i] / std::abs(virial), 0};
    // Not beyond the noise, but in place of less.
    c.checked.virial.allowed = std::max(allowed_virial - 4 * c.checked.virial.noise, 0.0);
    for (std::size_t k = 0; k + 1 < c.edges.size(); ++k)
      c.checked.shells.push_back(compared_shell(c, k, galaxy.parameters.components[i], G, galaxy.rotation));
    galaxy.components[i] = std::move(c.checked);
  }
  return galaxy;
}

}  // namespace

std::vector<CheckedGalaxy> check_galaxies(const std::vector<GalaxyParameters>& galaxies, std::uint64_t n, double G,
                                          const ParticleSet& particles, const Communicator& comm) {
  std::vector<CheckedGalaxy> checked;
  std::vector<GalaxyPart> parts;
  comm.agree([&] {
    parts = parts_of(galaxies, n, G);
    for (std::size_t g = 0; g < galaxies.size(); ++g) {
      std::uint64_t count = 0;
      for (const GalaxyPart& part : parts) count += part.galaxy == g ? part.plan.count : 0;
      CheckedGalaxy galaxy{galaxies[g], {}, rotation_curve(galaxies[g], count, G)};
      for (GalaxyComponent& component : galaxy_components(galaxies[g], count, G))
        galaxy.components.push_back({std::move(component), {}, {}});
      checked.push_back(std::move(galaxy));
    }
  });
  std::uint64_t first_id = 0;
  std::span<const GalaxyPart> left = parts;
  for (CheckedGalaxy& galaxy : checked) {
    const auto own = left.first(galaxy.components.size());
    left = left.subspan(own.size());
    galaxy = checked_galaxy(std::move(galaxy), own, first_id, G, particles, comm);
    for (const GalaxyPart& part : own) first_id += part.plan.count;
  }
  return checked;
}

}  // namespace grove
