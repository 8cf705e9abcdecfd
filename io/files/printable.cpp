#include "io/files/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "io/files/utf8.hpp"

namespace grove {

namespace {

bool acts_on_a_terminal(std::uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool changes_direction =
      code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || changes_direction || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string printable_text(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes > 0 && !acts_on_a_terminal(c.code))
      result.append(text, at, bytes);
    else
      for (std::size_t i = at; i < at + bytes; ++i) result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[i]));
    at += bytes;
  }
  return result;
}

std::string printable_line(const std::string& text, std::size_t longest) {
  // The rest of a much longer text is not needed.
  std::string line = printable_text(text.substr(0, 4 * longest + 4));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  line = line.substr(first, line.find_last_not_of(' ') - first + 1);
  if (line.size() <= longest) return line;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<std::uint8_t>(line[end]) & 0xc0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

}  // namespace grove
