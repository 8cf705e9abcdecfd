#include "io/files/checksum.hpp"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace grove {

namespace {

constexpr std::size_t bytes_of_a_piece = std::size_t{4} << 20;

/// Of bytes that follow those with the checksum `before`.
std::uint32_t crc_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  return bytes.empty() ? before : static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

Checksum::Checksum(std::span<const std::byte> bytes) : length_(bytes.size()) {
  const std::size_t pieces = (bytes.size() + bytes_of_a_piece - 1) / bytes_of_a_piece;
  const auto piece = [&](std::size_t i) {
    return bytes.subspan(i * bytes_of_a_piece, std::min(bytes_of_a_piece, bytes.size() - i * bytes_of_a_piece));
  };
  std::vector<std::uint32_t> sums(pieces);
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (std::size_t i = 0; i < pieces; ++i) sums[i] = crc_of(piece(i));
  for (std::size_t i = 0; i < pieces; ++i)
    value_ = static_cast<std::uint32_t>(crc32_combine(value_, sums[i], static_cast<z_off_t>(piece(i).size())));
}

void Checksum::append(const Checksum& next) {
  value_ = static_cast<std::uint32_t>(crc32_combine(value_, next.value_, static_cast<z_off_t>(next.length_)));
  length_ += next.length_;
}

void Checksum::append(std::span<const std::byte> bytes) {
  value_ = crc_of(bytes, value_);
  length_ += bytes.size();
}

Checksum Checksum::over_ranks(const Communicator& comm) const {
  Checksum all;
  for (const Checksum& one : comm.all_gather(*this)) all.append(one);
  return all;
}

}  // namespace grove
