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
#include "io/formats/reader_gadget.hpp"
#include "io/formats/reader_gadget_binary.hpp"
#include "io/formats/reader_nemo.hpp"
#include "io/formats/reader_text.hpp"
#include "io/formats/reader_tipsy.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

// The table of input formats. Text comes last: it takes whatever is printable.
constexpr InputFormat formats[] = {
    {"GADGET/SWIFT HDF5", ".hdf5 .h5", recognises_gadget, read_gadget, gadget_fields, gadget_attributes, nullptr, nullptr, gadget_info},
    {"GADGET binary", ".gad .gadget", recognises_gadget_binary, read_gadget_binary, gadget_binary_fields},
    {"TIPSY binary", ".tipsy .tip .std", recognises_tipsy, read_tipsy, tipsy_fields},
    {"NEMO snapshot", ".nemo .snap", recognises_nemo, read_nemo, nemo_fields},
    {"text table", ".tab .txt .dat .asc .csv", recognises_text, read_text_table, text_fields, nullptr, read_text_columns,
     text_column_fields},
};

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

std::span<const InputFormat> input_formats() { return formats; }

DetectedFile detect_format(const std::filesystem::path& path) {
  DetectedFile found{find_file(path), nullptr};
  const FileHead head = read_head(found.path);
  for (const InputFormat& format : formats) {
    // Their first bytes are few, and may be those of a number in a file of the formats before.
    if (&format == std::end(formats) - 1) refuse_foreign_format(found.path, head);
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
