// The commands of the program: what main knows of each of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"

namespace CLI {
class App;
}

namespace grove {

/// Does what the user asked for and returns the exit code of the program. Collective.
using CommandAction = std::function<int(const Communicator& comm)>;

/// One command. To add a command, write a file with such a function and add one line to commands().
struct Command {
  const char* name;
  const char* meaning;  ///< one line, shown by --help
  /// Declares the options on `app`, before MPI is there; the action is called after they are parsed.
  CommandAction (*declare)(CLI::App& app);
};

/// The table of commands, in the order of --help.
const std::vector<Command>& commands();

CommandAction declare_run(CLI::App& app);    ///< grove run: a simulation
CommandAction declare_ic(CLI::App& app);     ///< grove ic: initial conditions
CommandAction declare_check(CLI::App& app);  ///< grove check: force errors
CommandAction declare_bench(CLI::App& app);  ///< grove bench: speed
CommandAction declare_info(CLI::App& app);   ///< grove info: what is in a file

}  // namespace grove
