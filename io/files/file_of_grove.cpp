#include "io/files/file_of_grove.hpp"

#include <fstream>
#include <string>
#include <system_error>

namespace grove {

namespace {

/// The names at the root of a file are usually in the first of these; with many types of particles they come later.
constexpr std::streamsize head_bytes[] = {4 << 10, 256 << 10};
constexpr const char* signature = "\x89HDF\r\n\x1a\n";
/// Version of the superblock, the first with checksums of metadata; its place in the file.
constexpr char version = 2;
constexpr std::size_t version_at = 8;

}  // namespace

bool begins_as_hdf5_of_grove(const std::filesystem::path& path) {
  // Opening a pipe would wait for its writer.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head;
  const auto has = [&](const char* name) { return head.find(name) != std::string::npos; };
  for (const std::streamsize bytes : head_bytes) {
    head.assign(static_cast<std::size_t>(bytes), '\0');
    file.clear();
    file.seekg(0).read(head.data(), bytes);
    head.resize(static_cast<std::size_t>(file.gcount()));
    if (!head.starts_with(signature) || head.size() <= version_at || head[version_at] != version) return false;
    if (has("Provenance") || has("Checkpoint_version")) return true;
  }
  return false;
}

}  // namespace grove
