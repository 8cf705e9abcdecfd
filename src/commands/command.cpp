#include "src/commands/command.hpp"

namespace grove {

// One function a command, in the file of its name.
CommandAction declare_run(CLI::App& app);
CommandAction declare_ic(CLI::App& app);
CommandAction declare_check(CLI::App& app);
CommandAction declare_bench(CLI::App& app);
CommandAction declare_info(CLI::App& app);
CommandAction declare_view(CLI::App& app);

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run", "run a simulation, alone or under mpirun", declare_run},
      {"ic", "write initial conditions", declare_ic},
      {"check", "measure force errors against direct summation", declare_check},
      {"bench", "measure the speed of the force evaluation", declare_bench},
      {"info", "show what is in a file of particles", declare_info},
      {"view", "show a run in a browser, as it goes", declare_view},
  };
  return table;
}

}  // namespace grove
