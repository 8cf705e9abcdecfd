#include "src/view/log_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "io/files/checksum.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

constexpr std::size_t bytes_at_a_time = std::size_t{4} << 20, longest_head = std::size_t{1} << 16, bytes_before_cursor = 512;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What stands between the commas of a line, which may end as lines of other systems do.
std::vector<std::string_view> values_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return csv_parts(line);
}

/// Names of the columns, and the byte at which the rows begin; no names as long as the file has none.
struct Head {
  std::vector<std::string> names;
  std::uint64_t end = 0;
};

Head read_head(const OpenFile& file) {
  const std::string bytes = file.read(0, longest_head);
  if (const std::size_t end = bytes.find('\n'); end != std::string::npos) {
    const auto names = values_of(std::string_view(bytes).substr(0, end));
    return {{names.begin(), names.end()}, end + 1};
  }
  if (bytes.size() == longest_head) throw DataError(file.name() + ": is no log of Grove: its first 64 KiB have no names of columns");
  return {};
}

std::uint32_t sum_before(const OpenFile& file, std::uint64_t at) {
  const std::uint64_t count = std::min<std::uint64_t>(at, bytes_before_cursor);
  const std::string bytes = file.read(at - count, count);
  return Checksum(std::as_bytes(std::span(bytes))).value();
}

/// "BYTE-CHECKSUM": the place, and what stands before it.
std::string cursor_at(const OpenFile& file, std::uint64_t at) { return fmt::format("{}-{}", at, sum_before(file, at)); }

/// The byte that a cursor stands for; nothing if the file is not what it was.
std::optional<std::uint64_t> place_of(const std::string& cursor, const OpenFile& file, const Head& head) {
  std::uint64_t at = 0;
  const char* const end = cursor.data() + cursor.size();
  if (std::from_chars(cursor.data(), end, at).ec != std::errc() || at < head.end || at > file.facts().size) return std::nullopt;
  if (cursor != cursor_at(file, at)) return std::nullopt;
  return at;
}

/// Adds the whole lines of `text`; returns how many bytes these are.
std::size_t add_lines(std::string_view text, std::uint64_t most, LogPart& part) {
  const std::size_t whole = text.rfind('\n') + 1;  // 0 without one
  text = text.substr(0, whole);
  part.lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  const std::uint64_t stride = std::max<std::uint64_t>(1, (part.lines + most - 1) / std::max<std::uint64_t>(1, most));
  for (std::uint64_t i = 0; i < part.lines; ++i) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (i % stride != 0 && i + 1 != part.lines) continue;
    const auto values = values_of(line);
    if (values.size() != part.names.size()) {
      ++part.bad_lines;
      continue;
    }
    std::vector<double>& row = part.rows.emplace_back();
    row.reserve(values.size());
    for (const std::string_view value : values) row.push_back(parse_number<double>(value).value_or(not_a_number));
  }
  return whole;
}

}  // namespace

LogPart read_log_part(const OpenFile& file, const std::string& cursor, std::uint64_t most) {
  LogPart part;
  const Head head = read_head(file);
  if (head.names.empty()) return part;
  part.names = head.names;
  const auto place = place_of(cursor, file, head);
  part.is_from_start = !place;
  const std::uint64_t begin = place.value_or(head.end);
  const std::string bytes = file.read(begin, bytes_at_a_time);
  const std::size_t whole = add_lines(bytes, most, part);
  if (whole == 0 && bytes.size() == bytes_at_a_time) throw DataError(file.name() + ": is no log of Grove: it has a line of 4 MiB");
  part.cursor = cursor_at(file, begin + whole);
  part.is_last = bytes.size() < bytes_at_a_time;
  return part;
}

LogPart read_last_row(const OpenFile& file) {
  LogPart part;
  const Head head = read_head(file);
  part.names = head.names;
  const std::uint64_t size = file.facts().size;
  if (head.names.empty() || size <= head.end) return part;
  const std::uint64_t begin = std::max<std::uint64_t>(head.end, size - std::min<std::uint64_t>(size, longest_head));
  const std::string bytes = file.read(begin, longest_head);
  std::string_view text(bytes.data(), bytes.rfind('\n') + 1);
  if (text.empty()) return part;
  const std::size_t before = text.size() > 1 ? text.rfind('\n', text.size() - 2) : std::string_view::npos;
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  add_lines(text, 1, part);
  return part;
}

}  // namespace grove
