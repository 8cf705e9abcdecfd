// Numbers and tables as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grove {

/// Lines of cells; the first column is aligned to the left, all others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headers) : rows_{std::move(headers)} {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The table with a rule below the headers; every line ends in a newline.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// 1048576 -> "1,048,576".
std::string format_count(std::uint64_t count);
/// 2.75e8 -> "275 M"; three digits and k, M, G or T.
std::string format_quantity(double quantity);
/// 0.00381 -> "3.81 ms"; three digits and us, ms or s.
std::string format_seconds(double seconds);
/// 3725 -> "1:02:05", 65 -> "1:05".
std::string format_duration(double seconds);
/// 3e9 -> "2.79 GiB".
std::string format_bytes(double bytes);

}  // namespace grove
