#include "src/pictures/png_texts.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace grove {

namespace {

constexpr std::uint32_t longest_text = 1 << 16;

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::map<std::string, std::string> png_texts(const std::string& path) {
  std::map<std::string, std::string> texts;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return texts;
  std::ifstream file(path, std::ios::binary);
  std::string head(8, '\0');
  if (!file.read(head.data(), 8) || head != png_signature) return texts;
  // Parts: length, name, so many bytes, checksum.
  while (file.read(head.data(), 8)) {
    const std::uint32_t length = big_endian(head.data());
    if (head.substr(4) != "tEXt" || length > longest_text) {
      file.seekg(static_cast<std::streamoff>(length) + 4, std::ios::cur);
      continue;
    }
    std::string text(length, '\0');
    if (!file.read(text.data(), length)) break;
    file.seekg(4, std::ios::cur);
    if (const std::size_t end = text.find('\0'); end != std::string::npos) texts.emplace(text.substr(0, end), text.substr(end + 1));
  }
  return texts;
}

}  // namespace grove
