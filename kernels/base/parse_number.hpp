// From text to number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace grove {

/// The number that `text` is as a whole, in the form of std::from_chars: no plus sign, no blanks, independent of the locale, "nan" and
/// "inf" allowed. Nothing for other texts, and for a number beyond the range of the type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, mistake] = std::from_chars(text.data(), end, number);
  return mistake == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace grove
