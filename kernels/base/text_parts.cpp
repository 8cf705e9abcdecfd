#include "kernels/base/text_parts.hpp"

#include "kernels/base/csv_lines.hpp"

namespace grove {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string as_note(const std::string& text) { return text.empty() ? "" : "note: " + text + "\n"; }

std::vector<std::string> parts_between_commas(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (const std::string_view part : csv_parts(text)) parts.push_back(trimmed(std::string(part)));
  return parts;
}

}  // namespace grove
