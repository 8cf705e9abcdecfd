#include "src/run/files/not_finite_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "src/run/files/csv_log.hpp"

namespace grove {

namespace {

constexpr const char* listed_fields[] = {"id", "type", "mass", "position", "velocity", "acceleration", "potential"};

const std::vector<CsvColumn>& columns() {
  static const std::vector<CsvColumn> all{
      {"step", "number of the step"},
      {"time", "time at the end of the step"},
      {"rank", "the rank that held the particle"},
      {"id", "id of the particle"},
      {"type", "K of PartTypeK"},
      {"mass", "mass of the particle"},
      {"x", "x component of the position"},
      {"y", "y component of the position"},
      {"z", "z component of the position"},
      {"vx", "x component of the velocity"},
      {"vy", "y component of the velocity"},
      {"vz", "z component of the velocity"},
      {"ax", "x component of the acceleration; where the position is not finite, that of the step before"},
      {"ay", "y component of the acceleration"},
      {"az", "z component of the acceleration"},
      {"potential", "gravitational potential per unit mass, without the self term"}};
  return all;
}

std::string element_text(ElementType type, const std::byte* element) {
  const auto as = [&](auto value) {
    std::memcpy(&value, element, sizeof value);
    return value;
  };
  if (type == ElementType::f8) return fmt::format("{:.17g}", as(0.0));
  if (type == ElementType::u8) return fmt::format("{}", as(std::uint64_t{0}));
  return fmt::format("{}", static_cast<int>(as(std::uint8_t{0})));
}

/// Marks the rows of a field of f8 that are not all finite.
void mark_not_finite(const ParticleField& field, std::span<const std::byte> values, std::vector<bool>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i)
    for (std::size_t k = 0; k < field.components; ++k) {
      double value = 0;
      std::memcpy(&value, values.data() + i * field.row_bytes() + k * sizeof value, sizeof value);
      if (!std::isfinite(value)) marks[i] = true;
    }
}

/// The lines of this rank, and the number of particles without the limit.
struct Lines {
  std::string text;
  std::uint64_t found = 0;
};

/// `first`: the beginning of every line.
Lines lines_of_rank(Simulation& simulation, const std::string& first, std::size_t most) {
  const std::unique_ptr<ParticleColumns> particles = simulation.columns();
  std::vector<const ParticleField*> fields;
  for (const char* name : listed_fields) fields.push_back(particles->table()->find(name));
  std::vector<bool> marks(particles->size(), false);
  for (const ParticleField* field : fields)
    if (field->type == ElementType::f8) mark_not_finite(*field, particles->values(*field), marks);
  std::vector<std::size_t> listed;
  Lines result;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    if (result.found++ < most) listed.push_back(i);
  }
  std::vector<std::string> lines(listed.size(), first);
  for (const ParticleField* field : fields) {
    const std::span<const std::byte> values = particles->values(*field);
    for (std::size_t i = 0; i < listed.size(); ++i)
      for (std::size_t k = 0; k < field->components; ++k)
        lines[i] += "," + element_text(field->type, values.data() + listed[i] * field->row_bytes() + k * size_of(field->type));
  }
  for (const std::string& line : lines) result.text += line + "\n";
  return result;
}

/// Writes a file under the first free name. Throws SystemError.
std::string write_list(const OutputDirectory& directory, std::uint64_t step, const std::string& text) {
  for (int number = 0;; ++number) {
    std::string path = directory.not_finite(step, number);
    std::FILE* const file = std::fopen(path.c_str(), "wx");
    if (!file && errno == EEXIST) continue;
    if (!file) throw SystemError(path + ": cannot be created: " + reason_of(errno));
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    const int error = errno;
    if (std::fclose(file) == 0 && is_written) return path;
    std::remove(path.c_str());
    throw SystemError(path + ": cannot be written: " + reason_of(is_written ? errno : error));
  }
}

}  // namespace

std::vector<CsvColumn> not_finite_columns(const std::vector<std::string>& names) { return columns_if_named(columns(), names); }

std::string list_not_finite(Simulation& simulation, const Communicator& comm, const OutputDirectory& directory, std::uint64_t step) {
  std::string sentence;
  try {
    Lines own;
    const std::string first = fmt::format("{},{:.17g},{}", step, simulation.time(), comm.rank());
    comm.agree([&] {
      own = lines_of_rank(simulation, first, std::min(most_listed_of_rank, most_listed / static_cast<std::size_t>(comm.size())));
    });
    const std::uint64_t found = comm.sum(own.found);
    const std::vector<char> all = comm.all_gather_vectors<char>(own.text);
    comm.agree([&] {
      if (!comm.is_root()) return;
      const std::string path = write_list(directory, step, csv_header(columns()) + std::string(all.begin(), all.end()));
      const auto listed = static_cast<std::uint64_t>(std::count(all.begin(), all.end(), '\n'));
      sentence = listed < found ? fmt::format("{} lists {} of {} such particles", path, format_count(listed), format_count(found))
                                : fmt::format("{} lists all such particles: {}", path, format_count(found));
    });
  } catch (const AgreedError& error) {
    sentence = fmt::format("these particles are in no file: {}", error.what());
  }
  comm.broadcast(sentence);
  return sentence;
}

}  // namespace grove
