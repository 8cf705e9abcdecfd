// Numbers in binary files of either byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>

namespace grove {

/// The number at `bytes`, which may be in the other byte order.
template <class T>
T load_number(const char* bytes, bool swapped) {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (swapped) std::reverse(own, own + sizeof(T));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return value;
}

/// Numbers of one type that lie one after the other in a file.
struct NumbersInFile {
  std::uint64_t offset = 0;         ///< of the first, bytes
  std::uint32_t element_bytes = 4;  ///< 4 or 8
  bool swapped = false;             ///< in the other byte order
};

/// Reads the floating-point numbers [first, first + values.size()). On failure `file` is in a failed state.
void read_floats(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<double> values);
/// The same for integers without sign.
void read_integers(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<std::uint64_t> values);

}  // namespace grove
