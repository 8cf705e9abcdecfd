// The settings with which a run continues, compared with those of its earlier part.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/config/config.hpp"

namespace grove {

/// The settings that differ and change what is computed, by name: "time.dt = 0.1, before 0.2".
std::map<std::string, std::string> changed_physics(const Config& before, const Config& now);
/// Whether all settings that affect snapshots are the same.
bool same_snapshots(const Config& before, const Config& now);
/// Whether all settings that affect pictures are the same.
bool same_pictures(const Config& before, const Config& now);

/// Adds a sentence to `notes` on settings that change what is computed; those of [output], [pictures] and [run], and time.end, do not.
/// `file` records those before. Returns whether the energy jumps, which it does not where only the next steps change. Throws ConfigError
/// for such settings without `force`, and with it for those that cannot take effect.
bool require_same_physics(const Config& before, const std::string& file, const Config& now, bool force, std::vector<std::string>& notes);

}  // namespace grove
