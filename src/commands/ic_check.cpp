#include "src/commands/ic_check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/analysis/galaxy_report.hpp"
#include "src/generators/galaxy.hpp"
#include "src/plot/galaxy_picture.hpp"
#include "src/plot/python.hpp"

namespace grove {

void GalaxyCheckOptions::declare(CLI::App& app) {
  app.add_flag("--check", is_wanted,
               "compute the forces, and print virial ratio, density, dispersions, height and Q of each component, wanted and drawn, and "
               "whether the galaxy is in equilibrium");
  app.add_option("--picture", picture, "draw the same and the rotation curve, with Python and matplotlib")->type_name("FILE.png");
}

void GalaxyCheckOptions::require_possible(const Config& config, bool overwrite) const {
  if (!is_asked()) return;
  const InitialConditions& wanted = config.initial_conditions;
  const Generator* const generator = wanted.file.empty() ? find_named(generators(), wanted.generator) : nullptr;
  if (!generator || !generator->makes_galaxies)
    throw ConfigError(fmt::format("{} is for generated galaxies, not for {}", is_wanted ? "--check" : "--picture",
                                  generator ? generator->name : wanted.file));
  if (picture.empty()) return;
  require_png(picture, "--picture");
  require_new_file(picture, "--picture", overwrite);
  if (wanted.generator == "merger") throw ConfigError("--picture is for one galaxy, not for the two of a merger");
  if (wanted.galaxies.size() > 1)
    throw ConfigError(fmt::format("--picture is for one galaxy, not for {}: choose one with --galaxy", wanted.galaxies.size()));
  require_matplotlib();
}

namespace {

/// Appends the particles of `from` whose ids are in [first, end).
void append_part(const ParticleSet& from, std::uint64_t first, std::uint64_t end, ParticleSet& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from.id[i] < first || from.id[i] >= end) continue;
    to.mass.push_back(from.mass[i]);
    to.id.push_back(from.id[i]);
    to.type.push_back(from.type[i]);
    for (const auto& field : {&ParticleSet::position, &ParticleSet::velocity, &ParticleSet::acceleration})
      if (!(from.*field).empty()) (to.*field).insert((to.*field).end(), &(from.*field)[3 * i], &(from.*field)[3 * i] + 3);
  }
}

/// The particles of `state` with the accelerations that their own galaxy gives them: others would pull it out of its equilibrium.
/// Collective; throws AgreedError.
ParticleSet with_forces_of_own_galaxies(Config config, const InitialState& state, const Communicator& comm) {
  std::vector<GalaxyPart> parts;
  comm.agree([&] { parts = parts_of(state.galaxies, config.initial_conditions.n, config.gravity.G); });
  std::vector<std::uint64_t> counts(state.galaxies.size(), 0);
  for (const GalaxyPart& part : parts) counts[part.galaxy] += part.plan.count;
  // The lengths by type say it all, and a galaxy does not have every component.
  config.gravity.softening_of_component.clear();
  config.gravity.softening_between.clear();
  ParticleSet all;
  std::uint64_t first = 0;
  for (const std::uint64_t count : counts) {
    InitialState own;
    append_part(state.particles, first, first + count, own.particles);
    const StartedSimulation started = start_simulation(config, comm, std::move(own));
    append_part(started.simulation->particles(), first, first + count, all);
    first += count;
  }
  return all;
}

}  // namespace

bool check_galaxies(const GalaxyCheckOptions& options, const Config& config, const InitialState& state, const Communicator& comm) {
  if (!options.is_asked()) return true;
  const ParticleSet particles = with_forces_of_own_galaxies(config, state, comm);
  const std::vector<CheckedGalaxy> checked = check_galaxies(state.galaxies, config.initial_conditions.n, config.gravity.G, particles, comm);
  bool is_good = true;
  for (const CheckedGalaxy& galaxy : checked) is_good = is_good && findings_of(galaxy).against_equilibrium.empty();
  comm.agree([&] {
    if (!comm.is_root()) return;
    if (options.is_wanted)
      for (const CheckedGalaxy& galaxy : checked) write_text("-", check_text(galaxy));
    if (!options.picture.empty()) draw_galaxy(checked.front(), config.units, options.picture);
  });
  return is_good || !options.is_wanted;
}

}  // namespace grove
