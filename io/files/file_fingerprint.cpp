#include "io/files/file_fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/checksum.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{1} << 14U, most_blocks = 512, fewest_blocks = 8;

std::string in_words(const std::string& fingerprint) { return fingerprint.empty() ? "cannot be opened" : "has " + fingerprint; }

}  // namespace

std::string file_fingerprint(const std::filesystem::path& path, std::size_t files) {
  // Opening a pipe would wait for its writer.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<std::uint64_t>(file.tellg());
  const std::uint64_t blocks = std::max(most_blocks / std::max<std::uint64_t>(files, 1), fewest_blocks);
  // A small file is read as a whole.
  const bool is_small = size <= blocks * block_bytes;
  std::string bytes(is_small ? size : block_bytes, '\0');
  Checksum sum;
  for (std::uint64_t block = 0; block < (is_small ? 1 : blocks); ++block) {
    const std::uint64_t at = (size - bytes.size()) / (blocks - 1) * block;
    const bool is_last = !is_small && block + 1 == blocks;
    file.seekg(static_cast<std::streamoff>(is_last ? size - bytes.size() : at));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return "";
    sum.append(Checksum(std::as_bytes(std::span<const char>(bytes))));
  }
  return fmt::format("{} bytes, with the sum {:08x}", size, sum.value());
}

void require_same_files(const std::vector<std::filesystem::path>& paths, const Communicator& comm, const std::string& key) {
  if (comm.size() == 1) return;
  std::vector<std::string> own;
  for (const std::filesystem::path& path : paths) own.push_back(file_fingerprint(path, paths.size()));
  std::vector<std::string> of_root = own;
  for (std::string& fingerprint : of_root) comm.broadcast(fingerprint);
  comm.agree([&] {
    const auto at = static_cast<std::size_t>(std::mismatch(own.begin(), own.end(), of_root.begin()).first - own.begin());
    if (at == own.size()) return;
    const std::string file = paths[at].string(), name = key.empty() ? file : fmt::format("{} = \"{}\"", key, file);
    throw DataError(fmt::format("{} is not the same file for all ranks: it {} on rank 0, and {} on {}; all ranks must see one file", name,
                                in_words(of_root[at]), in_words(own[at]), place_or_number(comm.rank())));
  });
}

}  // namespace grove
