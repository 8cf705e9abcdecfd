#include "io/formats/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/formats/input_format.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

void broadcast_optional(std::optional<double>& value, const Communicator& comm) {
  double packed[2] = {value ? 1.0 : 0.0, value.value_or(0)};
  comm.broadcast(std::span<double>(packed));
  value = packed[0] != 0 ? std::optional<double>(packed[1]) : std::nullopt;
}

void broadcast_strings(std::vector<std::string>& strings, const Communicator& comm) {
  std::uint64_t count = strings.size();
  comm.broadcast(std::span<std::uint64_t>(&count, 1));
  strings.resize(count);
  for (std::string& text : strings) comm.broadcast(text);
}

void share_softenings(std::vector<FileSoftening>& softenings, const Communicator& comm) {
  std::vector<std::string> what;
  std::vector<double> numbers;
  for (const FileSoftening& softening : softenings) {
    what.push_back(softening.what);
    numbers.insert(numbers.end(), {softening.lowest, softening.highest, static_cast<double>(softening.type)});
  }
  broadcast_strings(what, comm);
  numbers.resize(3 * what.size());
  comm.broadcast(std::span<double>(numbers));
  softenings.clear();
  for (std::size_t i = 0; i < what.size(); ++i)
    softenings.push_back({what[i], numbers[3 * i], numbers[3 * i + 1], static_cast<int>(numbers[3 * i + 2])});
}

/// Gives all ranks what the root's reader found out.
void share_info(ReadInfo& info, const Communicator& comm) {
  comm.broadcast(std::span<std::uint64_t>(info.count_of_type));
  broadcast_optional(info.time, comm);
  broadcast_optional(info.box_size, comm);
  broadcast_optional(info.G, comm);
  double units[5] = {0, 1, 1, 1, info.has_n_body_units ? 1.0 : 0.0};
  if (info.units) {
    units[0] = 1;
    units[1] = info.units->length_in_cm;
    units[2] = info.units->mass_in_g;
    units[3] = info.units->velocity_in_cm_per_s;
  }
  comm.broadcast(std::span<double>(units));
  info.units = units[0] != 0 ? std::optional<UnitSystem>({units[1], units[2], units[3]}) : std::nullopt;
  comm.broadcast(std::span<HeaderFacts>(&info.universe, 1));
  std::vector<std::string> names(info.components.begin(), info.components.end());
  broadcast_strings(names, comm);
  std::copy(names.begin(), names.end(), info.components.begin());
  share_softenings(info.softenings, comm);
  info.has_n_body_units = units[4] != 0;
  broadcast_strings(info.notes, comm);
  std::vector<std::string> texts;
  for (const auto& [name, text] : info.provenance) texts.insert(texts.end(), {name, text});
  broadcast_strings(texts, comm);
  info.provenance.clear();
  for (std::size_t i = 0; i < texts.size(); i += 2) info.provenance.emplace_back(texts[i], texts[i + 1]);
}

}  // namespace

std::uint64_t ReadInfo::count() const { return std::accumulate(count_of_type.begin(), count_of_type.end(), std::uint64_t{0}); }

ParticleSet read_particles(const std::filesystem::path& path, const Communicator& comm, ReadInfo* info, const FieldTablePtr& fields,
                           const std::string& columns) {
  std::string found_path;
  int format = 0;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const DetectedFile found = detect_format(path);
    found_path = found.path.string();
    format = static_cast<int>(found.format - input_formats().data());
  });
  comm.broadcast(found_path);
  comm.broadcast(std::span<int>(&format, 1));
  const InputFormat& reader = input_formats()[static_cast<std::size_t>(format)];
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
  share_info(own_info, comm);
  for (std::string& note : notes_on_values(particles, found_path, own_info.components, comm)) own_info.notes.push_back(std::move(note));
  if (info != nullptr) *info = std::move(own_info);
  return particles;
}

ReadInfo read_info(const std::filesystem::path& path, const Communicator& comm) {
  ReadInfo info;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const DetectedFile found = detect_format(path);
    info.format = found.format->name;
    if (found.format->info) found.format->info(found.path, info);
  });
  comm.broadcast(info.format);
  share_info(info, comm);
  return info;
}

}  // namespace grove
