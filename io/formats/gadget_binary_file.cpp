#include "io/formats/gadget_binary_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::uint32_t most_of_type = std::numeric_limits<std::int32_t>::max();  // GADGET's counts are signed
constexpr std::uint32_t header_bytes = 256, label_bytes = 8;
constexpr std::uint64_t marker_bytes = 4;
constexpr std::size_t types = particle_type_count;
/// No program writes nearly so many: more are not blocks.
constexpr std::size_t most_unused_blocks = 100;

/// How the file begins; nothing if it is not of this format.
struct Beginning {
  bool swapped = false;
  int format = 1;
};

std::optional<Beginning> beginning_of(const FileHead& head) {
  for (const bool swapped : {false, true}) {
    // A file that ends earlier is damaged, but still of this format.
    const auto integer_is = [&](std::size_t at, std::uint32_t wanted) {
      return head.bytes.size() < at + 4 || load_number<std::uint32_t>(head.bytes.data() + at, swapped) == wanted;
    };
    if (head.bytes.size() < 8) return std::nullopt;
    if (integer_is(0, header_bytes) && integer_is(marker_bytes + header_bytes, header_bytes)) return Beginning{swapped, 1};
    if (integer_is(0, label_bytes) && head.bytes.compare(4, 4, "HEAD") == 0 && integer_is(12, label_bytes) && integer_is(16, header_bytes))
      return Beginning{swapped, 2};
  }
  return std::nullopt;
}

/// One record of the file.
struct Record {
  std::uint64_t offset = 0, bytes = 0;  // of the data between the two lengths
};

/// The records of a file in order. No size in the file is trusted before it is compared with the size of the file.
class Records {
 public:
  Records(const std::filesystem::path& path, bool swapped)
      : path_(path), file_(open_binary(path)), size_(std::filesystem::file_size(path)), swapped_(swapped) {}

  bool at_end() const { return at_ == size_; }
  /// The next record. Its length must be one of `allowed`, unless that is empty. The length in the file has 4 bytes: lengths are modulo
  /// 2^32.
  Record next(const std::string& name, std::vector<std::uint64_t> allowed = {});
  std::string text(const Record& record);
  bool swapped() const { return swapped_; }
  std::string name_of_file() const { return path_.string(); }

 private:
  std::optional<std::uint32_t> length_at(std::uint64_t offset);

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0;
  bool swapped_ = false;
};

std::optional<std::uint32_t> Records::length_at(std::uint64_t offset) {
  if (offset + marker_bytes > size_) return std::nullopt;
  char bytes[marker_bytes];
  if (!file_.seekg(static_cast<std::streamoff>(offset)).read(bytes, marker_bytes)) throw SystemError(path_.string() + ": cannot be read");
  return load_number<std::uint32_t>(bytes, swapped_);
}

Record Records::next(const std::string& name, std::vector<std::uint64_t> allowed) {
  const std::string where = fmt::format("{}: {} at byte {}", path_.string(), name, at_);
  const auto length = length_at(at_);
  if (!length) throw DataError(fmt::format("{}: missing; the file ends after {} bytes", where, size_));
  if (allowed.empty()) {
    allowed.push_back(*length);
    for (std::uint64_t bytes = *length + (std::uint64_t{1} << 32); at_ + 2 * marker_bytes + bytes <= size_; bytes += std::uint64_t{1} << 32)
      allowed.push_back(bytes);
  }
  std::optional<std::uint64_t> announced;
  for (const std::uint64_t bytes : allowed) {
    if (static_cast<std::uint32_t>(bytes) != *length) continue;
    announced = bytes;
    const auto end = length_at(at_ + marker_bytes + bytes);
    if (!end || *end != *length) continue;
    const Record record{at_ + marker_bytes, bytes};
    at_ = record.offset + bytes + marker_bytes;
    return record;
  }
  if (!announced)
    throw DataError(
        fmt::format("{}: the record has {} bytes; the counts in the header need {}", where, *length, fmt::join(allowed, " or ")));
  const std::uint64_t end = at_ + marker_bytes + *announced;
  throw DataError(
      end + marker_bytes > size_
          ? fmt::format("{}: is truncated: a record of {} bytes begins here, and the file ends after {} bytes", where, *length, size_)
          : fmt::format("{}: is damaged: the record does not end with its length of {} bytes", where, *length));
}

std::string Records::text(const Record& record) {
  std::string bytes(record.bytes, '\0');
  if (!file_.seekg(static_cast<std::streamoff>(record.offset)).read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw SystemError(path_.string() + ": cannot be read");
  return bytes;
}

/// The header from the 256 bytes of its record.
GadgetBinaryHeader parse_header(const std::string& bytes, const Records& records) {
  const auto fail = [&](const std::string& what, auto value) {
    throw DataError(fmt::format("{}: header: {} is {}", records.name_of_file(), what, value));
  };
  const auto integer = [&](std::size_t at) { return load_number<std::uint32_t>(bytes.data() + at, records.swapped()); };
  const auto number = [&](std::size_t at) { return load_number<double>(bytes.data() + at, records.swapped()); };
  const auto finite = [&](const char* name, std::size_t at) {
    if (!std::isfinite(number(at))) fail(std::string("the ") + name, number(at));
    return number(at);
  };
  GadgetBinaryHeader header;
  for (std::size_t k = 0; k < types; ++k) {
    header.count[k] = integer(4 * k);
    if (header.count[k] > most_of_type)
      throw DataError(fmt::format("{}: header: the number of particles of type {} is {}; a file of this format holds at most {} of a type",
                                  records.name_of_file(), k, header.count[k], most_of_type));
    const double mass = header.mass_of_type[k] = number(24 + 8 * k);
    if (!(mass >= 0) || std::isinf(mass)) fail(fmt::format("the mass of type {}", k), mass);
    header.total[k] = integer(96 + 4 * k) + (std::uint64_t{integer(168 + 4 * k)} << 32);
  }
  header.time = finite("time", 72);
  header.redshift = finite("redshift", 80);
  header.box_size = finite("box size", 128);
  header.omega_matter = finite("Omega0", 136);
  header.omega_lambda = finite("OmegaLambda", 144);
  header.hubble = finite("HubbleParam", 152);
  const auto files = static_cast<std::int32_t>(integer(124));
  if (files < 0) fail("the number of files", files);
  header.files = static_cast<std::uint64_t>(std::max(files, 1));
  return header;
}

/// Finds the blocks of a file.
class BlockFinder {
 public:
  BlockFinder(Records& records, GadgetBinaryFile& file, std::vector<std::string>& unused)
      : records_(records), file_(file), unused_(unused) {}

  void find() {
    if (file_.format == 1)
      take_in_order();
    else
      take_by_name();
    const std::uint64_t n = file_.header.particles();
    if (n > 0 && !file_.position) fail_without("positions (POS)");
    if (n > 0 && !file_.velocity) fail_without("velocities (VEL)");
    if (file_.header.particles_with_own_mass() > 0 && !file_.mass)
      fail_without("masses (MASS), and MassTable does not have those of all types");
  }

 private:
  [[noreturn]] void fail_without(const char* what) const {
    throw DataError(fmt::format("{}: missing field: there is no block of {}", records_.name_of_file(), what));
  }

  [[noreturn]] void fail_after_blocks(const std::string& what) const {
    throw DataError(fmt::format("{}: {} after the blocks that the header announces; zeros, or another file, behind the end of this one?",
                                records_.name_of_file(), what));
  }

  void take_in_order() {
    if (file_.header.particles() == 0) return;
    for (const char* name : {"POS", "VEL", "ID"}) take(name);
    if (file_.header.particles_with_own_mass() > 0) take("MASS");
    std::size_t further = 0;
    for (; !records_.at_end(); ++further)
      if (skip(fmt::format("block {}", further + 5), further).bytes == 0) fail_after_blocks("an empty record");
    if (further > 0) unused_.push_back(fmt::format("{} after the masses", further));
  }

  void take_by_name() {
    std::size_t skipped = 0;
    while (!records_.at_end()) {
      const std::string label = records_.text(records_.next("name of a block", {label_bytes})).substr(0, 4);
      const std::string name = printable_line(label.substr(0, label.find_last_not_of(std::string(" \0", 2)) + 1));
      if (take(name)) continue;
      skip("block " + name, skipped++);
      unused_.push_back(name);
    }
  }

  /// Skips a block that is not used, after `skipped` others.
  Record skip(const std::string& name, std::size_t skipped) {
    if (skipped == most_unused_blocks) fail_after_blocks(fmt::format("more than {} blocks that are not used", skipped));
    return records_.next(name);
  }

  /// Takes the next record as the block `name`; false if that block is not used.
  bool take(const std::string& name) {
    const std::uint64_t n = file_.header.particles();
    if (name == "POS") return take(name, file_.position, 3 * n);
    if (name == "VEL") return take(name, file_.velocity, 3 * n);
    if (name == "ID") return take(name, file_.id, n);
    if (name == "MASS" && file_.header.particles_with_own_mass() > 0) return take(name, file_.mass, file_.header.particles_with_own_mass());
    return false;
  }
  bool take(const std::string& name, NumbersInFile& numbers, std::uint64_t count) {
    if (numbers) throw DataError(fmt::format("{}: there are two blocks {}", records_.name_of_file(), name));
    const Record record = records_.next("block " + name, {4 * count, 8 * count});
    numbers = {record.offset, record.bytes == 4 * count ? 4U : 8U, file_.swapped};
    return true;
  }

  Records& records_;
  GadgetBinaryFile& file_;
  std::vector<std::string>& unused_;
};

}  // namespace

std::uint64_t GadgetBinaryHeader::particles_with_own_mass() const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < types; ++k) sum += mass_of_type[k] == 0 ? count[k] : 0;
  return sum;
}

std::uint64_t GadgetBinaryFile::first_of_type(int type) const {
  return std::accumulate(header.count.begin(), header.count.begin() + type, std::uint64_t{0});
}

std::uint64_t GadgetBinaryFile::first_mass_of_type(int type) const {
  std::uint64_t first = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(type); ++k) first += header.mass_of_type[k] == 0 ? header.count[k] : 0;
  return first;
}

bool recognises_gadget_binary(const FileHead& head) { return beginning_of(head).has_value(); }

GadgetBinaryFile read_gadget_binary_file(const std::filesystem::path& path, std::vector<std::string>& unused) {
  const std::optional<Beginning> beginning = beginning_of(read_head(path));
  if (!beginning) throw DataError(path.string() + ": does not begin as a binary file of GADGET, with a record of 256 bytes");
  GadgetBinaryFile file;
  file.swapped = beginning->swapped;
  file.format = beginning->format;
  Records records(path, file.swapped);
  if (file.format == 2) records.next("name of the header", {label_bytes});
  const Record header = records.next("header", {header_bytes});
  file.header = parse_header(records.text(header), records);
  BlockFinder(records, file, unused).find();
  return file;
}

}  // namespace grove
