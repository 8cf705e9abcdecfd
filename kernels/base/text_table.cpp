#include "kernels/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace grove {

namespace {

/// Three significant digits without an exponent for values from 1 to 999.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

template <std::size_t count>
std::string scaled(double value, double factor, const std::array<const char*, count>& units) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  std::size_t unit = 0;
  for (; unit + 1 < count && std::abs(value) >= 0.9995 * factor; ++unit) value /= factor;
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows_[r].size() && c < widths.size(); ++c)
      line += c == 0 ? fmt::format("{:<{}}", rows_[r][c], widths[c]) : fmt::format("  {:>{}}", rows_[r][c], widths[c]);
    text += line + "\n";
    if (r == 0) text += std::string(line.size(), '-') + "\n";
  }
  return text;
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string format_quantity(double quantity) {
  static constexpr std::array<const char*, 5> units{"", "k", "M", "G", "T"};
  std::string text = scaled(quantity, 1000, units);
  if (text.back() == ' ') text.pop_back();
  return text;
}

std::string format_seconds(double seconds) {
  static constexpr std::array<const char*, 3> units{"us", "ms", "s"};
  return scaled(seconds * 1e6, 1000, units);
}

std::string format_duration(double seconds) {
  if (!(seconds < 1e8)) return "-";
  const auto total = static_cast<std::uint64_t>(std::max(0.0, std::round(seconds)));
  const std::uint64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60) : fmt::format("{}:{:02}", minutes, total % 60);
}

std::string format_bytes(double bytes) {
  static constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  return scaled(bytes, 1024, units);
}

}  // namespace grove
