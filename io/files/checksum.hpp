// CRC-32 checksums of data that are distributed over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The checksum of a sequence of bytes, which does not depend on how it is cut into pieces.
class Checksum {
 public:
  Checksum() = default;
  /// Of `bytes`; long ones are shared by several threads.
  explicit Checksum(std::span<const std::byte> bytes);

  /// Appends the bytes that follow.
  void append(const Checksum& next);
  /// The same on this thread alone, for a thread beside others that compute.
  void append(std::span<const std::byte> bytes);
  std::uint32_t value() const { return value_; }
  std::uint64_t length() const { return length_; }  ///< bytes

  /// The checksum of the bytes of all ranks in rank order. Collective.
  Checksum over_ranks(const Communicator& comm) const;

 private:
  std::uint32_t value_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace grove
