// grove ic join, the part of grove ic that makes no particles of its own.
#pragma once

#include <string>
#include <vector>

#include "decomposition/communicator.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace grove {

/// As they were given.
struct JoinOptions {
  std::vector<std::string> files, rotate, shift, boost;
  std::string out;
  bool recentre = false, overwrite = false;
};

/// Declares the subcommand; `options` must outlive it.
CLI::App* declare_ic_join(CLI::App& ic, JoinOptions& options);

/// Joins the files and writes the snapshot. Collective; throws AgreedError.
int join_initial_conditions(const JoinOptions& options, const Communicator& comm);

}  // namespace grove
