// Numbers that texts are.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace grove {

/// The number that a whole text is, in the form of std::from_chars: without a plus sign, whatever the language of the system is. Of
/// floating-point numbers there are also "nan" and "inf". Nothing for other texts, which an empty one is and one with blanks, and for a
/// number that the type does not have.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, mistake] = std::from_chars(text.data(), end, number);
  return mistake == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace grove
