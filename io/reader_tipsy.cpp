#include "io/reader_tipsy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// The kinds of particles in the order in which they lie in the file.
struct Kind {
  const char* name;
  std::uint8_t type;
  std::uint64_t record_bytes;  // mass, position, velocity come first in all of them
};
constexpr std::array<Kind, 3> kinds = {{{"gas", 0, 48}, {"dark", 1, 36}, {"star", 4, 44}}};

constexpr std::size_t short_header = 28, long_header = 32;
constexpr std::size_t floats_used = 7;
constexpr std::uint64_t records_per_read = 1 << 16;

struct Header {
  double time = 0;
  std::array<std::uint64_t, kinds.size()> count{};
  std::uint64_t bytes = long_header;
  bool swapped = false;

  std::uint64_t total() const { return count[0] + count[1] + count[2]; }
  std::uint64_t body_bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) sum += count[k] * kinds[k].record_bytes;
    return sum;
  }
};

template <class T>
T load(const char* bytes, bool swapped) {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (swapped) std::reverse(own, own + sizeof(T));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return value;
}

/// The header, if the first bytes make sense as one in either byte order.
std::optional<Header> parse_header(const FileHead& head) {
  if (head.bytes.size() < short_header) return std::nullopt;
  for (const bool swapped : {false, true}) {
    const auto integer = [&](std::size_t at) { return load<std::int32_t>(head.bytes.data() + at, swapped); };
    const std::int64_t total = integer(8), gas = integer(16), dark = integer(20), star = integer(24);
    if (integer(12) != 3 || gas < 0 || dark < 0 || star < 0 || gas + dark + star != total) continue;
    Header header;
    header.time = load<double>(head.bytes.data(), swapped);
    header.count = {static_cast<std::uint64_t>(gas), static_cast<std::uint64_t>(dark), static_cast<std::uint64_t>(star)};
    header.bytes = head.size == short_header + header.body_bytes() ? short_header : long_header;
    header.swapped = swapped;
    return header;
  }
  return std::nullopt;
}

Header read_header(const std::filesystem::path& path) {
  FileHead head;
  head.size = std::filesystem::file_size(path);
  head.bytes.resize(long_header);
  std::ifstream file(path, std::ios::binary);
  file.read(head.bytes.data(), static_cast<std::streamsize>(head.bytes.size()));
  head.bytes.resize(static_cast<std::size_t>(file.gcount()));
  const std::optional<Header> header = parse_header(head);
  if (!header)
    throw DataError(path.string() + ": the header is not TIPSY's: particle counts and 3 dimensions are needed in its first 28 bytes");
  const std::uint64_t expected = header->bytes + header->body_bytes();
  if (head.size != expected) {
    throw DataError(fmt::format("{}: is {} bytes long, but its header announces {} particles in {} bytes: the file is {}", path.string(),
                                head.size, header->total(), expected, head.size < expected ? "truncated" : "longer than it must be"));
  }
  return *header;
}

/// Reads rows [first, first + count) of one kind into the particles from `at` on; on failure `file` is in a failed state.
void read_kind(std::ifstream& file, const Header& header, std::size_t k, std::uint64_t first, std::uint64_t count, ParticleSet& particles,
               std::size_t at) {
  std::uint64_t offset = header.bytes + first * kinds[k].record_bytes;
  for (std::size_t before = 0; before < k; ++before) offset += header.count[before] * kinds[before].record_bytes;
  file.seekg(static_cast<std::streamoff>(offset));
  std::vector<char> records;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t now = std::min(records_per_read, count - done);
    records.resize(now * kinds[k].record_bytes);
    file.read(records.data(), static_cast<std::streamsize>(records.size()));
    if (!file) return;
    for (std::uint64_t i = 0; i < now; ++i, ++at) {
      float value[floats_used];
      for (std::size_t j = 0; j < floats_used; ++j) value[j] = load<float>(&records[i * kinds[k].record_bytes + 4 * j], header.swapped);
      particles.mass[at] = value[0];
      std::copy_n(value + 1, 3, &particles.position[3 * at]);
      std::copy_n(value + 4, 3, &particles.velocity[3 * at]);
      particles.type[at] = kinds[k].type;
    }
    done += now;
  }
}

/// Reads the rows [begin, end) of the file.
ParticleSet read_rows(const std::filesystem::path& path, const Header& header, std::uint64_t begin, std::uint64_t end) {
  ParticleSet particles;
  particles.resize(end - begin);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading");
  std::uint64_t kind_begin = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::uint64_t kind_end = kind_begin + header.count[k];
    const std::uint64_t first = std::max(begin, kind_begin), last = std::min(end, kind_end);
    if (first < last) read_kind(file, header, k, first - kind_begin, last - first, particles, first - begin);
    kind_begin = kind_end;
  }
  if (!file) throw SystemError(fmt::format("{}: rows {} to {} cannot be read", path.string(), begin, end - 1));
  for (std::uint64_t row = begin; row < end; ++row) particles.id[row - begin] = row;
  return particles;
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
  info.notes.push_back(fmt::format("{}-endian, header of {} bytes", header.swapped ? "big" : "little", header.bytes));
  const std::uint64_t begin = first_of_rank(header.total(), comm.rank(), comm.size());
  const std::uint64_t end = first_of_rank(header.total(), comm.rank() + 1, comm.size());
  ParticleSet particles;
  comm.agree([&] { particles = read_rows(path, header, begin, end); });
  particles.fields = fields;
  const RowNamer namer = [&](const ParticleField& field, std::uint64_t row) { return name_row(path, header, field, row); };
  validate_particles(particles, path.string(), begin, namer, comm);
  return particles;
}

std::vector<FieldDescription> tipsy_fields(const std::filesystem::path& path) {
  const Header header = read_header(path);
  std::vector<FieldDescription> fields;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (header.count[k] == 0) continue;
    const std::string prefix = std::string(kinds[k].name) + '/';
    const std::string n = std::to_string(header.count[k]);
    fields.push_back({prefix + "mass", "f4", n});
    fields.push_back({prefix + "position", "f4", n + " x 3"});
    fields.push_back({prefix + "velocity", "f4", n + " x 3"});
  }
  return fields;
}

}  // namespace grove
