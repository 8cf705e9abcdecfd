// Sparse exchange: every rank sends items to a few other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// A sparse all-to-all between host buffers. The constructor exchanges the counts. Data travel, without blocking, only between ranks that
/// have items for each other; items for the own rank are copied.
///
///     SparseExchange exchange(comm, send_counts);
///     std::vector<double> received(exchange.receive_total());
///     exchange.begin(std::span(sent), std::span(received));   // once for each field
///     ...                                                      // other work
///     exchange.end();
///
/// Several fields of the same items may be in flight at once, begun in the same order on every rank. The communicator must outlive the
/// object, and buffers the exchange.
class SparseExchange {
 public:
  /// `send_counts` [ranks]: items for each rank. Send buffers hold them rank by rank. Collective.
  SparseExchange(const Communicator& comm, std::span<const std::uint64_t> send_counts, Tag tag = Tag::particles);

  /// [ranks] items from each rank. Receive buffers hold them rank by rank.
  const std::vector<std::uint64_t>& receive_counts() const { return receive_counts_; }
  std::uint64_t send_total() const { return send_total_; }
  std::uint64_t receive_total() const { return receive_total_; }

  /// Starts the exchange of one field. `send` [send_total() * item_bytes], `receive` [receive_total() * item_bytes], host memory. Does not
  /// block. Throws Error when a length is wrong.
  void begin(std::span<const std::byte> send, std::span<std::byte> receive, std::size_t item_bytes);
  /// The same for items of `components` values of type T.
  template <class T>
  void begin(std::span<const T> send, std::span<T> receive, std::size_t components = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin(std::as_bytes(send), std::as_writable_bytes(receive), components * sizeof(T));
  }

  /// Blocks until all fields are complete.
  void end() { requests_.wait_all(); }

 private:
  const Communicator* comm_;
  Tag tag_;
  std::vector<std::uint64_t> send_counts_, receive_counts_;
  std::uint64_t send_total_ = 0, receive_total_ = 0;
  Requests requests_;
};

}  // namespace grove
