// The lines and words of a text file that may be anything: no line takes more memory than a bound, and no byte is 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// One line, split where its comment begins. Both parts are without blanks at their ends and hold until the next line is read.
struct TextLine {
  std::string_view data, comment;  ///< what stands before '#' and what stands after
  std::uint64_t number = 0;        ///< from 1
};

/// The lines of a file, one after the other. A byte-order mark at the beginning is passed over. Not collective.
class TextLines {
 public:
  /// Throws DataError when the file cannot be opened.
  explicit TextLines(const std::filesystem::path& path);

  /// The next line. False at the end of the file. Throws DataError for a line that is too long or holds a byte 0.
  bool next(TextLine& line);
  /// The next line that holds data.
  bool next_data(TextLine& line);

 private:
  bool next_raw(std::string_view& line);

  std::filesystem::path path_;
  std::ifstream file_;
  std::string buffer_;  // bytes [at_, end_) are read but not yet handed out
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
};

/// Splits a line into words, which are separated by commas if `commas` is true, and by blanks or tabs otherwise. Quotes around a word go.
void split_words(std::string_view line, bool commas, std::vector<std::string_view>& words);

/// A word as it may stand in a message: short, and harmless to a terminal.
std::string shown_word(std::string_view word);

/// Reads a number as C, Fortran (1.0D0) and spreadsheets (+1) write it; nullptr when it is one, otherwise what is wrong with it.
const char* parse_number(std::string_view word, double& value);

}  // namespace grove
