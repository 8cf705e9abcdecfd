// Sparse exchange: every rank sends items to a few other ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"

namespace grove {

/// A sparse all-to-all between host buffers. `send` holds the items for each rank, rank by rank, each of `length` values; `send_counts`
/// [ranks] is their number. Returns the items from all ranks, rank by rank. Data travel only between ranks that have items for each other;
/// items for the own rank are copied. Collective. Throws Error when a length is wrong.
template <class T>
std::vector<T> exchange_items(const Communicator& comm, const std::vector<std::uint64_t>& send_counts, std::span<const T> send,
                              std::size_t length = 1) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto values_of = [&](const std::vector<std::uint64_t>& counts) {
    return length * std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  if (send_counts.size() != static_cast<std::size_t>(comm.size()) || send.size() != values_of(send_counts))
    throw Error("sparse exchange: the items to send do not have the numbers that are given for each rank");
  const std::vector<std::uint64_t> receive_counts = comm.all_to_all(send_counts);
  std::vector<T> received(values_of(receive_counts));
  Requests messages;
  std::span<T> receive = received, from_self;
  std::span<const T> to_self;
  for (int r = 0; r < comm.size(); ++r) {
    const std::span<T> in = receive.first(length * receive_counts[static_cast<std::size_t>(r)]);
    receive = receive.subspan(in.size());
    if (r == comm.rank())
      from_self = in;
    else
      comm.receive_bytes(std::as_writable_bytes(in), r, Tag::particles, messages);
  }
  for (int r = 0; r < comm.size(); ++r) {
    const std::span<const T> out = send.first(length * send_counts[static_cast<std::size_t>(r)]);
    send = send.subspan(out.size());
    if (r == comm.rank())
      to_self = out;
    else
      comm.send_bytes(std::as_bytes(out), r, Tag::particles, messages);
  }
  // Last, while the messages travel.
  std::ranges::copy(to_self, from_self.begin());
  messages.wait_all();
  return received;
}

}  // namespace grove
