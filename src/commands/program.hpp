// What all commands have in common once MPI is there: the ranks agree on what they were asked for, and errors become one message and an
// exit code.
#pragma once

#include <string>
#include <vector>

#include "src/commands/command.hpp"

namespace grove {

/// What the command line of a rank asks for.
struct Request {
  std::vector<std::string> words;  ///< of the command line, without the name of the program
  std::string mistake;             ///< in the command line, with what to do; empty: none
  std::string text;                ///< to be printed: the help or the version; empty: not asked for
  CommandAction action;            ///< what to do otherwise
};

/// The rank that the launcher gave this process and the number of ranks, known before MPI is there; 0 and 1 without a launcher.
int launched_rank();
int launched_size();

/// Carries out the request on all ranks of MPI_COMM_WORLD, and returns the exit code of the program. An error that all ranks know of is
/// printed once. One that a rank meets alone ends all ranks (LastWords). Collective.
int carry_out(const Request& request);

}  // namespace grove
