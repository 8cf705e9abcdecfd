#include "src/run/disk_check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "io/snapshot.hpp"
#include "src/run/output_directory.hpp"
#include "src/text/text_table.hpp"

namespace grove {

double output_bytes(const FieldTable& fields, const OutputParameters& output, const StepSchedule& schedule, std::uint64_t first_step,
                    std::uint64_t particles) {
  double snapshot = 0, checkpoint = 0;
  for (const ParticleField* field : snapshot_fields(fields, output.field_names())) snapshot += static_cast<double>(field->row_bytes());
  for (const ParticleField& field : fields.rows()) checkpoint += field.restart ? static_cast<double>(field.row_bytes()) : 0;
  const double snapshots = output.snapshots == "none" ? 0 : static_cast<double>(schedule.snapshots_after(first_step));
  const double checkpoints = output.keeps_checkpoints() ? OutputDirectory::checkpoint_generations + 1 : 0;
  return static_cast<double>(particles) * (snapshots * snapshot + checkpoints * checkpoint);
}

std::string disk_advice(const std::string& directory, double needed) {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(directory, unknown);
  if (unknown || static_cast<double>(space.available) >= needed) return "";
  return fmt::format("the snapshots and checkpoints of this run take about {}, and the disk of {} has {} free", format_bytes(needed),
                     directory, format_bytes(static_cast<double>(space.available)));
}

}  // namespace grove
