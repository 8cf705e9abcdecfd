// Memory of the host that processes of one node share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace grove {

/// A block of host memory that other processes of the same user and node can map by its name: an anonymous file (memfd). It needs no room
/// in /dev/shm. The memory lasts until the last process has unmapped it.
class SharedMemory {
 public:
  /// What another process opens a block by, while the process that made it holds it.
  struct Name {
    std::int32_t process = 0, file = -1;
    std::uint64_t device = 0, inode = 0;  ///< of the file: in another container the first two may name another one
    std::uint64_t bytes = 0;
  };

  SharedMemory() = default;
  /// Makes a block, filled with zeros. Throws SystemError if the node has no such memory left.
  explicit SharedMemory(std::size_t bytes);
  /// The block of that name; nothing where this process cannot open it.
  static std::optional<SharedMemory> open(const Name& name);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// Null for an empty block.
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Of a block that this process has made.
  Name name() const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace grove
