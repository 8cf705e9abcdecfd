// Text of others, as files and messages hold it, made fit for a terminal.
#pragma once

#include <string>

namespace grove {

/// `text` without what would act on a terminal: control characters, marks that change the direction of writing, and bytes that are no
/// UTF-8 become \xNN. Newlines and tabs stay.
std::string printable_text(const std::string& text);

/// The same in one line of at most `longest` bytes, without blanks at its ends; "..." stands for what is left out.
std::string printable_line(const std::string& text, std::size_t longest = 200);

}  // namespace grove
