// The table of commands of the program.
#pragma once

#include <functional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace CLI {
class App;
}

namespace grove {

/// Carries out a command and returns the exit code of the program. Collective.
using CommandAction = std::function<int(const Communicator& comm)>;

/// One command. To add a command, write a file with a function declare_NAME and add it to command.cpp.
struct Command {
  const char* name;
  const char* meaning;  ///< one line, shown by --help
  /// Declares the options on `app`, before MPI is initialized; the action is called after they are parsed.
  CommandAction (*declare)(CLI::App& app);
};

/// The table of commands, in the order of --help.
const std::vector<Command>& commands();

}  // namespace grove
