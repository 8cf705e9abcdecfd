// Whether the disk has room for what a run will write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/particles/fields.hpp"
#include "src/config/config.hpp"
#include "src/run/files/step_schedule.hpp"

namespace grove {

/// Bytes that a run will add to its output directory. Logs are not counted.
struct OutputBytes {
  double all = 0;    ///< all snapshots of the schedule, two checkpoints, and a third one while it is written
  double least = 0;  ///< the first snapshot and two checkpoints, without which the run is useless
};

/// For a run with `particles` over all ranks after `first_step`. `checkpoints`: how many of the earlier part of the run there are.
OutputBytes output_bytes(const FieldTable& fields, const OutputParameters& output, const StepSchedule& schedule, std::uint64_t first_step,
                         std::uint64_t particles, int checkpoints);

/// Free bytes for this user on the disk of `directory`, which need not exist; nothing if they are not known. Without quotas.
std::optional<double> free_disk_bytes(const std::filesystem::path& directory);

/// Throws ConfigError when `free_bytes` are less than needed.least, except with output.on_error = "continue". Returns a sentence when they
/// are less than needed.all, else an empty text.
std::string require_disk_room(const OutputParameters& output, const OutputBytes& needed, std::optional<double> free_bytes);

}  // namespace grove
