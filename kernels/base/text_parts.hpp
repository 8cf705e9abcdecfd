// Parts of texts, and of lines of tables with commas, as Grove's own logs are. For tables of others see io/formats/text_lines.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// `text` without blanks at its ends.
std::string trimmed(const std::string& text);
/// The line "note: TEXT", its end included; nothing for an empty text.
std::string as_note(const std::string& text);
/// as_note() of each.
std::string as_notes(const std::vector<std::string>& texts);

/// The parts of a line of a log between its commas, one more than commas. Parts may be empty: "1,2," has three, and "" has one. They point
/// into `line`.
std::vector<std::string_view> csv_parts(std::string_view line);

/// The parts of `text` between its commas, trimmed(): "a, b" -> a, b. Parts may be empty; an empty text has none.
std::vector<std::string> parts_between_commas(const std::string& text);

}  // namespace grove
