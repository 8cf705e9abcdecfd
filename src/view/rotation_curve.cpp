#include "src/view/rotation_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/analysis/profile.hpp"
#include "src/analysis/profile_columns.hpp"
#include "src/process/background_work.hpp"
#include "src/run/files/log_units.hpp"
#include "src/view/sample_cache.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

/// What a curve needs of a sample.
struct SampledParticles {
  Json header;
  ParticleSet particles;  ///< at rest
  ComponentNames names;
};

template <class T>
std::vector<T> taken(std::string_view& bytes, std::size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

SampledParticles particles_in(std::string_view sample) {
  const std::size_t length = taken<std::uint32_t>(sample, 1).front();
  SampledParticles result{Json::parse(sample.substr(0, length)), {}, {}};
  sample.remove_prefix(length);
  const std::size_t shown = result.header["shown"];
  const std::vector<float> positions = taken<float>(sample, 3 * shown);
  ParticleSet& particles = result.particles;
  particles.resize(shown);
  const auto centre = result.header["centre"].get<std::array<double, 3>>();
  for (std::size_t k = 0; k < positions.size(); ++k) particles.position[k] = centre[k % 3] + positions[k];
  std::fill(particles.velocity.begin(), particles.velocity.end(), 0.0);
  particles.type = taken<std::uint8_t>(sample, shown);
  particles.mass = taken<double>(sample, shown);
  for (const Json& component : result.header["components"]) result.names[component["type"].get<std::size_t>()] = component["name"];
  return result;
}

/// Makes the particles of each component stand for all of it; returns the names of components that have none.
std::vector<std::string> stand_for_all(SampledParticles& sample) {
  std::vector<std::string> missing;
  std::array<double, particle_type_count> each{};
  for (const Json& component : sample.header["components"]) {
    const auto type = component["type"].get<std::uint8_t>();
    const auto shown = std::count(sample.particles.type.begin(), sample.particles.type.end(), type);
    if (shown == 0) missing.push_back(component["name"]);
    each[type] = shown > 0 ? component["particles"].get<double>() / static_cast<double>(shown) : 0;
  }
  for (std::size_t i = 0; i < sample.particles.size(); ++i) sample.particles.mass[i] *= each[sample.particles.type[i]];
  return missing;
}

std::vector<double> column(const GroupProfile& group, std::string_view name, double unit) {
  const auto columns = profile_columns(false);
  const auto at = std::find_if(columns.begin(), columns.end(), [&](const ProfileColumn& c) { return c.name == name; });
  std::vector<double> values = group.columns.at(static_cast<std::size_t>(at - columns.begin()));
  for (double& value : values) value *= unit;
  return values;
}

}  // namespace

nlohmann::ordered_json rotation_curve(const std::string& sample, const Config& config, const Communicator& comm) {
  if (thread_level_of_mpi() < MPI_THREAD_MULTIPLE) throw SystemError("no rotation curve: this MPI library does not let two threads use it");
  SampledParticles sampled = particles_in(sample);
  std::vector<std::string> missing = stand_for_all(sampled);
  std::vector<ExternalParameters> external = config.external_sections();
  std::erase_if(external, [](const ExternalParameters& p) { return !p.is_there(); });
  // No file says where a potential is that moves.
  if (std::erase_if(external, [](const ExternalParameters& p) { return !p.text("orbit").empty(); }) > 0)
    missing.push_back("external potentials that move");
  SnapshotProfile profile;
  try {
    profile = measure_profile(sampled.particles, sampled.names, config.gravity.G, {}, comm, external);
  } catch (const AgreedError& error) {
    throw DataError(sampled.header["snapshot"].get<std::string>() + ": " + error.what());
  }
  const bool has_units = is_physical(config.units);
  const LogUnit length = log_units(config.units).length;
  const double speed = has_units ? config.units.velocity_in_cm_per_s / 1e5 : 1;
  Json json = {{"snapshot", sampled.header["snapshot"]},
               {"particles", sampled.header["particles"]},
               {"shown", sampled.header["shown"]},
               {"length_unit", length.name},
               {"speed_unit", has_units ? "km/s" : length.name},
               {"radius", column(profile.groups.front(), "radius_outer", length.per_code_unit)},
               {"curves", Json::array()},
               {"external", !external.empty()},
               {"missing", missing}};
  for (const GroupProfile& group : profile.groups) {
    Json& curve = json["curves"].emplace_back(Json{{"name", group.group.name}, {"speed", column(group, "circular_velocity", speed)}});
    if (group.group.type != all_types) curve["type"] = group.group.type;
  }
  return json;
}

}  // namespace grove
