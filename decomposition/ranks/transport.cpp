#include "decomposition/ranks/transport.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "kernels/base/error.hpp"
#include "kernels/space/rounded_up.hpp"

namespace grove {

namespace {

/// Size of the pieces of a staged message.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
/// Alignment of messages in an outbox.
constexpr std::size_t message_alignment = 256;

std::size_t aligned(std::size_t bytes) { return rounded_up(bytes, message_alignment); }

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
      mpi_in_place_(!Space::on_gpu || ((way == TransportWay::automatic || way == TransportWay::mpi) && mpi_knows_gpu_memory())),
      own_room_(space),
      arrived_(space),
      outbox_(space.host_memory()),
      inbox_(space.host_memory()),
      late_inbox_(space.host_memory()) {}

template <class Space>
void Transport<Space>::connect() {
  if (std::exchange(is_connected_, true) || !Space::on_gpu) return;
  make_links();
  comm_->agree([&] {
    if (way_ == TransportWay::mpi && !mpi_in_place_) throw SystemError("this MPI library does not say that it reads the memory of GPUs");
    const auto demand_all = [&](const Links& links, const std::string& reaches) {
      if (links.count() < comm_->size() - 1)
        throw SystemError("rank " + std::to_string(comm_->rank()) + " " + reaches + " " + std::to_string(links.count()) + " of " +
                          std::to_string(comm_->size() - 1) + " other ranks" + (links.why_none().empty() ? "" : ": " + links.why_none()));
    };
    if (way_ == TransportWay::direct) demand_all(*gpu_links_, "reaches the GPUs of");
    if (way_ == TransportWay::shared) demand_all(*host_links_, "shares memory of the host with");
  });
}

/// Links by memory of the host are made where GPUs of a node do not reach each other.
template <class Space>
void Transport<Space>::make_links() {
  if (way_ == TransportWay::automatic || way_ == TransportWay::direct)
    gpu_links_ = std::make_unique<Links>(*space_, *comm_, LinkMemory::gpu);
  const bool lacks = way_ == TransportWay::automatic && comm_->max(gpu_links_->count() < comm_->local_size() - 1 ? 1 : 0) == 1;
  if (lacks || way_ == TransportWay::shared) host_links_ = std::make_unique<Links>(*space_, *comm_, LinkMemory::host);
}

template <class Space>
typename Transport<Space>::Route Transport<Space>::route_to(int rank) const {
  if (gpu_links_ && gpu_links_->reaches(rank)) return Route::direct;
  if (host_links_ && host_links_->reaches(rank)) return Route::shared;
  return mpi_in_place_ ? Route::in_place : Route::staged;
}

template <class Space>
bool Transport<Space>::is_direct() const {
  return !Space::on_gpu || (gpu_links_ && gpu_links_->count() == comm_->size() - 1);
}

template <class Space>
std::string Transport<Space>::description() const {
  if (!Space::on_gpu) return "through MPI";
  static const std::map<Route, std::string> words{{Route::direct, "directly from GPU to GPU"},
                                                  {Route::shared, "through host memory that ranks share"},
                                                  {Route::in_place, "through MPI from GPU to GPU"},
                                                  {Route::staged, "through MPI and pinned host memory"}};
  std::map<Route, int> ranks;
  for (int r = 0; r < comm_->size(); ++r)
    if (r != comm_->rank()) ++ranks[route_to(r)];
  if (ranks.empty()) return words.at(Route::direct);
  if (ranks.size() == 1) return words.at(ranks.begin()->first);
  std::string text;
  for (const auto& [route, count] : ranks)
    text += (text.empty() ? "" : ", ") + words.at(route) + " for " + std::to_string(count) + " of " + std::to_string(comm_->size() - 1) +
            " other ranks";
  return text;
}

template <class Space>
void Transport<Space>::begin(Tag tag, std::size_t largest_outbox) {
  connect();
  tag_ = tag;
  largest_outbox_ = largest_outbox;
  room_ = {};
  is_room_shared_ = false;
  sends_.clear();
  receives_.clear();
}

template <class Space>
View<std::byte> Transport<Space>::room(std::size_t bytes) {
  is_room_shared_ = gpu_links_ && is_direct() && bytes <= largest_outbox_;
  if (is_room_shared_) {
    gpu_links_->begin_outbox(bytes);
    room_ = {gpu_links_->outbox(), bytes};
  } else {
    own_room_.resize_discard(bytes);
    room_ = own_room_.view();
  }
  return room_;
}

template <class Space>
void Transport<Space>::send(View<const std::byte> data, int to) {
  sends_.push_back({data, to, route_to(to)});
}

template <class Space>
void Transport<Space>::receive(View<std::byte> data, int from) {
  receives_.push_back({data, from, route_to(from), true});
}

template <class Space>
void Transport<Space>::receive(std::size_t bytes, int from) {
  receives_.push_back({{nullptr, bytes}, from, route_to(from), false});
}

template <class Space>
void Transport<Space>::start() {
  if (has_staged_) {
    // The staging memory is reused: copies of the last set must be done.
    space_->wait_for_copies();
    has_staged_ = false;
  }
  if (room_.data) check_room();
  make_places();
  // Copies of received data wait as well: earlier work may still read the memory that they write.
  if (has_copies_) space_->order_copies_after_work();
  start_receives();
  start_sends();
}

/// Whether a message needs no memory here: it is read where it was sent. Where an outbox has a limit, it may come through the host.
template <class Space>
bool Transport<Space>::needs_no_place(const Incoming& message) const {
  return message.route == Route::direct && !message.has_place && largest_outbox_ == no_limit;
}

/// Finds memory for messages that have none, and whether anything of this set is copied.
template <class Space>
void Transport<Space>::make_places() {
  std::size_t bytes = 0;
  has_copies_ = std::ranges::any_of(sends_, [&](const Outgoing& m) {
    const bool may_be_staged = m.route == Route::direct && !is_room_shared_ && largest_outbox_ != no_limit;
    return m.route == Route::shared || m.route == Route::staged || may_be_staged;
  });
  for (Incoming& message : receives_) {
    if (needs_no_place(message)) continue;
    has_copies_ = has_copies_ || message.route != Route::in_place;
    if (!message.has_place) bytes += aligned(message.data.size);
  }
  arrived_.resize_discard(bytes);
  std::byte* place = arrived_.data();
  for (Incoming& message : receives_) {
    if (message.has_place || needs_no_place(message)) continue;
    message.data.data = place;
    place += aligned(message.data.size);
  }
}

template <class Space>
void Transport<Space>::start_receives() {
  std::size_t staged = 0;
  std::map<int, std::size_t> linked;  // bytes from each rank
  for (Incoming& message : receives_) {
    if (message.data.size == 0) continue;
    std::size_t& at = is_linked(message.route) ? linked[message.from] : staged;
    message.at = at;
    at += is_linked(message.route) ? aligned(message.data.size) : message.data.size;
  }
  if (staged > 0) inbox_.resize_discard(staged);
  // MPI writes this memory at once: no earlier work may still read it.
  if (has_in_place()) space_->synchronize();
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

/// Whether MPI reads or writes memory of the space in this set.
template <class Space>
bool Transport<Space>::has_in_place() const {
  const auto is_in_place = [](const auto& message) { return message.route == Route::in_place && message.data.size > 0; };
  return std::ranges::any_of(sends_, is_in_place) || std::ranges::any_of(receives_, is_in_place);
}

template <class Space>
void Transport<Space>::start_sends() {
  start_linked_sends(Route::direct);
  start_linked_sends(Route::shared);
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

/// In a set with room for its messages, each is there, and no rank gets two.
template <class Space>
void Transport<Space>::check_room() const {
  std::set<int> receivers;
  for (const Outgoing& message : sends_) {
    if (message.data.size == 0) continue;
    const std::less_equal<const std::byte*> is_not_after;
    const std::byte *const begin = message.data.data, *const end = begin + message.data.size;
    if (!is_not_after(room_.data, begin) || !is_not_after(end, room_.data + room_.size))
      throw std::logic_error("a message is not in the room of its set");
    if (!receivers.insert(message.to).second) throw std::logic_error("a set with room for its messages has several for one rank");
  }
}

/// Tells where the messages in room() begin.
template <class Space>
void Transport<Space>::announce_room() {
  gpu_links_->seal_outbox();
  for (const Outgoing& message : sends_)
    if (message.data.size > 0 && message.route == Route::direct)
      gpu_links_->announce(message.to, static_cast<std::size_t>(message.data.data - room_.data));
}

/// Copies the messages of a route into its outbox, rank by rank. If it would become too large, they become staged ones.
template <class Space>
void Transport<Space>::start_linked_sends(Route route) {
  if (route == Route::direct && is_room_shared_) {
    announce_room();
    return;
  }
  std::map<int, std::vector<Outgoing*>> by_rank;
  std::size_t total = 0;
  for (Outgoing& message : sends_) {
    if (message.data.size == 0 || message.route != route) continue;
    by_rank[message.to].push_back(&message);
    total += aligned(message.data.size);
  }
  if (by_rank.empty()) return;
  Links& links = links_of(route);
  bool fits = total <= largest_outbox_;
  fits = links.begin_outbox(fits ? total : 0) && fits;
  if (fits && route == Route::shared) has_shared_ = true;
  std::map<int, std::optional<std::size_t>> begin;
  std::size_t at = 0;
  for (const auto& [rank, messages] : by_rank) {
    begin[rank] = fits ? std::optional(at) : std::nullopt;
    for (Outgoing* const message : messages) {
      if (fits) {
        links.fill_outbox(at, message->data.data, message->data.size);
        at += aligned(message->data.size);
      } else {
        message->route = Route::staged;
      }
    }
  }
  links.seal_outbox();
  for (const auto& [rank, offset] : begin) links.announce(rank, offset);
}

template <class Space>
void Transport<Space>::dispatch() {
  if (has_staged_) space_->wait_for_copies();
  if (has_in_place()) space_->synchronize();
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
    if (is_linked(message.route))
      take_linked(message);
    else if (message.route == Route::staged)
      take_staged(message, inbox_.data() + message.at);
    else
      message.requests.front().wait_all();
  }
  if (has_copies_) space_->order_after_copies();
}

template <class Space>
void Transport<Space>::finish() {
  for (const Incoming& message : receives_)
    if (message.data.size > 0 && is_linked(message.route)) links_of(message.route).release(message.from);
  sends_in_flight_.wait_all();
  if (std::exchange(has_shared_, false)) space_->order_after_copies();
}

template <class Space>
void Transport<Space>::release() {
  space_->wait_for_copies();
  has_staged_ = false;
  outbox_.release();
  inbox_.release();
  late_inbox_.release();
  own_room_.release();
  arrived_.release();
}

template <class Space>
void Transport<Space>::take_linked(Incoming& message) {
  const std::byte* const sent = links_of(message.route).open(message.from, has_copies_ ? LinkReader::copies : LinkReader::work);
  if (sent && message.route == Route::direct && !message.has_place) {
    message.data.data = const_cast<std::byte*>(sent + message.at);
  } else if (sent) {
    space_->copy_async(message.data.data, sent + message.at, message.data.size);
  } else {
    // One message at a time: few sets take this way, such as the first exchange of a run.
    space_->wait_for_copies();
    late_inbox_.resize_discard(message.data.size);
    post_staged(message, late_inbox_.data());
    take_staged(message, late_inbox_.data());
  }
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
