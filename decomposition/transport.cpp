#include "decomposition/transport.hpp"

#include <span>

namespace grove {

template <class Space>
void Transport<Space>::begin(const Communicator& comm, Tag tag) {
  comm_ = &comm;
  tag_ = tag;
  sends_.clear();
  receives_.clear();
  inbox_bytes_ = 0;
}

template <class Space>
void Transport<Space>::send(View<const std::byte> data, int to) {
  sends_.push_back({data, to});
}

template <class Space>
void Transport<Space>::receive(View<std::byte> data, int from) {
  receives_.push_back({data, from, inbox_bytes_, {}});
  inbox_bytes_ += data.size;
}

template <class Space>
void Transport<Space>::start() {
  // The staging memory is used again: what the set before brought must have left it.
  space_->wait_for_copies();
  // Copies of received data must wait, too: work enqueued before may still read the memory to which they go.
  space_->order_copies_after_work();
  if constexpr (Space::on_gpu) inbox_.resize_discard(inbox_bytes_);
  for (Incoming& message : receives_) {
    std::byte* const to = Space::on_gpu ? inbox_.data() + message.staged_at : message.data.data;
    comm_->receive_bytes(std::span(to, message.data.size), message.from, tag_, message.requests);
  }
  if constexpr (Space::on_gpu) {
    std::size_t bytes = 0;
    for (const Outgoing& message : sends_) bytes += message.data.size;
    outbox_.resize_discard(bytes);
    std::byte* at = outbox_.data();
    for (const Outgoing& message : sends_) {
      space_->copy_to_host_async(at, message.data.data, message.data.size);
      at += message.data.size;
    }
  }
}

template <class Space>
void Transport<Space>::dispatch() {
  space_->wait_for_copies();
  const std::byte* at = outbox_.data();
  for (const Outgoing& message : sends_) {
    comm_->send_bytes(std::span(Space::on_gpu ? at : message.data.data, message.data.size), message.to, tag_, sends_in_flight_);
    if constexpr (Space::on_gpu) at += message.data.size;
  }
}

template <class Space>
void Transport<Space>::arrive(std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) {
    Incoming& message = receives_[k];
    message.requests.wait_all();
    if constexpr (Space::on_gpu) space_->copy_from_host_async(message.data.data, inbox_.data() + message.staged_at, message.data.size);
  }
  space_->order_after_copies();
}

template class Transport<BackEnd>;

}  // namespace grove
