// Parts of texts.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// `text` without blanks at its ends.
std::string trimmed(const std::string& text);

/// The line "note: TEXT", its end included; nothing for an empty text.
std::string as_note(const std::string& text);

/// The parts of `text` between its commas, trimmed(): "a, b" -> a, b. Parts may be empty; an empty text has none.
std::vector<std::string> parts_between_commas(const std::string& text);

}  // namespace grove
