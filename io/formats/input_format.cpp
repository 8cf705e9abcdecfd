#include "io/formats/input_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "io/files/find_file.hpp"
#include "io/formats/foreign_format.hpp"
#include "kernels/base/error.hpp"

namespace grove {

InputFormat gadget_format();
InputFormat gadget_binary_format();
InputFormat tipsy_format();
InputFormat nemo_format();
InputFormat text_format();

const std::vector<InputFormat>& input_formats() {
  // Text comes last: it takes whatever is printable.
  static const std::vector<InputFormat> table = {gadget_format(), gadget_binary_format(), tipsy_format(), nemo_format(), text_format()};
  return table;
}

namespace {

bool has_extension(const InputFormat& format, std::string extension) {
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream known(format.extensions);
  for (std::string one; known >> one;) {
    if (one == extension) return true;
  }
  return false;
}

}  // namespace

FileHead read_head(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: cannot be opened for reading: {}", path.string(), std::strerror(errno)));
  FileHead head;
  head.size = std::filesystem::file_size(path);
  head.bytes.resize(4096);
  file.read(head.bytes.data(), static_cast<std::streamsize>(head.bytes.size()));
  if (file.bad()) throw SystemError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  head.bytes.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

DetectedFile detect_format(const std::filesystem::path& path) {
  DetectedFile found{find_file(path), nullptr};
  const FileHead head = read_head(found.path);
  const std::vector<InputFormat>& formats = input_formats();
  for (const InputFormat& format : formats) {
    // Only before text: their few first bytes may also be those of a number in a binary file.
    if (&format == &formats.back()) refuse_foreign_format(found.path, head.bytes);
    if (format.recognises(head)) return {found.path, &format};
  }
  for (const InputFormat& format : formats) {
    if (has_extension(format, found.path.extension().string())) return {found.path, &format};
  }
  std::string names;
  for (const InputFormat& format : formats) names += std::string(names.empty() ? "" : ", ") + format.name;
  throw DataError(fmt::format("{}: is of no known format, neither by content nor by extension; known are {}", found.path.string(), names));
}

}  // namespace grove
