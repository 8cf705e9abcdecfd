// The physics that a file of particles records.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/formats/reader.hpp"
#include "kernels/base/setting.hpp"
#include "src/config/config.hpp"

namespace grove {

/// The text of the configuration in a snapshot of Grove; null where the file has none.
const std::string* configuration_in(const ReadInfo& info);

/// The setting gravity.softening that has the lengths in the file: of each component that has particles there, or one for all of them;
/// nothing where the file does not say them all by type.
std::optional<Value> softening_in(const ReadInfo& info);

/// What a file records of softening, G, units and other settings of the forces, except method and accuracy. Snapshots of Grove have their
/// configuration; other files may have units, G and, in GADGET's way, softening lengths of their components.
class RecordedPhysics {
 public:
  RecordedPhysics() = default;
  /// `settings` are those of the command line ("section.key=value"), which win over what `file` records. Units on the command line also
  /// replace the recorded G, which is in other units. Throws ConfigError for invalid settings.
  RecordedPhysics(std::string file, const ReadInfo& info, const std::vector<std::string>& settings);

  /// What is recorded and not on the command line, for parse_config.
  const std::vector<std::string>& overrides() const { return overrides_; }

  /// Whether the softening is that of the settings, also where single particles of the file have lengths.
  bool leaves_softening() const { return !file_.empty() && !recorded_.contains("gravity.softening"); }

  /// The external potentials of the run that wrote the file, in code units.
  const std::vector<ExternalParameters>& external() const { return external_; }
  /// Why the settings in the file cannot be used; empty: they can, or there are none.
  const std::string& note() const { return note_; }

  /// Whole lines: what is taken from the file, each setting of `used` for which it records another value, and a note on a G that is not the
  /// physical one.
  std::string text(const Config& used) const;

 private:
  std::string file_;
  std::map<std::string, std::string> recorded_;  ///< "section.key" and the value as TOML, of all but units
  std::optional<UnitSystem> units_;
  std::vector<std::string> overrides_;
  std::vector<ExternalParameters> external_;
  std::string note_;
};

}  // namespace grove
