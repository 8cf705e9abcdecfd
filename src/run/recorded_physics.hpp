// The physics with which the particles of a file were computed, as far as the file records it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/reader.hpp"
#include "src/config/config.hpp"

namespace grove {

/// What a file records of softening, G, units and whatever else makes forces what they are; not of method and accuracy. Snapshots of Grove
/// have their configuration; other files may say units, G and, in GADGET's way, softening lengths of their components.
class RecordedPhysics {
 public:
  RecordedPhysics() = default;
  /// `info` is what `file` says of itself, `settings` are those of the command line ("section.key=value"), which win. Units on the command
  /// line also take the place of the recorded G, which was that of other units. Throws ConfigError for settings that are none.
  RecordedPhysics(std::string file, const ReadInfo& info, const std::vector<std::string>& settings);

  /// What is recorded and not on the command line, for parse_config.
  const std::vector<std::string>& overrides() const { return overrides_; }

  /// Whether softening lengths in the file, if it has any, are left to the settings: those of single particles are not used.
  bool leaves_softening() const { return !file_.empty() && !recorded_.contains("gravity.softening"); }

  /// A line on what is taken from the file, if there is one, one for each setting of `used` that it records otherwise, and a note on a G
  /// that is not the physical one. Each ends its line.
  std::string text(const Config& used) const;

 private:
  std::string file_;
  std::map<std::string, std::string> recorded_;  ///< "section.key" and the value as TOML, of all but units
  std::optional<UnitSystem> units_;
  std::vector<std::string> overrides_;
  std::string note_;
};

}  // namespace grove
