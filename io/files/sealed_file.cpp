#include "io/files/sealed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "io/files/checksum.hpp"
#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The end of the file. Numbers are little-endian, as in all files of Grove.
struct Seal {
  char name[8];
  std::uint64_t head_bytes;
  std::uint64_t checksum;
};
constexpr char seal_name[] = "GROVESUM";

std::uint64_t checksum_of_head(std::ifstream& file, std::uint64_t bytes) {
  std::vector<std::byte> head(bytes);
  file.seekg(0).read(reinterpret_cast<char*>(head.data()), static_cast<std::streamsize>(bytes));
  return Checksum(head).value();
}

/// The seal of a file whose read position is at its end.
std::optional<Seal> read_seal(std::ifstream& file) {
  if (!file) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(file.tellg());
  Seal end{};
  if (size < sizeof(end)) return std::nullopt;
  file.seekg(static_cast<std::streamoff>(size - sizeof(end)));
  file.read(reinterpret_cast<char*>(&end), sizeof(end));
  const bool is_there = file && std::memcmp(end.name, seal_name, sizeof(end.name)) == 0 && end.head_bytes <= size - sizeof(end);
  return is_there ? std::optional<Seal>(end) : std::nullopt;
}

}  // namespace

void seal(const std::filesystem::path& path, std::uint64_t head_bytes) {
  const auto fail = [&] { throw SystemError(path.string() + ": cannot be written: " + reason_of(errno)); };
  std::ifstream file(path, std::ios::binary);
  if (!file) fail();
  Seal end{};
  std::memcpy(end.name, seal_name, sizeof(end.name));
  end.head_bytes = std::min(head_bytes, static_cast<std::uint64_t>(std::filesystem::file_size(path)));
  end.checksum = checksum_of_head(file, end.head_bytes);
  if (!file) fail();
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(&end), sizeof(end));
  out.close();
  if (!out) fail();
}

bool has_seal(const std::filesystem::path& path) {
  // Opening a pipe would wait for its writer.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  return read_seal(file).has_value();
}

void require_seal(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading: " + std::strerror(errno));
  const std::optional<Seal> end = read_seal(file);
  if (!end) throw DataError(path.string() + ": is no checkpoint of Grove, or a damaged one: its end is missing");
  if (checksum_of_head(file, end->head_bytes) != end->checksum || !file)
    throw DataError(path.string() + ": the checkpoint is damaged: its metadata have a wrong checksum");
}

}  // namespace grove
