// Numbers in binary files of either byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

namespace grove {

/// The number at `bytes`; `swapped`: in the other byte order.
template <class T>
T load_number(const char* bytes, bool swapped) {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (swapped) std::reverse(own, own + sizeof(T));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return value;
}

/// Consecutive numbers of one type in a file.
struct NumbersInFile {
  std::uint64_t offset = 0;         ///< of the first, bytes
  std::uint32_t element_bytes = 0;  ///< 4 or 8; 0: they are not there
  bool swapped = false;             ///< in the other byte order

  explicit operator bool() const { return element_bytes > 0; }
};

/// Opens a file. Throws DataError, which names it.
std::ifstream open_binary(const std::filesystem::path& path);

/// Reads the floating-point numbers [first, first + values.size()). On failure `file` is in a failed state.
void read_floats(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<double> values);
/// The same for unsigned integers.
void read_integers(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<std::uint64_t> values);

}  // namespace grove
