// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace grove {

/// One character of UTF-8: its code and its number of bytes. 0 bytes: no UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The character that begins at a byte of `text`.
Character character_at(const std::string& text, std::size_t at);

}  // namespace grove
