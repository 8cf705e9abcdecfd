#include "src/commands/command.hpp"

namespace grove {

// One function for each command, in the file of its name.
CommandAction declare_run(CLI::App& app);
CommandAction declare_ic(CLI::App& app);
CommandAction declare_check(CLI::App& app);
CommandAction declare_bench(CLI::App& app);
CommandAction declare_info(CLI::App& app);
CommandAction declare_render(CLI::App& app);
CommandAction declare_plot(CLI::App& app);
CommandAction declare_profile(CLI::App& app);
CommandAction declare_compare(CLI::App& app);
CommandAction declare_view(CLI::App& app);

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run", "run a simulation, alone or under mpirun", declare_run},
      {"ic", "write initial conditions", declare_ic},
      {"check", "measure force errors against direct summation", declare_check},
      {"bench", "measure the speed of the force evaluation", declare_bench},
      {"info", "show what is in a file of particles or a log of a run", declare_info},
      {"render", "make pictures of files of particles", declare_render},
      {"plot", "draw the logs of a run as one picture", declare_plot},
      {"profile", "measure density, velocities and Lagrangian radii of snapshots", declare_profile},
      {"compare", "compare the particles of two files by their ids", declare_compare},
      {"view", "show a run in a browser, as it goes", declare_view},
  };
  return table;
}

}  // namespace grove
