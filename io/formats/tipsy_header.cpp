#include "io/formats/tipsy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <vector>

#include "io/files/binary_values.hpp"
#include "kernels/base/error.hpp"

namespace grove::tipsy {

namespace {

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

/// Whether the last number of a record is a negative one of an ordinary size. In a big-endian file the softening before it hides its sign
/// from the ids of version 2, which are below that size there.
bool is_potential(const std::vector<char>& record, bool swapped) {
  constexpr float lowest = -1e30F;
  const auto number = load_number<float>(record.data() + record.size() - sizeof(float), swapped);
  return number < 0 && number > lowest;
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
    if (id >= ids.end || is_potential(record, header.swapped) || !seen.insert(id).second) return no_ids;
  }
  return ids;
}

}  // namespace

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

}  // namespace grove::tipsy
