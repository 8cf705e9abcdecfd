// What grove ic shows of the galaxies that it has made: --check and --picture.
#pragma once

#include <string>

#include "src/commands/options.hpp"

namespace grove {

struct GalaxyCheckOptions {
  bool is_wanted = false;
  std::string picture;  ///< empty: none

  void declare(CLI::App& app);
  /// Throws ConfigError, and SystemError without its directory or matplotlib, unless the picture can be drawn. Not collective.
  void require_possible(const Config& config, bool overwrite) const;
};

/// Computes the forces on the generated particles of `state`, and prints or draws what is wanted. Collective; throws
/// AgreedError.
void check_galaxies(const GalaxyCheckOptions& options, Config config, InitialState state, const Communicator& comm);

}  // namespace grove
