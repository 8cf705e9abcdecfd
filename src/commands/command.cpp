#include "src/commands/command.hpp"

namespace grove {

// One function a command, in the file of its name.
CommandAction declare_run(CLI::App& app);
CommandAction declare_ic(CLI::App& app);
CommandAction declare_check(CLI::App& app);
CommandAction declare_bench(CLI::App& app);
CommandAction declare_info(CLI::App& app);
CommandAction declare_profile(CLI::App& app);
CommandAction declare_compare(CLI::App& app);

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run", "run a simulation, alone or under mpirun", declare_run},
      {"ic", "write initial conditions", declare_ic},
      {"check", "measure force errors against direct summation", declare_check},
      {"bench", "measure the speed of the force evaluation", declare_bench},
      {"info", "show what is in a file of particles", declare_info},
      {"profile", "measure density, velocities and Lagrangian radii of snapshots", declare_profile},
      {"compare", "compare the particles of two files by their ids", declare_compare},
  };
  return table;
}

}  // namespace grove
