#include "io/formats/text_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "io/formats/text_lines.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

// Names in lower case; the first of each kind is the one that messages use.
constexpr std::pair<std::string_view, TextColumn> known_names[] = {
    {"m", TextColumn::mass},   {"x", TextColumn::x},       {"y", TextColumn::y},
    {"z", TextColumn::z},      {"vx", TextColumn::vx},     {"vy", TextColumn::vy},
    {"vz", TextColumn::vz},    {"id", TextColumn::id},     {"type", TextColumn::type},
    {"-", TextColumn::none},   {"mass", TextColumn::mass}, {"component", TextColumn::component},
    {"ids", TextColumn::id},   {"v_x", TextColumn::vx},    {"galaxy", TextColumn::component},
    {"v_y", TextColumn::vy},   {"v_z", TextColumn::vz},    {"pos_x", TextColumn::x},
    {"pos_y", TextColumn::y},  {"pos_z", TextColumn::z},   {"vel_x", TextColumn::vx},
    {"vel_y", TextColumn::vy}, {"vel_z", TextColumn::vz},
};

}  // namespace

std::optional<TextColumn> column_named(std::string_view name) {
  const auto found = std::find_if(std::begin(known_names), std::end(known_names), [&](const auto& known) { return known.first == name; });
  return found == std::end(known_names) ? std::nullopt : std::optional(found->second);
}

std::string plain_column_name(std::string_view name) {
  while (!name.empty() && std::string_view("[(<{").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
  name = name.substr(0, name.find_first_of("[](){}<>/"));
  name = name.substr(0, name.find_last_not_of(" \t") + 1);
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string complaint_about(const TextColumns& columns) {
  for (const auto& [name, kind] : known_names) {
    const auto count = std::count(columns.kinds.begin(), columns.kinds.end(), kind);
    if (kind != TextColumn::none && count > 1) return fmt::format("{} stands there {} times", name, count);
    if (static_cast<std::size_t>(kind) < needed_columns && count == 0)
      return fmt::format("{} is missing; m x y z vx vy vz are needed", name);
  }
  if (columns.has(TextColumn::type) && columns.has(TextColumn::component)) return "type and component cannot both be there";
  return "";
}

std::vector<std::string> words_of_list(std::string_view text) {
  std::string blanks(text);
  std::replace_if(
      blanks.begin(), blanks.end(), [](char c) { return c == ',' || c == ';' || c == '|' || c == ':'; }, ' ');
  std::vector<std::string_view> words;
  split_words(blanks, false, words);
  return {words.begin(), words.end()};
}

TextColumns columns_with(const std::vector<std::string>& names) {
  TextColumns columns;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const std::optional<TextColumn> kind = column_named(plain_column_name(name));
    if (!kind) unknown.push_back(shown_word(name));
    columns.kinds.push_back(kind.value_or(TextColumn::none));
    columns.names.push_back(shown_word(name));
  }
  if (!unknown.empty()) columns.notes.push_back(fmt::format("columns of the table that are not used: {}", fmt::join(unknown, ", ")));
  return columns;
}

bool TextColumns::has(TextColumn kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

std::string complaint_about_columns(const std::string& list) {
  const std::vector<std::string> words = words_of_list(list);
  for (const std::string& word : words) {
    if (!column_named(word))
      return fmt::format("'{}' is no column; known are id m x y z vx vy vz type component galaxy, and - to leave one out",
                         shown_word(word));
  }
  return complaint_about(columns_with(words));
}

TextColumns columns_of_list(const std::string& list) { return columns_with(words_of_list(list)); }

TextColumns columns_of_names(const std::vector<std::string_view>& names, const std::string& where) {
  TextColumns columns = columns_with({names.begin(), names.end()});
  const std::string complaint = complaint_about(columns);
  if (!complaint.empty())
    throw DataError(fmt::format("{}: is taken as the names of the columns, and {}: {}", where, complaint, how_to_name_columns));
  return columns;
}

TextColumns columns_of_count(std::size_t count, const std::string& where) {
  if (count != needed_columns && count != needed_columns + 1)
    throw DataError(
        fmt::format("{} has {} columns; without names 7 or 8 are needed (m x y z vx vy vz [type]): {}", where, count, how_to_name_columns));
  TextColumns columns = columns_with({"mass", "x", "y", "z", "vx", "vy", "vz", "type"});
  columns.kinds.resize(count);
  columns.names.resize(count);
  columns.has_names = false;
  return columns;
}

}  // namespace grove
