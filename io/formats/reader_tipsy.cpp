#include "io/formats/reader_tipsy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "io/files/binary_values.hpp"
#include "io/formats/particle_rows.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The kinds of particles in the order in which they lie in the file. A record is mass, position, velocity and further numbers.
struct Kind {
  const char* name;
  std::uint8_t type;
  std::uint32_t numbers;    ///< of a record
  std::uint32_t softening;  ///< index of the softening among them; 0: none
};
constexpr std::array<Kind, 3> kinds = {{{"gas", 0, 12, 0}, {"dark", 1, 9, 7}, {"star", 4, 11, 9}}};

/// Which numbers of a record have 8 bytes in place of 4.
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

  std::uint64_t total() const { return count[0] + count[1] + count[2]; }
  std::uint64_t record_bytes(std::size_t k) const { return precisions[precision].record_bytes(k); }
  std::uint64_t file_bytes() const {
    std::uint64_t sum = bytes;
    for (std::size_t k = 0; k < kinds.size(); ++k) sum += count[k] * record_bytes(k);
    return sum;
  }
};

/// Finds the length of the header and the precision from the size of the file. They stay as they are when none fits.
bool fit_to_size(Header& header, std::uint64_t size) {
  for (const std::size_t bytes : {long_header, short_header}) {
    for (std::size_t precision = 0; precision < precisions.size(); ++precision) {
      Header fitting = header;
      fitting.bytes = bytes;
      fitting.precision = precision;
      // With at least one particle, no two of the sizes are equal.
      if (fitting.file_bytes() != size) continue;
      header = fitting;
      return true;
    }
  }
  return false;
}

/// The header, if the first bytes make sense as one in either byte order.
std::optional<Header> parse_header(const FileHead& head) {
  if (head.bytes.size() < short_header) return std::nullopt;
  std::optional<Header> found;
  for (const bool swapped : {false, true}) {
    const auto integer = [&](std::size_t at) { return load_number<std::int32_t>(head.bytes.data() + at, swapped); };
    const std::int64_t total = integer(8), gas = integer(16), dark = integer(20), star = integer(24);
    if (integer(12) != 3 || gas < 0 || dark < 0 || star < 0 || gas + dark + star != total) continue;
    found = Header();
    found->time = load_number<double>(head.bytes.data(), swapped);
    found->count = {static_cast<std::uint64_t>(gas), static_cast<std::uint64_t>(dark), static_cast<std::uint64_t>(star)};
    found->swapped = swapped;
    fit_to_size(*found, head.size);
  }
  return found;
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
  return *header;
}

/// The range of the softenings that the particles of a file have.
struct SofteningRange {
  double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();

  void add(double softening) {
    lowest = std::min(lowest, softening);
    highest = std::max(highest, softening);
  }
};

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

/// Rows of one kind, and the index of the first of them in the particles of this rank.
struct KindRows {
  std::size_t kind = 0;
  std::uint64_t first = 0, count = 0;
  std::size_t at = 0;
};

using SofteningRanges = std::array<SofteningRange, kinds.size()>;

/// Reads rows of one kind into the particles; on failure `file` is in a failed state.
void read_kind(std::ifstream& file, const Header& header, const KindRows& rows, ParticleSet& particles, SofteningRange& softening) {
  const Kind& kind = kinds[rows.kind];
  const std::uint64_t record_bytes = header.record_bytes(rows.kind);
  std::uint64_t offset = header.bytes + rows.first * record_bytes;
  for (std::size_t before = 0; before < rows.kind; ++before) offset += header.count[before] * header.record_bytes(before);
  file.seekg(static_cast<std::streamoff>(offset));
  std::vector<char> records;
  std::size_t at = rows.at;
  for (std::uint64_t done = 0; done < rows.count;) {
    const std::uint64_t now = std::min(records_per_read, rows.count - done);
    records.resize(now * record_bytes);
    file.read(records.data(), static_cast<std::streamsize>(records.size()));
    if (!file) return;
    for (std::uint64_t i = 0; i < now; ++i, ++at) {
      RecordParser record(header, &records[i * record_bytes]);
      particles.mass[at] = record.next();
      for (std::size_t c = 0; c < 3; ++c) particles.position[3 * at + c] = record.next();
      for (std::size_t c = 0; c < 3; ++c) particles.velocity[3 * at + c] = record.next();
      particles.type[at] = kind.type;
      if (kind.softening == 0) continue;
      for (std::size_t skipped = numbers_used; skipped < kind.softening; ++skipped) record.next();
      softening.add(record.next());
    }
    done += now;
  }
}

/// Reads the rows [begin, end) of the file.
ParticleSet read_rows(const std::filesystem::path& path, const Header& header, const FieldTablePtr& fields, std::uint64_t begin,
                      std::uint64_t end, SofteningRanges& softenings) {
  ParticleSet particles = make_rows(fields, begin, end, path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading");
  std::uint64_t kind_begin = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::uint64_t kind_end = kind_begin + header.count[k];
    const std::uint64_t first = std::max(begin, kind_begin), last = std::min(end, kind_end);
    if (first < last) read_kind(file, header, {k, first - kind_begin, last - first, first - begin}, particles, softenings[k]);
    kind_begin = kind_end;
  }
  if (!file) throw SystemError(fmt::format("{}: rows {} to {} cannot be read", path.string(), begin, end - 1));
  return particles;
}

/// What a user should know: how the file is written, and what in it is not used.
std::vector<std::string> notes_on(const Header& header) {
  std::vector<std::string> notes{
      fmt::format("{}-endian, header of {} bytes, {}", header.swapped ? "big" : "little", header.bytes, precisions[header.precision].name)};
  if (header.count[0] > 0) notes.push_back("densities, temperatures, smoothing lengths and metals of the gas are not used");
  if (header.count[2] > 0) notes.push_back("metals and formation times of the stars are not used");
  return notes;
}

/// The softenings that the particles have in the file, over all ranks. Collective.
std::vector<FileSoftening> softenings_of(const SofteningRanges& ranges, const Communicator& comm) {
  std::vector<FileSoftening> softenings;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const double lowest = comm.min(ranges[k].lowest), highest = comm.max(ranges[k].highest);
    if (lowest <= highest)
      softenings.push_back({fmt::format("eps of {} particles", std::string(kinds[k].name)), lowest, highest, kinds[k].type});
  }
  return softenings;
}

std::string name_row(const std::filesystem::path& path, const Header& header, const ParticleField& field, std::uint64_t row) {
  std::size_t k = 0;
  std::uint64_t in_kind = row;
  while (k + 1 < kinds.size() && in_kind >= header.count[k]) in_kind -= header.count[k++];
  return fmt::format("{}: {} of {} particle {}, row {}", path.string(), field.name, kinds[k].name, in_kind, row);
}

}  // namespace

bool recognises_tipsy(const FileHead& head) { return parse_header(head).has_value(); }

ParticleSet read_tipsy(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  Header header;
  comm.agree([&] {
    if (comm.is_root()) header = read_header(path);
  });
  comm.broadcast(std::span<Header>(&header, 1));
  for (std::size_t k = 0; k < kinds.size(); ++k) info.count_of_type[kinds[k].type] = header.count[k];
  info.time = header.time;
  const std::uint64_t begin = first_of_rank(header.total(), comm.rank(), comm.size());
  const std::uint64_t end = first_of_rank(header.total(), comm.rank() + 1, comm.size());
  ParticleSet particles;
  SofteningRanges softenings;
  comm.agree([&] { particles = read_rows(path, header, fields, begin, end, softenings); });
  info.softenings = softenings_of(softenings, comm);
  info.notes = notes_on(header);
  const RowNamer namer = [&](const ParticleField& field, std::uint64_t row) { return name_row(path, header, field, row); };
  validate_particles(particles, path.string(), begin, namer, comm);
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
  }
  return fields;
}

}  // namespace grove
