// Lines and words of text files. The file may be anything: lines are of bounded length, and no byte is 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// One line, split where its comment begins. Both parts are without blanks at their ends and valid until the next line is read.
struct TextLine {
  std::string_view data, comment;  ///< before and after '#'
  std::uint64_t number = 0;        ///< from 1
};

/// The lines of a file in order. A byte-order mark at the beginning is skipped. Not collective.
class TextLines {
 public:
  /// Throws DataError if the file cannot be opened.
  explicit TextLines(const std::filesystem::path& path);

  /// The next line. False at the end of the file. Throws DataError for a line that is too long or has a byte 0.
  bool next(TextLine& line);

 private:
  bool next_raw(std::string_view& line);

  std::filesystem::path path_;
  std::ifstream file_;
  std::string buffer_;  // bytes [at_, end_) are not yet used
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
};

/// Splits a line into words, separated by commas if `commas`, else by blanks or tabs. Removes quotes around a word.
void split_words(std::string_view line, bool commas, std::vector<std::string_view>& words);

/// A word for a message: short, and safe for a terminal.
std::string shown_word(std::string_view word);

/// Reads a number as C, Fortran (1.0D0) and spreadsheets (+1) write it. Returns what is wrong with it, or nullptr.
const char* parse_number(std::string_view word, double& value);

}  // namespace grove
