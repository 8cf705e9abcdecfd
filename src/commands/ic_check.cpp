#include "src/commands/ic_check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/analysis/galaxy_report.hpp"
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

bool check_galaxies(const GalaxyCheckOptions& options, Config config, InitialState state, const Communicator& comm) {
  if (!options.is_asked()) return true;
  const std::vector<GalaxyParameters> galaxies = std::move(state.galaxies);
  const StartedSimulation started = start_simulation(config, comm, std::move(state));
  const std::vector<CheckedGalaxy> checked =
      check_galaxies(galaxies, config.initial_conditions.n, config.gravity.G, started.simulation->particles(), comm);
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
