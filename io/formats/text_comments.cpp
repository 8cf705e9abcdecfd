#include "io/formats/text_comments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "io/formats/text_lines.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

using Words = std::vector<std::string>;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_number(std::string_view word) { return !word.empty() && std::all_of(word.begin(), word.end(), is_digit); }
bool is_one_of(std::string_view word, std::string_view list) {
  return (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

/// Without units in brackets: "x [kpc]" -> "x". Numbers of columns stay: "(1) x" -> "1 x".
std::string without_units(std::string_view text) {
  std::string rest, inside;
  int depth = 0;
  for (const char c : text) {
    if (std::string_view("[({<").find(c) != std::string_view::npos) {
      if (depth++ == 0) inside.clear();
    } else if (std::string_view("])}>").find(c) != std::string_view::npos && depth > 0) {
      if (--depth == 0) rest += is_number(inside) ? " " + inside + " " : " ";
    } else {
      (depth > 0 ? inside : rest) += c;
    }
  }
  return depth == 0 ? rest : std::string(text);
}

/// The words of a comment without punctuation, in lower case: "col1: x [kpc], 2.y/kpc" -> "1", "x", "2", "y/kpc".
Words words_of(std::string_view text) {
  std::string blanks = without_units(text);
  for (char& c : blanks) {
    const bool is_of_word =
        std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80 || c == '_' || c == '/' || c == '-';
    c = is_of_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : ' ';
  }
  std::vector<std::string_view> split;
  split_words(blanks, false, split);
  Words words;
  for (std::string_view word : split) {
    const auto letters = static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_letter) - word.begin());
    const bool is_column = is_one_of(word.substr(0, letters), "col column columns field fields");
    if (is_column && (letters == word.size() || is_number(word.substr(letters)))) word.remove_prefix(letters);
    if (std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) || c >= 0x80; })) words.emplace_back(word);
  }
  return words;
}

/// Without the numbers of columns, if each name has one and they count from 0 or 1: "1 x 2 y" -> "x", "y".
Words without_numbering(const Words& words) {
  Words rest;
  const std::size_t first = words.empty() || is_number(words[0]) ? 0 : 1;  // "1 x 2 y" or "x 1 y 2"
  std::optional<int> last;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((i % 2 == first) != is_number(words[i])) return words;
    if (i % 2 != first) {
      rest.push_back(words[i]);
      continue;
    }
    int number = -1;
    std::from_chars(words[i].data(), words[i].data() + words[i].size(), number);
    if (last ? number != *last + 1 : number != 0 && number != 1) return words;
    last = number;
  }
  return 2 * rest.size() == words.size() ? rest : words;
}

/// "pos" is three columns, "masses" is one.
Words with_components(const Words& words) {
  Words names;
  for (const std::string& word : words) {
    const std::string name = plain_column_name(word);
    if (is_one_of(name, "pos position positions coordinates"))
      names.insert(names.end(), {"x", "y", "z"});
    else if (is_one_of(name, "vel velocity velocities"))
      names.insert(names.end(), {"vx", "vy", "vz"});
    else
      names.push_back(name == "masses" ? "mass" : word);
  }
  return names;
}

bool is_known(const std::string& word) { return column_named(plain_column_name(word)).has_value(); }

/// The longest run of known names.
Words known_run(const Words& words) {
  Words best, run;
  for (const std::string& word : words) {
    if (is_known(word))
      run.push_back(word);
    else
      run.clear();
    if (run.size() > best.size()) best = run;
  }
  return best;
}

/// The `count` columns that a comment names; nothing if it does not.
std::optional<TextColumns> columns_in(const TextComment& comment, std::size_t count) {
  const Words list = words_of_list(comment.text), names = with_components(without_numbering(words_of(comment.text)));
  for (const Words& words : {list, known_run(list), names, known_run(names)}) {
    TextColumns found = columns_with(words);
    if (found.size() == count && complaint_about(found).empty()) return found;
  }
  return std::nullopt;
}

/// Consecutive comments that list one or a few columns each, joined; a comment without words does not end such a list.
std::vector<TextComment> lists_over_lines(const std::vector<TextComment>& comments) {
  std::vector<TextComment> lists;
  bool goes_on = false;
  for (const TextComment& comment : comments) {
    Words names = words_of(comment.text);
    if (names.empty()) continue;
    std::erase_if(names, [](const std::string& word) { return is_number(word); });
    names = with_components(names);
    const bool is_part = !names.empty() && std::all_of(names.begin(), names.end(), is_known);
    if (is_part && goes_on)
      lists.back().text += ", " + comment.text;
    else if (is_part)
      lists.push_back(comment);
    goes_on = is_part;
  }
  return lists;
}

/// Whether a word looks like a name of a column, known or not: "x", "x_kpc", "posx", "mass", "r".
bool is_like_column(const std::string& word) {
  const std::string name = plain_column_name(word);
  if (column_named(name)) return true;
  std::string_view stem(name);
  stem = stem.substr(0, static_cast<std::size_t>(std::find_if_not(stem.begin(), stem.end(), is_letter) - stem.begin()));
  constexpr std::string_view quantities = "m mass masses pos position positions coordinates vel velocity velocities";
  if (is_one_of(stem, "x y z vx vy vz r v") || is_one_of(stem, quantities)) return true;
  if (stem.size() < 2) return false;
  const auto is_axis = [](char c) { return c == 'x' || c == 'y' || c == 'z'; };
  return (is_axis(stem.back()) && is_one_of(stem.substr(0, stem.size() - 1), "r p pos vel")) ||
         (is_axis(stem.front()) && is_one_of(stem.substr(1), "pos vel position velocity"));
}

Words like_columns(const Words& words) {
  Words found;
  std::copy_if(words.begin(), words.end(), std::back_inserter(found), is_like_column);
  return found;
}

/// Whether the names are those of a table without names, so that ignoring them loses nothing.
bool are_usual(const Words& words) {
  const std::vector<TextColumn> kinds = columns_with(with_components(words)).kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const TextColumn usual = i < needed_columns ? static_cast<TextColumn>(i) : TextColumn::type;
    if (i > needed_columns || kinds[i] != usual) return false;
  }
  return true;
}

/// Whether x, y and z follow each other, as in a list of columns and seldom in a sentence.
bool lists_positions(const Words& words) {
  constexpr std::array<TextColumn, 3> xyz = {TextColumn::x, TextColumn::y, TextColumn::z};
  const std::vector<TextColumn> kinds = columns_with(words).kinds;
  return std::search(kinds.begin(), kinds.end(), xyz.begin(), xyz.end()) != kinds.end();
}

/// The names in a comment that seems to name columns in another order than the usual; empty: it does not.
Words unusual_names(const TextComment& comment) {
  const Words words = without_numbering(words_of(comment.text)), like = like_columns(words);
  Words run = known_run(words);
  if (lists_positions(run) && !are_usual(run)) return run;
  const bool is_list = like.size() >= 2 && with_components(like).size() >= 3 && 2 * like.size() >= words.size();
  const bool is_numbered = std::any_of(words.begin(), words.end(), [](const std::string& word) { return is_number(word); });
  return is_list && (is_numbered || !are_usual(like)) ? like : Words{};
}

[[noreturn]] void refuse(const std::string& path, const std::string& lines, const Words& words, std::size_t count) {
  Words shown;
  for (const std::string& word : words) shown.push_back(shown_word(word));
  throw DataError(fmt::format("{}: the comment in {} seems to name columns ({}), but they are not understood as the {} of the table: {}",
                              path, lines, fmt::join(shown, " "), count, how_to_name_columns));
}

/// Throws for what looks like names of columns, in one comment or one name a line.
void refuse_unusual_names(const std::vector<TextComment>& comments, std::size_t count, const std::string& path) {
  Words firsts;
  std::uint64_t first_line = 0, last_line = 0;
  for (const TextComment& comment : comments) {
    if (const Words names = unusual_names(comment); !names.empty()) refuse(path, fmt::format("line {}", comment.line), names, count);
    Words words = words_of(comment.text);
    std::erase_if(words, [](const std::string& word) { return is_number(word); });
    if (words.empty() || !is_like_column(words[0])) continue;
    if (firsts.empty()) first_line = comment.line;
    last_line = comment.line;
    firsts.push_back(words[0]);
  }
  if (firsts.size() >= 3 && !are_usual(firsts)) refuse(path, fmt::format("lines {} to {}", first_line, last_line), firsts, count);
}

}  // namespace

bool columns_of_comments(const std::vector<TextComment>& comments, std::size_t count, const std::string& path, TextColumns& columns) {
  std::vector<TextComment> candidates = comments;
  for (TextComment& list : lists_over_lines(comments)) candidates.push_back(std::move(list));
  std::uint64_t line = 0;
  for (const TextComment& candidate : candidates) {
    std::optional<TextColumns> found = columns_in(candidate, count);
    if (!found) continue;
    if (line != 0 && found->kinds != columns.kinds)
      throw DataError(fmt::format("{}: the comments in lines {} and {} contradict each other: {} and {}. One of them must go, or {}", path,
                                  line, candidate.line, fmt::join(columns.names, " "), fmt::join(found->names, " "), how_to_name_columns));
    if (line != 0) continue;
    columns = std::move(*found);
    line = candidate.line;
  }
  if (line == 0) refuse_unusual_names(comments, count, path);
  return line != 0;
}

std::optional<CommentedTime> time_in_comment(std::string_view comment) {
  constexpr const char *opening = "[(", *closing = ")]";
  std::string text(comment);
  std::replace(text.begin(), text.end(), '=', ' ');
  std::vector<std::string> words = words_of_list(text);
  // "time[Gyr]" is two words.
  if (const std::size_t bracket = words.empty() ? 0 : words[0].find_first_of(opening); bracket > 0 && bracket != std::string::npos) {
    words.insert(words.begin() + 1, words[0].substr(bracket));
    words[0].resize(bracket);
  }
  if (words.size() < 2 || words.size() > 3 || (words[0] != "t" && plain_column_name(words[0]) != "time")) return std::nullopt;
  CommentedTime found;
  const bool is_unit_first = words.size() == 3 && words[1].find_first_of(opening) == 0;
  if (parse_number(words[is_unit_first ? 2 : 1], found.time) != nullptr || !std::isfinite(found.time)) return std::nullopt;
  if (words.size() == 2) return found;
  found.unit = words[is_unit_first ? 1 : 2];
  found.unit.erase(0, found.unit.find_first_not_of(opening));
  found.unit.resize(std::min(found.unit.find_first_of(closing), found.unit.size()));
  return !found.unit.empty() && is_letter(found.unit[0]) ? std::optional(found) : std::nullopt;
}

}  // namespace grove
