// Pieces of input in messages: short, and harmless to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace grove {

/// `text` as it may stand in a message: what is not printable ASCII as \xNN, and after 40 bytes "...".
std::string printable(std::string_view text);

}  // namespace grove
