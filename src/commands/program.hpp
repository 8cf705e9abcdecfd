// The common part of all commands under MPI: the ranks agree on the request, and errors become one message and an exit code.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Carries out a command and returns the exit code of the program. Collective.
using CommandAction = std::function<int(const Communicator& comm)>;

/// The exit code of a command whose result exceeds a limit that the user has set.
inline constexpr int exit_exceeded = 1;

/// The request of the command line of a rank.
struct Request {
  std::vector<std::string> words;  ///< of the command line, without the name of the program
  std::string mistake;             ///< in the command line, with advice; empty: none
  std::string text;                ///< to be printed: help or version; empty: none
  CommandAction action;            ///< otherwise
};

/// Throws SystemError if something that was printed has not arrived at standard output. Not collective.
void require_written_output();
/// Prints the error, and returns its exit code. Not collective.
int report_error(const std::exception& error);
/// Prints the error of a rank that cannot reach others, and ends all ranks. Not collective.
[[noreturn]] void end_without_others(const std::exception& error);

/// This rank and the number of ranks according to the launcher, before MPI is initialized; 0 and 1 without a launcher.
int launched_rank();
int launched_size();

/// Carries out the request on all ranks of MPI_COMM_WORLD, and returns the exit code of the program. An error of all ranks is printed once;
/// an error of one rank ends all ranks (LastWords). Collective.
int carry_out(const Request& request);

}  // namespace grove
