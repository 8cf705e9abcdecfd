#include "src/analysis/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "decomposition/ranks/exact_sum.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/analysis/external_rotation.hpp"
#include "src/analysis/ordered_values.hpp"
#include "src/analysis/profile_columns.hpp"

namespace grove {

namespace {

/// Particles farther out than those of this share do not say how a disc lies.
constexpr double share_of_axis = 0.999;

double length_of(const Double3& a) { return std::sqrt(dot(a, a)); }
Double3 unit(const Double3& a) {
  const double length = length_of(a);
  return {a.x / length, a.y / length, a.z / length};
}

/// The particles as they are seen from the centre.
class FromCentre {
 public:
  FromCentre(const ParticleSet& particles, const Centre& centre) : particles_(particles), centre_(centre) {}
  Double3 position(std::size_t i) const { return position_at(particles_, i) - centre_.position; }
  Double3 velocity(std::size_t i) const { return velocity_at(particles_, i) - centre_.velocity; }

  /// Directions and velocities in spherical coordinates; the polar axis is z, on which the azimuth is 0.
  ShellItem in_sphere(std::size_t i) const {
    const Double3 d = position(i), v = velocity(i);
    const double radius = length_of(d);
    if (radius == 0) return {0, {}, false};
    const Double3 outwards = unit(d);
    const double from_axis = std::sqrt(d.x * d.x + d.y * d.y);
    const Double3 azimuthal = from_axis > 0 ? Double3{-d.y / from_axis, d.x / from_axis, 0} : Double3{0, 1, 0};
    return {radius, {dot(v, outwards), dot(v, cross(azimuthal, outwards)), dot(v, azimuthal)}, true};
  }

  ShellItem in_disc(std::size_t i, const DiscPlane& plane) const {
    const Double3 d = position(i), v = velocity(i), &axis = plane.axis, y_axis = cross(axis, plane.x_axis);
    const double x = dot(d, plane.x_axis), y = dot(d, y_axis), radius = std::sqrt(x * x + y * y);
    if (radius == 0) return {0, {}, false};
    const double c = x / radius, s = y / radius;
    const Double3 outwards = c * plane.x_axis + s * y_axis;
    return {radius, {dot(v, outwards), dot(v, cross(axis, outwards)), dot(v, axis), dot(d, axis), c * c - s * s, 2 * c * s}, true};
  }

  /// Radii of the particles of a group, with their masses.
  template <class RadiusOf>
  OrderedValues radii(const Group& group, const Communicator& comm, RadiusOf radius_of) const {
    const auto number = std::count_if(particles_.type.begin(), particles_.type.end(), [&](std::uint8_t type) { return group.has(type); });
    std::vector<WeightedValue> radii;
    radii.reserve(static_cast<std::size_t>(number));
    for (std::size_t i = 0; i < particles_.size(); ++i)
      if (group.has(particles_.type[i])) radii.push_back({radius_of(i), particles_.mass[i]});
    return {std::move(radii), comm};
  }
  OrderedValues distances(const Group& group, const Communicator& comm) const {
    return radii(group, comm, [&](std::size_t i) { return length_of(position(i)); });
  }

  /// Sum over the particles of a group up to a radius.
  Double3 angular_momentum(const Group& group, double up_to, const Communicator& comm) const {
    const auto sum = exact_sums<3>(particles_.size(), comm, [&](std::size_t i, std::array<ExactSum, 3>& sums) {
      if (!group.has(particles_.type[i]) || length_of(position(i)) > up_to) return;
      const Double3 spin = group.weight(particles_.mass[i]) * cross(position(i), velocity(i));
      sums[0].add(spin.x);
      sums[1].add(spin.y);
      sums[2].add(spin.z);
    });
    return {sum[0], sum[1], sum[2]};
  }

 private:
  const ParticleSet& particles_;
  const Centre& centre_;
};

Double3 axis_of(const FromCentre& view, const Group& group, const Communicator& comm) {
  const double up_to = view.distances(group, comm).percentile(share_of_axis);
  const Double3 spin = view.angular_momentum(group, up_to, comm);
  // Only its direction matters; its square could be too small or too large for a double.
  const double size = std::max({std::abs(spin.x), std::abs(spin.y), std::abs(spin.z)});
  comm.agree([&] {
    if (!(size > 0) || !std::isfinite(size))
      throw DataError(fmt::format("'{}' has no angular momentum about the centre, so there is no plane of a disc", group.name));
  });
  return unit({spin.x / size, spin.y / size, spin.z / size});
}

const Group& chosen_group(const std::vector<Group>& groups, const std::string& option, const std::string& name, const Communicator& comm) {
  const Group* const found = find_named(groups, name);
  comm.agree([&] {
    if (found) return;
    std::vector<std::string> names;
    for (const Group& group : groups) names.push_back(group.name);
    throw ConfigError(fmt::format("{} {}: there are {}{}", option, name, fmt::join(names, ", "), suggestion(name, names)));
  });
  return *found;
}

/// What a centre is found from, of the particles of one group.
ParticleSet particles_of(const Group& group, const ParticleSet& particles) {
  ParticleSet chosen;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (!group.has(particles.type[i])) continue;
    const auto at = static_cast<std::ptrdiff_t>(3 * i);
    chosen.position.insert(chosen.position.end(), particles.position.begin() + at, particles.position.begin() + at + 3);
    chosen.velocity.insert(chosen.velocity.end(), particles.velocity.begin() + at, particles.velocity.begin() + at + 3);
    chosen.mass.push_back(particles.mass[i]);
    chosen.type.push_back(particles.type[i]);
  }
  return chosen;
}

/// The centre of the component that is asked for; in a collision the densest point of all can be that of the other galaxy.
std::pair<Centre, std::string> chosen_centre(const ParticleSet& particles, const std::vector<Group>& groups, const std::string& name,
                                             const CentreChoice& choice, const Communicator& comm) {
  const auto of = [&](const ParticleSet& some, const Group& group) {
    const Centre centre = find_centre(some, group, choice, comm);
    return std::pair(centre, choice.kind == CentreKind::given ? "" : note_on_centre(some, group, centre, comm));
  };
  if (name == groups.front().name || choice.kind == CentreKind::given) return of(particles, groups.front());
  const Group& group = chosen_group(groups, "--centre-on", name, comm);
  ParticleSet chosen;
  comm.agree([&] { chosen = particles_of(group, particles); });
  return of(chosen, group);
}

/// The values of all columns in these shells.
std::vector<std::vector<double>> column_values(const std::vector<ShellView>& shells, bool is_disc) {
  std::vector<std::vector<double>> values;
  for (const ProfileColumn& column : profile_columns(is_disc)) {
    std::vector<double>& of_column = values.emplace_back();
    for (const ShellView& shell : shells) of_column.push_back(column.value(shell));
  }
  return values;
}

}  // namespace

SnapshotProfile measure_profile(const ParticleSet& particles, const ComponentNames& names, double G, const ProfileRequest& request,
                                const Communicator& comm, const std::vector<ExternalParameters>& external) {
  const std::vector<Group> groups = groups_of(particles, names, comm);
  const bool is_disc = !request.disc.empty();
  const Group& disc = is_disc ? chosen_group(groups, "--disc", request.disc, comm) : groups.front();
  const std::string centre_on = request.centre_on.empty() ? disc.name : request.centre_on;
  const auto [centre, note] = chosen_centre(particles, groups, centre_on, request.centre, comm);
  SnapshotProfile profile{centre, note, centre_on, is_disc, {}, {}};
  const FromCentre view(particles, profile.centre);
  std::vector<double> edges;
  ShellItemOf item_of = [&](std::size_t i) { return view.in_sphere(i); };
  if (is_disc) {
    profile.plane = plane_of(axis_of(view, disc, comm));
    item_of = [&](std::size_t i) { return view.in_disc(i, profile.plane); };
    edges = shell_edges(request.shells, view.radii(disc, comm, [&](std::size_t i) { return item_of(i).radius; }));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const OrderedValues distances = view.distances(groups[g], comm);
    GroupProfile& of_group = profile.groups.emplace_back(GroupProfile{groups[g], {}, {}, 0, 0, {}});
    for (const double share : request.fractions) of_group.lagrangian_radii.push_back(distances.weighted_percentile(share));
    if (g == 0 && !is_disc) edges = shell_edges(request.shells, distances);
  }
  const std::vector<GroupMoments> moments = shell_moments(particles, groups, edges, item_of, comm);
  const auto medians = is_disc ? shell_medians(particles, groups, edges, item_of, disc_z, comm) : std::vector<std::vector<double>>{};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<ShellView> shells;
    for (std::size_t k = 0; k < moments[g].shells.size(); ++k) {
      ShellView& shell = shells.emplace_back(ShellView{edges[k], middle_of_shell(request.shells.spacing, edges[k], edges[k + 1]),
                                                       edges[k + 1], G, 0, 0, moments[g].shells[k]});
      if (is_disc) shell.median_height = medians[g][k];
      if (g == 0) shell.external_v2 = external_circular_velocity2(external, G, centre.position, shell.outer);
    }
    GroupProfile& of_group = profile.groups[g];
    of_group.columns = column_values(shells, is_disc);
    of_group.inside = moments[g].inside;
    of_group.outside = moments[g].outside;
    if (is_disc) of_group.bar = bar_of(moments[g], edges, groups[g], request.bar_radius);
  }
  return profile;
}

}  // namespace grove
