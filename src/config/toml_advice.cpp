#include "src/config/toml_advice.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

constexpr const char* all_keys = "'grove run --print-config > run.toml' writes a configuration with all keys and their meanings";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(trimmed(line));
  return lines;
}

/// Whether a line has numbers alone, as the first one of a table of particles.
bool is_row(const std::string& line) {
  std::istringstream words(line);
  bool is_number = false;
  for (std::string word; words >> word;)
    if (is_number = parse_number<double>(word).has_value(); !is_number) return false;
  return is_number;
}

/// What the file is that begins with `text`, if it has particles.
const char* kind_of_particles(const std::string& text) {
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return "an HDF5 file";
  if (text.find('\0') != std::string::npos) return "a binary file";
  const std::vector<std::string> lines = lines_of(std::string_view(text).substr(0, 65536));
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return !line.empty() && line[0] != '#'; });
  return first != lines.end() && is_row(*first) ? "a table of numbers" : nullptr;
}

std::string key_of(const std::string& line) { return trimmed(line.substr(0, line.find('='))); }

/// The header or key of the line, if it stands before, in the same section; of a header also as the first part of a key.
std::string twice(const std::vector<std::string>& lines, std::size_t at) {
  const bool is_header = lines[at].starts_with("[");
  const std::string wanted = is_header ? lines[at].substr(0, lines[at].find(']') + 1) : key_of(lines[at]);
  const std::string in_key = wanted.size() > 2 && is_header ? wanted.substr(1, wanted.size() - 2) + "." : "";
  for (std::size_t i = at; i-- > 0 && (is_header || !lines[i].starts_with("["));) {
    if (is_header ? lines[i].starts_with(wanted) || (!in_key.empty() && lines[i].starts_with(in_key))
                  : lines[i].find('=') != std::string::npos && key_of(lines[i]) == wanted)
      return is_header ? fmt::format("the section {} begins in line {} already: move its keys there", wanted, i + 1)
                       : fmt::format("{} has a value in line {} already: one of them must go", wanted, i + 1);
  }
  return "";
}

bool has_open_quote(std::string_view line) {
  for (std::size_t i = 0; i < line.size() && line[i] != '#';) {
    if (line[i] != '"' && line[i] != '\'') {
      ++i;
      continue;
    }
    const std::size_t end = end_of_quoted(line, i);
    if (end - i < 2 || line[end - 1] != line[i]) return true;
    i = end;
  }
  return false;
}

/// What is wrong in a line with '='.
std::string mistake_of_value(const std::string& line) {
  std::smatch found;
  if (has_open_quote(line)) return "a quote is not closed";
  if (std::regex_match(line, found, std::regex(R"(([^=]*=\s*[-+]?\d+),(\d+)\s*(#.*)?)")))
    return fmt::format("a number has a point, not a comma: {}.{}", found.str(1), found.str(2));
  if (std::regex_match(line, found, std::regex(R"(([^=]*=\s*)([^\s"'#\[\]{}][^"'#\[\]{}]*?)\s*(#.*)?)"))) {
    const std::string value = found.str(2);
    if (std::regex_match(value, std::regex(R"([-+]?\d{19,})"))) return "a whole number is below 9.2e18; a larger one is written as 1e20";
    if (std::regex_match(value, std::regex(R"([-+]?(\.\d+|\d+\.?\d*)([eEdD][-+]?\d+)?)"))) return "a number is written as 0.5 or 1e-3";
    for (const char* word : {"true", "false"})
      if (::strcasecmp(value.c_str(), word) == 0) return fmt::format("{} is written in small letters", word);
    return fmt::format("a text stands in quotes: {}\"{}\"", found.str(1), value);
  }
  if (std::regex_match(line, std::regex(R"([^=]*=\s*(#.*)?)"))) return "a value is missing after '='";
  return "";
}

/// What is wrong in a line without '='.
std::string mistake_of_form(const std::string& line, const std::vector<std::string>& lines) {
  const auto is_of_gadget = [](const std::string& one) {
    return one.starts_with("InitCondFile") || one.starts_with("OutputDir") || one.starts_with("TimeMax");
  };
  if (std::any_of(lines.begin(), lines.end(), is_of_gadget))
    return fmt::format("this looks like a parameter file of GADGET, whose keys Grove does not know; {}", all_keys);
  if (line.starts_with("{") || line.starts_with("\"")) return fmt::format("this looks like JSON; {}", all_keys);
  if (std::regex_search(line, std::regex(R"(^(//|/\*|%|;|!|--))"))) return "comments begin with #";
  if (std::regex_search(line, std::regex(R"(^[\w.-]+\s*:)")))
    return fmt::format("this looks like YAML; keys stand as 'key = value' below the line [section]; {}", all_keys);
  return std::regex_search(line, std::regex(R"(^[\w.-]+\s)")) ? "'=' is missing between key and value" : "";
}

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const std::string_view quote = text.substr(begin, 1);
  const std::string three(3, quote.front());
  const bool is_long = text.substr(begin, 3) == three, has_escapes = quote == "\"";
  for (std::size_t i = begin + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (has_escapes && text[i] == '\\') {
      ++i;
    } else if (is_long ? text.substr(i, 3) == three : text.substr(i, 1) == quote || text[i] == '\n') {
      // One or two quotes may stand right before the last three.
      i += is_long ? 3 : 1;
      while (is_long && text.substr(i, 1) == quote) ++i;
      return i;
    }
  }
  return text.size();
}

void require_configuration(const std::string& text, const std::string& path) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw ConfigError(fmt::format("the configuration {} is coded in UTF-16: save it as UTF-8", path));
  if (const char* kind = kind_of_particles(text))
    throw ConfigError(
        fmt::format("{0} is {1}, and no configuration: 'grove info {0}' shows what is in it. A run that starts from it has "
                    "initial_conditions.file = \"{0}\" in its configuration, or after --set",
                    path, kind));
}

std::string toml_mistake(std::string_view text, std::size_t line, std::string_view complaint) {
  const std::vector<std::string> lines = lines_of(text);
  if (line == 0 || line > lines.size()) return std::string(complaint);
  const std::string shown = printable_line(lines[line - 1], 100);
  std::string mistake;
  for (const char* quote : {"\u201c", "\u201d", "\u2018", "\u2019"})
    if (shown.find(quote) != std::string::npos) mistake = "texts stand in straight quotes, \"";
  if (mistake.empty() && complaint.find("redefine") != std::string_view::npos) mistake = twice(lines, line - 1);
  // Only lines that are shown whole are looked at, without characters that stop the parser whatever else is wrong.
  if (mistake.empty() && shown == lines[line - 1] && complaint.find("ASCII") == std::string_view::npos)
    mistake = shown.find('=') != std::string::npos ? mistake_of_value(shown) : mistake_of_form(shown, lines);
  return fmt::format("{}: {}", shown, mistake.empty() ? std::string(complaint) : mistake);
}

}  // namespace grove
