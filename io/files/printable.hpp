// Text from files and messages, made safe for a terminal.
#pragma once

#include <string>

namespace grove {

/// `text` with control characters, marks that change the direction of writing, and invalid UTF-8 as \xNN. Newlines and tabs stay.
std::string printable_text(const std::string& text);

/// The same in one line of at most `longest` bytes, without blanks at its ends; "..." marks what is omitted.
std::string printable_line(const std::string& text, std::size_t longest = 200);

}  // namespace grove
