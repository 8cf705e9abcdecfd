#include "io/printable.hpp"

#include <fmt/format.h>

namespace grove {

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~')
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > longest ? shown + "..." : shown;
}

}  // namespace grove
