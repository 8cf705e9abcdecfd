// The progress of a run and whether it is still running, from the files of its directory.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/config/config.hpp"
#include "src/view/run_files.hpp"

namespace grove {

/// The state of a run, as JSON:
///
///   directory, is_there      the path, and whether there is such a directory
///   state, words             waiting | running | finished | stopped, and a sentence on it
///   step, steps              done, and of the whole run
///   time, begin, end, dt     code units
///   units                    {time, energy, lengths}: {name, per_code_unit} with the factor from code units to "Gyr"; `lengths` is an
///                            array of them, the largest first. In N-body units the name is "N-body units"
///   step_s, particles_per_s  of the last step
///   snapshots, pictures      [{name, number, tag}], pictures with quantity and axis, oldest first
///   logs                     names of those that are there
///   notes                    what could not be read, a sentence each
///
/// What is not known is omitted. Throws SystemError for a directory that cannot be read.
nlohmann::ordered_json run_state(const RunFiles& files);

/// The configuration that the run uses. Throws FileNotThere without it, and as parse_recorded_config().
Config config_of(const RunFiles& files);

/// Whether the directory has a file of a run, or a run holds it. Throws SystemError for a directory that cannot be read.
bool has_run(const RunFiles& files);

}  // namespace grove
