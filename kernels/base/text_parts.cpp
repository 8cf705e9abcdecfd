#include "kernels/base/text_parts.hpp"

namespace grove {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string as_note(const std::string& text) { return text.empty() ? "" : "note: " + text + "\n"; }

std::vector<std::string_view> csv_parts(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    parts.push_back(line.substr(begin, comma - begin));
    if (comma == std::string_view::npos) return parts;
    begin = comma + 1;
  }
}

std::string as_notes(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += as_note(text);
  return lines;
}

std::vector<std::string> parts_between_commas(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (const std::string_view part : csv_parts(text)) parts.push_back(trimmed(std::string(part)));
  return parts;
}

}  // namespace grove
