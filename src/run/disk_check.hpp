// Whether the disk has room for what a run will write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "decomposition/communicator.hpp"
#include "kernels/particles/fields.hpp"
#include "src/config/config.hpp"
#include "src/run/continuation.hpp"
#include "src/run/step_schedule.hpp"

namespace grove {

/// Bytes that a run will add to its output directory. Logs are not counted.
struct OutputBytes {
  double all = 0;    ///< all snapshots of its schedule, two checkpoints, and a third one while it is written
  double least = 0;  ///< without which it comes to nothing: the first snapshot and two checkpoints
};

/// Those of a run with `particles` over all ranks after `first_step`. `checkpoints`: how many are in the directory, which it goes on from.
OutputBytes output_bytes(const FieldTable& fields, const OutputParameters& output, const StepSchedule& schedule, std::uint64_t first_step,
                         std::uint64_t particles, int checkpoints);

/// What the disk of `directory`, which need not exist, has free for this user; nothing where that is not known. Quotas are not seen.
std::optional<double> free_disk_bytes(const std::filesystem::path& directory);

/// Throws ConfigError when the disk with `free_bytes` has no room for the least that a run writes; with output.on_error = "continue" it
/// only says so. Returns a sentence when not all has room, else an empty text.
std::string require_disk_room(const OutputParameters& output, const OutputBytes& needed, std::optional<double> free_bytes);

/// The same for a run with `particles` over all ranks that begins or goes on `from` somewhere; touches nothing in the output directory. The
/// root looks, and has the sentence. Collective; throws AgreedError.
std::string require_disk_room(const Config& config, const FieldTable& fields, const StepSchedule& schedule, const Continuation& from,
                              std::uint64_t particles, const Communicator& comm);

}  // namespace grove
