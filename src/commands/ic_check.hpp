// What grove ic shows of the galaxies that it has made: --check and --picture.
#pragma once

#include <string>

#include "src/commands/options.hpp"

namespace grove {

struct GalaxyCheckOptions {
  bool is_wanted = false;
  std::string picture;  ///< empty: none

  bool is_asked() const { return is_wanted || !picture.empty(); }
  void declare(CLI::App& app);
  /// Throws ConfigError where nothing can be checked, and SystemError without the picture's directory or matplotlib. Not collective.
  void require_possible(const Config& config, bool overwrite) const;
};

/// Computes the forces on the generated particles of `state`, and prints or draws what is wanted. False where --check finds a galaxy that
/// is not in equilibrium. Collective; throws AgreedError.
bool check_galaxies(const GalaxyCheckOptions& options, const Config& config, const InitialState& state, const Communicator& comm);

}  // namespace grove
