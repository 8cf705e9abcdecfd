// Sparse exchange: every rank sends items to the few ranks that need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "decomposition/communicator.hpp"

namespace grove {

/// One sparse all-to-all between host buffers. Counts travel in one MPI_Alltoall at construction. Data travel only between ranks that have
/// items for each other, without blocking. Items that a rank sends to itself are copied.
///
///     SparseExchange exchange(comm, send_counts);
///     std::vector<double> received(exchange.receive_total());
///     exchange.begin(std::span(sent), std::span(received));   // once per field
///     ...                                                      // other work
///     exchange.end();
///
/// Several fields of the same items may be begun one after the other, in the same order on every rank. The communicator must
/// outlive the object; while messages are in flight, so must the buffers.
class SparseExchange {
 public:
  /// Collective. `send_counts` [size()]: items for each rank; the send buffers hold them in this order, one after the other.
  SparseExchange(const Communicator& comm, std::span<const std::uint64_t> send_counts, Tag tag = Tag::particles);

  /// [size()] items that come from each rank; the receive buffers get them in this order, one after the other.
  const std::vector<std::uint64_t>& receive_counts() const { return receive_counts_; }
  std::uint64_t send_total() const { return send_total_; }
  std::uint64_t receive_total() const { return receive_total_; }

  /// Starts one field with `item_bytes` bytes an item. `send` [send_total() * item_bytes], `receive` [receive_total() * item_bytes], host
  /// memory of the caller, which may be pinned. Does not block. Throws Error when a length is wrong.
  void begin(std::span<const std::byte> send, std::span<std::byte> receive, std::size_t item_bytes);
  /// The same for `components` values of type T an item.
  template <class T>
  void begin(std::span<const T> send, std::span<T> receive, std::size_t components = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin(std::as_bytes(send), std::as_writable_bytes(receive), components * sizeof(T));
  }

  /// Completes every field begun so far. Blocks.
  void end() { requests_.wait_all(); }

 private:
  const Communicator* comm_;
  Tag tag_;
  std::vector<std::uint64_t> send_counts_, receive_counts_;
  std::uint64_t send_total_ = 0, receive_total_ = 0;
  Requests requests_;
};

}  // namespace grove
