// Whether the disk has room for what a run will write.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/particles/fields.hpp"
#include "src/config/config.hpp"
#include "src/run/step_schedule.hpp"

namespace grove {

/// Bytes that a run will add to its output directory after `first_step`, with `particles` over all ranks: the snapshots of its schedule,
/// two checkpoints and a third one while it is written. Logs are not counted.
double output_bytes(const FieldTable& fields, const OutputParameters& output, const StepSchedule& schedule, std::uint64_t first_step,
                    std::uint64_t particles);

/// A sentence when the disk of `directory` has less room than `needed` bytes; else empty. Not collective.
std::string disk_advice(const std::string& directory, double needed);

}  // namespace grove
