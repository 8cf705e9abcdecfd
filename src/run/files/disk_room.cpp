#include "src/run/files/disk_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "src/run/files/output_directory.hpp"

namespace grove {

namespace fs = std::filesystem;

OutputBytes output_bytes(const FieldTable& fields, const OutputParameters& output, const StepSchedule& schedule, std::uint64_t first_step,
                         std::uint64_t particles, int checkpoints) {
  constexpr int kept = OutputDirectory::checkpoint_generations;
  double snapshot = 0, checkpoint = 0;
  const FieldChoice choice = output.field_choice();
  for (const ParticleField* field : snapshot_fields(fields, choice))
    snapshot += static_cast<double>(as_written(*field, choice).row_bytes());
  for (const ParticleField& field : fields.rows()) checkpoint += field.restart ? static_cast<double>(field.row_bytes()) : 0;
  const double snapshots = output.snapshots == "none" ? 0 : static_cast<double>(schedule.snapshots_after(first_step));
  if (!output.keeps_checkpoints()) checkpoint = 0;
  const double count = static_cast<double>(particles);
  // A checkpoint is replaced only when the next one is complete.
  return {count * (snapshots * snapshot + std::max(kept + 1 - checkpoints, 0) * checkpoint),
          count * (std::min(snapshots, 1.0) * snapshot + std::max(kept - checkpoints, 1) * checkpoint)};
}

std::optional<double> free_disk_bytes(const fs::path& directory) {
  std::error_code unknown;
  fs::path there = fs::absolute(directory, unknown).lexically_normal();
  while (!there.empty() && there.has_relative_path() && !fs::exists(there, unknown)) there = there.parent_path();
  const fs::space_info space = fs::space(there, unknown);
  if (unknown) return std::nullopt;
  return static_cast<double>(space.available);
}

std::string require_disk_room(const OutputParameters& output, const OutputBytes& needed, std::optional<double> free_bytes) {
  if (!free_bytes) return "";
  const std::string free_text = format_bytes(*free_bytes);
  if (needed.least > *free_bytes && output.on_error != "continue")
    throw ConfigError(fmt::format(
        "output.directory = \"{}\": the first snapshot and the checkpoints take about {}, and that disk has {} free: make room, "
        "name another directory, or write less (output.checkpoints = \"no\", output.snapshots = \"none\"); "
        "output.on_error = \"continue\" begins the run all the same",
        output.directory, format_bytes(needed.least), free_text));
  if (needed.all <= *free_bytes) return "";
  return fmt::format("the snapshots and checkpoints of this run take about {}, and the disk of {} has {} free", format_bytes(needed.all),
                     output.directory, free_text);
}

}  // namespace grove
