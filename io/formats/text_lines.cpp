#include "io/formats/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

// A row of 30 numbers has about 700 bytes.
constexpr std::size_t longest_line = std::size_t{1} << 20;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view without_quotes(std::string_view word) {
  const bool quoted = word.size() >= 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
  return quoted ? trimmed(word.substr(1, word.size() - 2)) : word;
}

}  // namespace

TextLines::TextLines(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary), buffer_(longest_line, '\0') {
  if (!file_) throw DataError(path.string() + ": cannot be opened for reading");
}

bool TextLines::next_raw(std::string_view& line) {
  for (std::size_t searched = at_;;) {
    const std::size_t newline = std::string_view(buffer_).substr(0, end_).find('\n', searched);
    if (newline != std::string_view::npos) {
      line = std::string_view(buffer_).substr(at_, newline - at_);
      at_ = newline + 1;
      return true;
    }
    // Move the unfinished line to the front and read on.
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= at_;
    at_ = 0;
    searched = end_;
    if (end_ == buffer_.size()) {
      throw DataError(fmt::format("{}: line {} is longer than {} bytes; a table has one particle a line", path_.string(), line_number_ + 1,
                                  longest_line));
    }
    file_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
    if (file_.bad()) throw SystemError(path_.string() + ": cannot be read");
    const auto got = static_cast<std::size_t>(file_.gcount());
    end_ += got;
    if (got > 0) continue;
    line = std::string_view(buffer_).substr(0, end_);
    at_ = end_;
    return !line.empty();
  }
}

bool TextLines::next(TextLine& line) {
  std::string_view raw;
  if (!next_raw(raw)) return false;
  if (line_number_++ == 0 && raw.substr(0, byte_order_mark.size()) == byte_order_mark) raw.remove_prefix(byte_order_mark.size());
  if (raw.find('\0') != std::string_view::npos)
    throw DataError(
        fmt::format("{}: line {} holds a byte 0: the file is binary or damaged, not a text table", path_.string(), line_number_));
  const std::size_t hash = std::min(raw.find('#'), raw.size());
  line = {trimmed(raw.substr(0, hash)), trimmed(raw.substr(std::min(hash + 1, raw.size()))), line_number_};
  return true;
}

void split_words(std::string_view line, bool commas, std::vector<std::string_view>& words) {
  words.clear();
  while (!line.empty()) {
    const auto is_end = [&](char c) { return commas ? c == ',' : is_blank(c); };
    const auto length = static_cast<std::size_t>(std::find_if(line.begin(), line.end(), is_end) - line.begin());
    words.push_back(without_quotes(trimmed(line.substr(0, length))));
    if (commas) {
      if (length == line.size()) return;
      line.remove_prefix(length + 1);
      if (line.empty()) words.push_back(line);
    } else {
      line.remove_prefix(length);
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    }
  }
}

std::string shown_word(std::string_view word) { return printable_line(std::string(word), 40); }

const char* parse_number(std::string_view word, double& value) {
  // from_chars accepts no plus sign, and no D before the exponent.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  std::string changed;
  const std::size_t exponent = word.find_first_of("dD");
  if (exponent != std::string_view::npos && exponent > 0) {
    changed = word;
    changed[exponent] = 'e';
    word = changed;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) return "is out of the range of numbers";
  return error != std::errc() || end != word.data() + word.size() ? "is not a number" : nullptr;
}

}  // namespace grove
