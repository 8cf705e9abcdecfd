// CRC-32 checksums of data that are spread over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The checksum of bytes, and of bytes that follow each other: the same however they are cut into pieces.
class Checksum {
 public:
  Checksum() = default;
  /// Of `bytes`; several threads share long ones.
  explicit Checksum(std::span<const std::byte> bytes);

  /// Appends what comes after the bytes so far.
  void append(const Checksum& next);
  std::uint32_t value() const { return value_; }

  /// That of the bytes of all ranks, one rank after the other. Collective.
  Checksum over_ranks(const Communicator& comm) const;

 private:
  std::uint32_t value_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace grove
