#include "decomposition/ranks/sparse_exchange.hpp"

#include <cstring>
#include <numeric>
#include <string>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

std::uint64_t total_of(std::span<const std::uint64_t> counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

void require_length(std::size_t length, std::uint64_t wanted, const char* buffer) {
  if (length != wanted)
    throw Error(std::string("sparse exchange: the ") + buffer + " buffer has " + std::to_string(length) + " bytes where the counts say " +
                std::to_string(wanted));
}

}  // namespace

SparseExchange::SparseExchange(const Communicator& comm, std::span<const std::uint64_t> send_counts, Tag tag)
    : comm_(&comm), tag_(tag), send_counts_(send_counts.begin(), send_counts.end()) {
  if (send_counts.size() != static_cast<std::size_t>(comm.size()))
    throw Error("sparse exchange: " + std::to_string(send_counts.size()) + " counts given for " + std::to_string(comm.size()) + " ranks");
  receive_counts_ = comm.all_to_all(send_counts_);
  send_total_ = total_of(send_counts_);
  receive_total_ = total_of(receive_counts_);
}

void SparseExchange::begin(std::span<const std::byte> send, std::span<std::byte> receive, std::size_t item_bytes) {
  require_length(send.size(), send_total_ * item_bytes, "send");
  require_length(receive.size(), receive_total_ * item_bytes, "receive");
  const auto self = static_cast<std::size_t>(comm_->rank());
  std::span<std::byte> from_self;
  for (std::size_t r = 0; r < receive_counts_.size(); ++r) {
    const std::span<std::byte> piece = receive.first(receive_counts_[r] * item_bytes);
    receive = receive.subspan(piece.size());
    if (r == self)
      from_self = piece;
    else
      comm_->receive_bytes(piece, static_cast<int>(r), tag_, requests_);
  }
  std::span<const std::byte> to_self;
  for (std::size_t r = 0; r < send_counts_.size(); ++r) {
    const std::span<const std::byte> piece = send.first(send_counts_[r] * item_bytes);
    send = send.subspan(piece.size());
    if (r == self)
      to_self = piece;
    else
      comm_->send_bytes(piece, static_cast<int>(r), tag_, requests_);
  }
  // Last, while the messages travel.
  if (!to_self.empty()) std::memcpy(from_self.data(), to_self.data(), to_self.size());
}

}  // namespace grove
