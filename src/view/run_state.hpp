// How far a run has come, and whether it goes on: what the files of its directory tell.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/view/run_files.hpp"

namespace grove {

/// The state of a run, as JSON:
///
///   directory, is_there      the path, and whether there is such a directory
///   state, words             waiting | running | finished | stopped, and a sentence on it
///   step, steps              done, and of the whole run
///   time, begin, end, dt     code units
///   time_words, end_words    the same for people
///   time_unit                "N-body units", "units of 977.8 Myr"
///   step_s, particles_per_s  of the last step
///   snapshots, pictures      [{name, number, tag}], pictures with quantity and axis, oldest first
///   logs                     names of those that are there
///   notes                    what could not be read, a sentence each
///
/// What is not known is left out. `max_age_s`: where the lock of the directory says nothing, a run whose logs have not changed for longer,
/// and for ten of its steps, counts as stopped. Throws SystemError for a directory that cannot be read.
nlohmann::ordered_json run_state(const RunFiles& files, double max_age_s = 60);

}  // namespace grove
