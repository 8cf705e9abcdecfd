#include "io/formats/reader.hpp"

#include <fmt/format.h>

#include <numeric>

#include "io/formats/input_format.hpp"
#include "io/formats/shared.hpp"
#include "io/formats/validate.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Gives all ranks what the root's reader found. Collective.
void share_info(ReadInfo& info, const Communicator& comm) {
  for (std::string& name : info.components) share(comm, name);
  share(comm, info.format, info.count_of_type, info.is_named, info.time, info.G, info.units, info.universe, info.has_n_body_units,
        info.notes, info.provenance);
  std::size_t softenings = info.softenings.size();
  share(comm, softenings);
  info.softenings.resize(softenings);
  for (FileSoftening& softening : info.softenings) share(comm, softening.what, softening.lowest, softening.highest, softening.type);
}

}  // namespace

ParticleSet read_particles(const std::filesystem::path& path, const Communicator& comm, ReadInfo* info, const FieldTablePtr& fields,
                           const std::string& columns) {
  std::string found_path;
  std::size_t format = 0;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const DetectedFile found = detect_format(path);
    found_path = found.path.string();
    format = static_cast<std::size_t>(found.format - input_formats().data());
  });
  share(comm, found_path, format);
  const InputFormat& reader = input_formats()[format];
  comm.agree([&] {
    if (!columns.empty() && reader.read_columns == nullptr) {
      throw ConfigError(fmt::format(
          "initial_conditions.columns, or --columns, has no effect and must go: it is for text tables, and {} is of the format {}",
          found_path, reader.name));
    }
  });
  ReadInfo own_info;
  ParticleSet particles =
      columns.empty() ? reader.read(found_path, fields, comm, own_info) : reader.read_columns(found_path, columns, fields, comm, own_info);
  own_info.format = reader.name;
  if (std::string note = note_on_h(own_info.universe); !note.empty()) own_info.notes.push_back(std::move(note));
  share_info(own_info, comm);
  for (std::string& note : notes_on_values(particles, found_path, own_info.components, comm)) own_info.notes.push_back(std::move(note));
  if (info != nullptr) *info = std::move(own_info);
  return particles;
}

void renumber(ParticleSet& particles, const Communicator& comm) {
  const std::uint64_t total = comm.sum(static_cast<std::uint64_t>(particles.size()));
  std::iota(particles.id.begin(), particles.id.end(), first_of_rank(total, comm.rank(), comm.size()));
}

ReadInfo read_info(const std::filesystem::path& path, const Communicator& comm) {
  ReadInfo info;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const DetectedFile found = detect_format(path);
    info.format = found.format->name;
    if (found.format->info) found.format->info(found.path, info);
  });
  share_info(info, comm);
  return info;
}

}  // namespace grove
