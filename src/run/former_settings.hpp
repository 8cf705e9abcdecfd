// The settings of a run that goes on, compared with those that it had before.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"

namespace grove {

/// What a run had before.
struct FormerSettings {
  Config config;
  std::string file;  ///< that has them
};

/// Whether all settings are the same that have an effect on snapshots.
bool same_snapshots(const Config& before, const Config& now);
/// The same on pictures.
bool same_pictures(const Config& before, const Config& now);

/// The settings that differ and change what a run computes: "time.dt = 0.1, before 0.2". Those of [output], [pictures] and [run] may change, and the
/// end of the run.
std::vector<std::string> changed_physics(const Config& before, const Config& now);

/// Adds a sentence to `notes` on settings that change what is computed; returns whether energies jump, as for any other than time.dt.
/// Throws ConfigError for such settings without `force`, and with it for those that cannot take effect.
bool require_same_physics(const FormerSettings& before, const Config& now, bool force, std::vector<std::string>& notes);

}  // namespace grove
