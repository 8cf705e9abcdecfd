#include "src/session/field_at_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "decomposition/ranks/sparse_exchange.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gravity/points.hpp"
#include "src/run/start/configured_simulation.hpp"
#include "src/run/start/join.hpp"

namespace grove {

namespace {

/// The field at the `own` points of this rank, whose ids begin at `begin`; those of all points at `first`. Collective.
FieldValues values_of_points(const ParticleSet& found, std::uint64_t first, std::uint64_t begin, std::uint64_t own,
                             const Communicator& comm) {
  struct AtPoint {
    std::uint64_t id;
    double field[4];
  };
  std::vector<AtPoint> values;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.id[i] >= first)
      values.push_back(
          {found.id[i], {found.acceleration[3 * i], found.acceleration[3 * i + 1], found.acceleration[3 * i + 2], found.potential[i]}});
  FieldValues own_values{std::vector<double>(3 * own), std::vector<double>(own)};
  for (const AtPoint& value : comm.all_gather_vectors<AtPoint>(values)) {
    if (value.id < begin || value.id >= begin + own) continue;
    const std::size_t i = value.id - begin;
    std::copy_n(value.field, 3, &own_values.acceleration[3 * i]);
    own_values.potential[i] = value.field[3];
  }
  return own_values;
}

}  // namespace

FieldValues field_at_points(const FieldSetting& setting, ParticleSet sources, std::span<const double> points) {
  const auto& [config, comm, external, components, time] = setting;
  std::uint64_t highest = 0;
  for (const std::uint64_t id : sources.id) highest = std::max(highest, id);
  const std::uint64_t own = points.size() / 3, first = comm.max(highest) + 1, begin = first + comm.prefix_sum(own);
  comm.agree([&] {
    if (points.size() % 3 != 0) throw ConfigError("points have three coordinates each");
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!std::isfinite(points[i])) throw DataError(fmt::format("point {} is not finite", i / 3));
    if (first == 0 || begin + own < first) throw DataError(fmt::format("ids up to {} leave no room for points", first - 1));
  });
  InitialState state;
  state.components = components;
  state.particles = std::move(sources);
  const std::unique_ptr<Simulation> simulation = make_configured_simulation(config, comm, external);
  state.particles.fields = simulation->fields();
  set_component_softening(config.gravity, state, *simulation, comm);
  simulation->set_softening(with_points(config.gravity.softening_of_type, config.gravity.softening),
                            config.gravity.softening_between_types);
  ParticleSet targets;
  targets.resize(own);
  std::copy(points.begin(), points.end(), targets.position.begin());
  std::iota(targets.id.begin(), targets.id.end(), begin);
  std::fill(targets.type.begin(), targets.type.end(), static_cast<std::uint8_t>(point_type));
  append(targets, state.particles);
  simulation->start(std::move(state.particles), time);
  return values_of_points(simulation->particles(), first, begin, own, comm);
}

}  // namespace grove
