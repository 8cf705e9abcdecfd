#include "decomposition/ranks/transport.hpp"

#include <algorithm>
#include <map>
#include <span>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Size of the pieces of a staged message.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
/// Alignment of direct messages in the outbox.
constexpr std::size_t message_alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + message_alignment - 1) / message_alignment * message_alignment; }

/// Whether the MPI library is CUDA-aware.
bool mpi_knows_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Calls f(offset, bytes) for each piece of a message.
template <class F>
void for_each_piece(std::size_t bytes, F f) {
  for (std::size_t at = 0; at < bytes; at += piece_bytes) f(at, std::min(piece_bytes, bytes - at));
}

}  // namespace

template <class Space>
Transport<Space>::Transport(Space& space, const Communicator& comm, TransportWay way)
    : space_(&space),
      comm_(&comm),
      way_(way),
      mpi_in_place_(!Space::on_gpu || (way != TransportWay::staged && way != TransportWay::direct && mpi_knows_gpu_memory())),
      outbox_(space.host_memory()),
      inbox_(space.host_memory()),
      late_inbox_(space.host_memory()) {}

template <class Space>
void Transport<Space>::connect() {
  if (links_) return;
  links_ = std::make_unique<PeerLinks<Space>>(*space_, *comm_, way_ == TransportWay::automatic || way_ == TransportWay::direct);
  if (!Space::on_gpu) return;
  comm_->agree([&] {
    if (way_ == TransportWay::mpi && !mpi_in_place_) throw SystemError("this MPI library does not say that it reads the memory of GPUs");
    if (way_ == TransportWay::direct && links_->count() < comm_->size() - 1)
      throw SystemError("rank " + std::to_string(comm_->rank()) + " reaches the GPUs of " + std::to_string(links_->count()) + " of " +
                        std::to_string(comm_->size() - 1) + " other ranks");
  });
}

template <class Space>
typename Transport<Space>::Route Transport<Space>::route_to(int rank) const {
  if (links_->reaches(rank)) return Route::direct;
  return mpi_in_place_ ? Route::in_place : Route::staged;
}

template <class Space>
bool Transport<Space>::is_direct() const {
  return !Space::on_gpu || links_->count() == comm_->size() - 1;
}

template <class Space>
std::string Transport<Space>::description() const {
  if (!Space::on_gpu) return "through MPI";
  const int others = comm_->size() - 1, reached = links_->count();
  std::string rest = mpi_in_place_ ? "through MPI from GPU to GPU" : "through MPI and pinned host memory";
  if (reached == others) return "directly from GPU to GPU";
  if (reached == 0) return rest;
  return "directly from GPU to GPU for " + std::to_string(reached) + " of " + std::to_string(others) + " other ranks, otherwise " + rest;
}

template <class Space>
void Transport<Space>::begin(Tag tag, std::size_t largest_outbox) {
  connect();
  tag_ = tag;
  largest_outbox_ = largest_outbox;
  sends_.clear();
  receives_.clear();
}

template <class Space>
void Transport<Space>::send(View<const std::byte> data, int to) {
  sends_.push_back({data, to, route_to(to)});
}

template <class Space>
void Transport<Space>::receive(View<std::byte> data, int from) {
  receives_.push_back({data, from, route_to(from)});
}

template <class Space>
void Transport<Space>::start() {
  if (has_staged_) {
    // The staging memory is reused: copies of the last set must be done.
    space_->wait_for_copies();
    has_staged_ = false;
  }
  // Copies of received data wait as well: earlier work may still read the memory that they write.
  space_->order_copies_after_work();
  start_receives();
  start_sends();
}

template <class Space>
void Transport<Space>::start_receives() {
  std::size_t staged = 0;
  std::map<int, std::size_t> direct;       // bytes from each rank
  std::map<int, std::size_t> last_direct;  // the last message of each rank that is not empty
  for (std::size_t k = 0; k < receives_.size(); ++k) {
    Incoming& message = receives_[k];
    if (message.data.size == 0) continue;
    std::size_t& at = message.route == Route::direct ? direct[message.from] : staged;
    message.at = at;
    at += message.route == Route::direct ? aligned(message.data.size) : message.data.size;
    if (message.route == Route::direct) last_direct[message.from] = k;
  }
  for (const auto& [rank, k] : last_direct) receives_[k].last_of_rank = true;
  if (staged > 0) inbox_.resize_discard(staged);
  // MPI writes this memory at once: no earlier work may still read it.
  if (mpi_in_place_) space_->synchronize();
  for (Incoming& message : receives_) {
    if (message.data.size == 0) continue;
    if (message.route == Route::in_place) {
      message.requests.emplace_back();
      comm_->receive_bytes(std::span(message.data.data, message.data.size), message.from, tag_, message.requests.back());
    } else if (message.route == Route::staged) {
      post_staged(message, inbox_.data() + message.at);
    }
  }
}

template <class Space>
void Transport<Space>::post_staged(Incoming& message, std::byte* staging) {
  has_staged_ = true;
  for_each_piece(message.data.size, [&](std::size_t at, std::size_t bytes) {
    message.requests.emplace_back();
    comm_->receive_bytes(std::span(staging + at, bytes), message.from, tag_, message.requests.back());
  });
}

template <class Space>
void Transport<Space>::start_sends() {
  start_direct_sends();
  std::size_t staged = 0;
  for (const Outgoing& message : sends_)
    if (message.route == Route::staged) staged += message.data.size;
  if (staged == 0) return;
  has_staged_ = true;
  outbox_.resize_discard(staged);
  std::byte* at = outbox_.data();
  for (const Outgoing& message : sends_) {
    if (message.route != Route::staged) continue;
    space_->copy_to_host_async(at, message.data.data, message.data.size);
    at += message.data.size;
  }
}

/// Copies direct messages into the outbox, rank by rank. If it would become too large, they become staged ones.
template <class Space>
void Transport<Space>::start_direct_sends() {
  std::map<int, std::vector<Outgoing*>> by_rank;
  std::size_t total = 0;
  for (Outgoing& message : sends_) {
    if (message.data.size == 0 || message.route != Route::direct) continue;
    by_rank[message.to].push_back(&message);
    total += aligned(message.data.size);
  }
  if (by_rank.empty()) return;
  const bool fits = total <= largest_outbox_;
  std::byte* const outbox = links_->outbox(fits ? total : 0);
  std::map<int, std::optional<std::size_t>> begin;
  std::size_t at = 0;
  for (const auto& [rank, messages] : by_rank) {
    begin[rank] = fits ? std::optional(at) : std::nullopt;
    for (Outgoing* const message : messages) {
      if (fits) {
        space_->copy(outbox + at, message->data.data, message->data.size);
        at += aligned(message->data.size);
      } else {
        message->route = Route::staged;
      }
    }
  }
  links_->seal_outbox();
  for (const auto& [rank, offset] : begin) links_->announce(rank, offset);
}

template <class Space>
void Transport<Space>::dispatch() {
  if (has_staged_) space_->wait_for_copies();
  if (mpi_in_place_) space_->synchronize();
  const std::byte* at = outbox_.data();
  for (const Outgoing& message : sends_) {
    if (message.route == Route::in_place)
      comm_->send_bytes(std::span(message.data.data, message.data.size), message.to, tag_, sends_in_flight_);
    if (message.route != Route::staged) continue;
    for_each_piece(message.data.size, [&](std::size_t offset, std::size_t bytes) {
      comm_->send_bytes(std::span(at + offset, bytes), message.to, tag_, sends_in_flight_);
    });
    at += message.data.size;
  }
}

template <class Space>
void Transport<Space>::arrive(std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) {
    Incoming& message = receives_[k];
    if (message.data.size == 0) continue;
    if (message.route == Route::direct)
      take_direct(k);
    else if (message.route == Route::staged)
      take_staged(message, inbox_.data() + message.at);
    else
      message.requests.front().wait_all();
  }
  space_->order_after_copies();
}

template <class Space>
void Transport<Space>::release() {
  space_->wait_for_copies();
  has_staged_ = false;
  outbox_.release();
  inbox_.release();
  late_inbox_.release();
}

template <class Space>
void Transport<Space>::take_direct(std::size_t number) {
  Incoming& message = receives_[number];
  const std::byte* const begin = links_->messages_of(message.from);
  if (begin) {
    space_->copy_async(message.data.data, begin + message.at, message.data.size);
  } else {
    // One message at a time: few sets take this way, such as the first exchange of a run.
    space_->wait_for_copies();
    late_inbox_.resize_discard(message.data.size);
    post_staged(message, late_inbox_.data());
    take_staged(message, late_inbox_.data());
  }
  if (message.last_of_rank) links_->release(message.from);
}

template <class Space>
void Transport<Space>::take_staged(Incoming& message, const std::byte* staging) {
  std::size_t piece = 0;
  for_each_piece(message.data.size, [&](std::size_t at, std::size_t bytes) {
    message.requests[piece++].wait_all();
    space_->copy_from_host_async(message.data.data + at, staging + at, bytes);
  });
}

template class Transport<BackEnd>;

}  // namespace grove
