#include "kernels/base/csv_lines.hpp"

namespace grove {

std::vector<std::string_view> csv_parts(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    parts.push_back(line.substr(begin, comma - begin));
    if (comma == std::string_view::npos) return parts;
    begin = comma + 1;
  }
}

std::optional<CsvHead> csv_head(std::string_view text) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return std::nullopt;
    if (text[begin] != '#') return CsvHead{text.substr(begin, end - begin), end + 1};
    begin = end + 1;
  }
}

}  // namespace grove
