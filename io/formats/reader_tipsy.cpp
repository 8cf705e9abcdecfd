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
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <span>

#include "io/files/binary_values.hpp"
#include "io/formats/input_format.hpp"
#include "io/formats/particle_rows.hpp"
#include "io/formats/shared.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// A record of a particle, by type: mass, position, velocity and further numbers. In the file, types follow each other.
struct Kind {
  const char* name;
  std::uint32_t numbers;    ///< of a record; 0: the format has no such particles
  std::uint32_t softening;  ///< index of the softening among them; 0: none
};
constexpr std::array<Kind, particle_type_count> kinds = {
    {{"gas", 12, 0}, {"dark", 9, 7}, {"disc", 0, 0}, {"bulge", 0, 0}, {"star", 11, 9}, {}}};
constexpr std::size_t gas = 0, dark = 1, disc = 2, bulge = 3, star = 4;

/// Bonsai's ids, by the version of its files.
struct IdKind {
  std::uint32_t bytes;        ///< the last ones of a record
  std::uint64_t first_bulge;  ///< stars with lower ids are the disc
  std::uint64_t end;          ///< all are lower. As potentials, those of version 1 would lie from 0 to 2^-63, those of version 2 above 0
};
constexpr IdKind no_ids = {0, 0, 0}, version_1 = {4, 100'000'000, 1ULL << 29}, version_2 = {8, 2'000'000'000'000'000'000, 1ULL << 63};

/// The bytes of the numbers in a record.
struct Precision {
  const char* name;
  std::uint32_t position_bytes, velocity_bytes, other_bytes;

  std::uint64_t record_bytes(std::size_t k) const { return 3 * position_bytes + 3 * velocity_bytes + (kinds[k].numbers - 6) * other_bytes; }
};
constexpr std::array<Precision, 4> precisions = {{{"all numbers in FP32", 4, 4, 4},
                                                  {"positions in FP64", 8, 4, 4},
                                                  {"positions and velocities in FP64", 8, 8, 4},
                                                  {"all numbers in FP64", 8, 8, 8}}};

constexpr std::size_t short_header = 28, long_header = 32;
constexpr std::size_t numbers_used = 7;
constexpr std::uint64_t records_per_read = 1 << 16;

struct Header {
  double time = 0;
  std::array<std::uint64_t, kinds.size()> count{};
  std::uint64_t bytes = long_header;
  std::size_t precision = 0;  ///< index into precisions
  bool swapped = false;
  std::int32_t version = 0;  ///< of Bonsai's files, in the padding; anything in those of other programs
  IdKind ids = no_ids;

  std::uint64_t total() const { return count[gas] + count[dark] + count[star]; }
  std::uint64_t record_bytes(std::size_t type) const { return precisions[precision].record_bytes(type); }
  /// Where the records of a type begin.
  std::uint64_t offset(std::size_t type) const {
    std::uint64_t sum = bytes;
    for (std::size_t k = 0; k < type; ++k) sum += count[k] * record_bytes(k);
    return sum;
  }
  std::uint64_t file_bytes() const { return offset(kinds.size()); }
};

/// Finds the length of the header and the precision from the size of the file; unchanged if none fits.
bool fit_to_size(Header& header, std::uint64_t size) {
  for (const std::size_t bytes : {long_header, short_header}) {
    for (std::size_t precision = 0; precision < precisions.size(); ++precision) {
      Header fitting = header;
      fitting.bytes = bytes;
      fitting.precision = precision;
      // With at least one particle, all sizes differ.
      if (fitting.file_bytes() != size) continue;
      header = fitting;
      return true;
    }
  }
  return false;
}

/// The header, if the first bytes are one in either byte order.
std::optional<Header> parse_header(const FileHead& head) {
  if (head.bytes.size() < short_header) return std::nullopt;
  std::optional<Header> found;
  for (const bool swapped : {false, true}) {
    const auto integer = [&](std::size_t at) { return load_number<std::int32_t>(head.bytes.data() + at, swapped); };
    const std::array<std::int64_t, 3> counts{integer(16), integer(20), integer(24)};
    if (integer(12) != 3 || *std::min_element(counts.begin(), counts.end()) < 0 || counts[0] + counts[1] + counts[2] != integer(8))
      continue;
    found = Header();
    found->time = load_number<double>(head.bytes.data(), swapped);
    found->count[gas] = static_cast<std::uint64_t>(counts[0]);
    found->count[dark] = static_cast<std::uint64_t>(counts[1]);
    found->count[star] = static_cast<std::uint64_t>(counts[2]);
    found->swapped = swapped;
    if (head.bytes.size() >= long_header) found->version = integer(short_header);
    fit_to_size(*found, head.size);
  }
  return found;
}

std::uint64_t id_in(const Header& header, const IdKind& ids, const char* record, std::size_t type) {
  const char* const at = record + header.record_bytes(type) - ids.bytes;
  return ids.bytes == 4 ? load_number<std::uint32_t>(at, header.swapped) : load_number<std::uint64_t>(at, header.swapped);
}

/// Which ids the records of a complete file have: those of a sample must be in range and differ.
IdKind find_ids(const std::filesystem::path& path, const Header& header) {
  if (header.bytes != long_header || header.precision != 0 || header.count[gas] > 0 || header.total() < 2) return no_ids;
  constexpr std::uint64_t sample_size = 64;
  const IdKind& ids = header.version == 2 ? version_2 : version_1;
  std::ifstream file = open_binary(path);
  std::set<std::uint64_t> seen;
  const std::uint64_t total = header.total(), count = std::min(total, sample_size);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t row = k * (total - 1) / (count - 1), darks = header.count[dark];
    const std::size_t type = row < darks ? dark : star;
    std::vector<char> record(header.record_bytes(type));
    file.seekg(static_cast<std::streamoff>(header.offset(type) + (type == dark ? row : row - darks) * record.size()));
    if (!file.read(record.data(), static_cast<std::streamsize>(record.size()))) return no_ids;  // those who read all rows will say it
    const std::uint64_t id = id_in(header, ids, record.data(), type);
    if (id >= ids.end || !seen.insert(id).second) return no_ids;
  }
  return ids;
}

Header read_header(const std::filesystem::path& path) {
  const FileHead head = read_head(path);
  std::optional<Header> header = parse_header(head);
  if (!header)
    throw DataError(path.string() + ": the header is not TIPSY's: particle counts and 3 dimensions are needed in its first 28 bytes");
  if (!std::isfinite(header->time)) throw DataError(fmt::format("{}: header: the time is {}", path.string(), header->time));
  if (!fit_to_size(*header, head.size)) {
    const std::uint64_t expected = header->file_bytes();
    throw DataError(fmt::format("{}: is {} bytes long, but its header announces {} particles in {} bytes: the file is {}", path.string(),
                                head.size, header->total(), expected, head.size < expected ? "truncated" : "longer than it must be"));
  }
  header->ids = find_ids(path, *header);
  return *header;
}

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

InputFormat tipsy_format() {
  return {.name = "TIPSY binary",
          .extensions = ".tipsy .tip .std",
          .recognises = recognises_tipsy,
          .read = read_tipsy,
          .fields = tipsy_fields,
          .info = [](const auto& path, auto& info) { info.time = read_header(path).time; }};
}

}  // namespace grove
