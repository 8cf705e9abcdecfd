// TIPSY binary files, of both byte orders: a header, then gas, dark and star particles as records of floating-point numbers.
//
// Header: time (f8); numbers of particles, dimensions, gas, dark, star particles (i4 each); 4 bytes of padding, which some programs omit.
// The numbers of the records have 4 bytes; in variants positions, or positions and velocities, or all numbers have 8: the size of the file
// decides. (Double velocities with single positions would have the size of the first variant; no known program writes them by default.) Gas
// becomes particle type 0, dark matter 1, stars 4. Ids are row numbers, from 0: the format has none. Big-endian is TIPSY's standard;
// programs on most machines write little-endian.
//
// Bonsai puts ids into the last bytes of dark and star records, and numbers bulges and discs apart: of 4 bytes in place of the potential
// or, with a 2 in the padding of the header (its version), of 8 bytes in place of softening and potential. Other programs leave anything in
// the padding, so the ids themselves decide too: no potentials look like them. Its stars become type 2 (disc) or 3 (bulge).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>

#include "io/files/binary_values.hpp"
#include "io/formats/input_format.hpp"
#include "io/formats/particle_rows.hpp"
#include "io/formats/shared.hpp"
#include "io/formats/tipsy_header.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace tipsy {

namespace {

constexpr std::size_t numbers_used = 7;
constexpr std::uint64_t records_per_read = 1 << 16;

/// Of the particles of each type.
using SofteningRanges = std::array<FileSoftening, kinds.size()>;

/// Takes the numbers of one record, one after the other.
class RecordParser {
 public:
  RecordParser(const Header& header, const char* record)
      : precision_(precisions[header.precision]), swapped_(header.swapped), at_(record) {}

  double next() {
    const std::uint32_t bytes = number_ == 0 || number_ >= numbers_used ? precision_.other_bytes
                                : number_ < 4                           ? precision_.position_bytes
                                                                        : precision_.velocity_bytes;
    const double value = bytes == 4 ? load_number<float>(at_, swapped_) : load_number<double>(at_, swapped_);
    at_ += bytes;
    ++number_;
    return value;
  }

 private:
  const Precision& precision_;
  bool swapped_;
  const char* at_;
  std::size_t number_ = 0;
};

/// Reads rows of one type into the particles from index `at` on; on failure `file` is in a failed state.
void read_block(std::ifstream& file, const Header& header, const TypeBlock& block, ParticleSet& particles, std::size_t at,
                SofteningRanges& softenings) {
  const auto type = static_cast<std::size_t>(block.type);
  const std::uint64_t record_bytes = header.record_bytes(type);
  file.seekg(static_cast<std::streamoff>(header.offset(type) + block.first * record_bytes));
  std::vector<char> records;
  for (std::uint64_t done = 0; done < block.count;) {
    const std::uint64_t now = std::min(records_per_read, block.count - done);
    records.resize(now * record_bytes);
    file.read(records.data(), static_cast<std::streamsize>(records.size()));
    if (!file) return;
    for (std::uint64_t i = 0; i < now; ++i, ++at) {
      const char* const bytes = &records[i * record_bytes];
      RecordParser record(header, bytes);
      particles.mass[at] = record.next();
      for (std::size_t c = 0; c < 3; ++c) particles.position[3 * at + c] = record.next();
      for (std::size_t c = 0; c < 3; ++c) particles.velocity[3 * at + c] = record.next();
      std::size_t component = type;
      if (header.ids.bytes > 0) {
        particles.id[at] = id_in(header, header.ids, bytes, type);
        if (type == star) component = particles.id[at] < header.ids.first_bulge ? disc : bulge;
      }
      particles.type[at] = static_cast<std::uint8_t>(component);
      if (kinds[type].softening == 0 || header.ids.bytes == version_2.bytes) continue;
      for (std::size_t skipped = numbers_used; skipped < kinds[type].softening; ++skipped) record.next();
      softenings[component].include(record.next());
    }
    done += now;
  }
}

/// Reads the rows [begin, end) of the file.
ParticleSet read_rows(const std::filesystem::path& path, const Header& header, const FieldTablePtr& fields, std::uint64_t begin,
                      std::uint64_t end, SofteningRanges& softenings) {
  ParticleSet particles = make_rows(fields, begin, end, path);
  std::ifstream file = open_binary(path);
  for (const TypeBlock& block : blocks_of_rows({header.count}, begin, end))
    read_block(file, header, block, particles, block.row - begin, softenings);
  if (!file) throw SystemError(fmt::format("{}: rows {} to {} cannot be read", path.string(), begin, end - 1));
  if (header.ids.bytes == 0) return particles;
  const auto bad = std::find_if(particles.id.begin(), particles.id.end(), [&](std::uint64_t id) { return id >= header.ids.end; });
  if (bad != particles.id.end())
    throw DataError(fmt::format("{}: row {}: the id is {}; as in the other rows it must be below {}", path.string(),
                                begin + static_cast<std::uint64_t>(bad - particles.id.begin()), *bad, header.ids.end));
  return particles;
}

/// Notes on the variant of the format and on unused data.
std::vector<std::string> notes_on(const Header& header) {
  std::vector<std::string> notes{
      fmt::format("{}-endian, header of {} bytes, {}", header.swapped ? "big" : "little", header.bytes, precisions[header.precision].name)};
  if (header.ids.bytes > 0)
    notes.push_back(fmt::format(
        "Bonsai's file, with ids of {} bytes in place of {}; stars with ids below {} are taken as the disc, the others "
        "as the bulge",
        header.ids.bytes, header.ids.bytes == version_1.bytes ? "the potential" : "softening and potential", header.ids.first_bulge));
  if (header.count[gas] > 0) notes.push_back("densities, temperatures, smoothing lengths and metals of the gas are not used");
  if (header.count[star] > 0) notes.push_back("metals and formation times of the stars are not used");
  return notes;
}

/// The softenings of the particles over all ranks. Collective.
std::vector<FileSoftening> softenings_of(const SofteningRanges& ranges, const Communicator& comm) {
  std::vector<FileSoftening> softenings;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const double lowest = comm.min(ranges[k].lowest), highest = comm.max(ranges[k].highest);
    if (lowest <= highest)
      softenings.push_back({fmt::format("eps of {} particles", std::string(kinds[k].name)), lowest, highest, static_cast<int>(k)});
  }
  return softenings;
}

std::string name_row(const std::filesystem::path& path, const Header& header, const ParticleField& field, std::uint64_t row) {
  const TypeBlock block = blocks_of_rows({header.count}, row, row + 1).at(0);
  const char* const kind = kinds[static_cast<std::size_t>(block.type)].name;
  return fmt::format("{}: {} of {} particle {}, row {}", path.string(), field.name, kind, block.first, row);
}

bool recognises_tipsy(const FileHead& head) { return parse_header(head).has_value(); }

ParticleSet read_tipsy(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  Header header;
  comm.agree([&] {
    if (comm.is_root()) header = read_header(path);
  });
  share(comm, header);
  info.time = header.time;
  SofteningRanges softenings;
  const auto read = [&](std::uint64_t begin, std::uint64_t end) { return read_rows(path, header, fields, begin, end, softenings); };
  const auto name = [&](const ParticleField& field, std::uint64_t row) { return name_row(path, header, field, row); };
  ParticleSet particles = read_own_rows(path, header.total(), comm, read, name);
  for (const std::uint8_t type : particles.type) ++info.count_of_type[type];
  comm.sum(std::span<std::uint64_t>(info.count_of_type));
  info.softenings = softenings_of(softenings, comm);
  info.notes = notes_on(header);
  return particles;
}

std::vector<FieldDescription> tipsy_fields(const std::filesystem::path& path) {
  const Header header = read_header(path);
  const Precision& precision = precisions[header.precision];
  const auto type = [](std::uint32_t bytes) { return bytes == 4 ? "f4" : "f8"; };
  std::vector<FieldDescription> fields;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (header.count[k] == 0) continue;
    const std::string prefix = std::string(kinds[k].name) + '/';
    const std::string n = std::to_string(header.count[k]);
    fields.push_back({prefix + "mass", type(precision.other_bytes), n});
    fields.push_back({prefix + "position", type(precision.position_bytes), n + " x 3"});
    fields.push_back({prefix + "velocity", type(precision.velocity_bytes), n + " x 3"});
    if (header.ids.bytes > 0) fields.push_back({prefix + "id", fmt::format("u{}", header.ids.bytes), n});
  }
  return fields;
}

}  // namespace

}  // namespace tipsy

InputFormat tipsy_format() {
  using namespace tipsy;
  return {.name = "TIPSY binary",
          .extensions = ".tipsy .tip .std",
          .recognises = recognises_tipsy,
          .read = read_tipsy,
          .fields = tipsy_fields,
          .info = [](const auto& path, auto& info) { info.time = read_header(path).time; }};
}

}  // namespace grove
