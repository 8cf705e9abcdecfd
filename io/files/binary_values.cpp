#include "io/files/binary_values.hpp"

#include <vector>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::size_t numbers_per_read = std::size_t{1} << 18;

template <class Narrow, class Wide>
void read_numbers(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<Wide> values) {
  file.seekg(static_cast<std::streamoff>(where.offset + first * where.element_bytes));
  std::vector<char> bytes;
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t now = std::min(numbers_per_read, values.size() - done);
    bytes.resize(now * where.element_bytes);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) return;
    for (std::size_t i = 0; i < now; ++i, ++done) {
      const char* const at = &bytes[i * where.element_bytes];
      values[done] = where.element_bytes == sizeof(Wide) ? load_number<Wide>(at, where.swapped)
                                                         : static_cast<Wide>(load_number<Narrow>(at, where.swapped));
    }
  }
}

}  // namespace

std::ifstream open_binary(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading");
  return file;
}

void read_floats(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<double> values) {
  read_numbers<float>(file, where, first, values);
}

void read_integers(std::ifstream& file, const NumbersInFile& where, std::uint64_t first, std::span<std::uint64_t> values) {
  read_numbers<std::uint32_t>(file, where, first, values);
}

}  // namespace grove
