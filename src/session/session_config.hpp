// The configuration of a session.
#pragma once

#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "src/config/config.hpp"

namespace grove {

/// What stands for its file in messages.
inline constexpr const char* name_of_session_config = "configuration";

/// That of a run, without the keys that say when it ends and what it writes: the calling program does.
struct SessionConfig {
  Config config;
  bool has_initial_conditions = false;  ///< there is a section [initial_conditions]
};

/// Collective. Throws AgreedError, also where the ranks' texts differ.
SessionConfig read_session_config(const std::string& toml, const Communicator& comm);

}  // namespace grove
