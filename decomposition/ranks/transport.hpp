// Messages between the device memories of ranks. Only this file knows which way they take.
//
// Ranks without GPUs: MPI sends and receives messages in place. GPUs: a message goes
//   directly from GPU to GPU, if both are on one node and can reach each other (see peer_links.hpp);
//   otherwise, on one node, through host memory that both ranks share;
//   otherwise by MPI in place, if the MPI library is CUDA-aware;
//   otherwise by MPI through pinned host memory in pieces, so that copies overlap with messages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/peer_links.hpp"
#include "decomposition/ranks/transport_way.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A set of messages in flight. Memory for messages is kept from set to set.
///
///     transport.begin(Tag::particles);
///     View<std::byte> room = transport.room(bytes);   // optional: messages that are written there may need no copy
///     transport.receive(...); transport.send(...);   // any number of each
///     transport.start();
///     ...                                             // work on the device
///     transport.dispatch();
///     ...
///     transport.arrive(0, transport.receive_count());
///     transport.finish();
///
/// Messages between two ranks arrive in the order of their declaration; both sides give the same number of bytes. Not collective, except
/// connect() and the first begin(). All ranks that exchange messages begin their sets in the same order.
template <class Space>
class Transport {
 public:
  static constexpr std::size_t no_limit = ~std::size_t{0};

  /// `comm` must outlive it.
  Transport(Space& space, const Communicator& comm, TransportWay way);

  /// Finds the available ways, once. Collective. Throws AgreedError when the requested way does not exist.
  void connect();
  /// Starts a new set after the last one is finished; connects before the first set. With more than `largest_outbox` bytes to put into an
  /// outbox (see peer_links.hpp), or more than the host has for it, these messages go by MPI through host memory.
  void begin(Tag tag, std::size_t largest_outbox = no_limit);
  /// After begin(), at most once: memory for all that is sent in this set, at most one message for each rank. If this GPU reaches those of
  /// all other ranks and `bytes` is at most `largest_outbox`, they read it there; otherwise it is copied, as other messages. Work enqueued
  /// later may write it; its contents are lost at the next begin(). Blocks until all ranks have finished the last set of this one. Throws
  /// SystemError if the memory does not suffice.
  View<std::byte> room(std::size_t bytes);
  /// Declares a message to rank `to`. `data` must not change between start() and finish().
  void send(View<const std::byte> data, int to);
  /// Declares a message from rank `from`. `data` must not be used before arrive().
  void receive(View<std::byte> data, int from);
  /// Declares a message that arrives in memory of the transport, or is read where it was sent: see message().
  void receive(std::size_t bytes, int from);
  /// Posts all receives and enqueues the copies of what is sent, after the work enqueued so far. Blocks at most until all ranks have
  /// finished the last set.
  void start();
  /// Passes all messages to MPI. Blocks until they are copied to the host, not until they are sent.
  void dispatch();
  std::size_t receive_count() const { return receives_.size(); }
  /// Waits for the receives [first, last), in the order of their declaration. Work enqueued later can use them.
  void arrive(std::size_t first, std::size_t last);
  /// The receive `number`, in the order of their declaration, once it has arrived: for work enqueued before finish().
  const std::byte* message(std::size_t number) const { return receives_[number].data.data; }
  /// Call when all that reads message() is enqueued: the senders may then write other messages. Blocks until the data of all sends may
  /// change again.
  void finish();
  /// Frees the memory for messages, on the host and in the space; after finish().
  void release();

  /// After connect(): whether this rank exchanges messages directly from GPU to GPU with every other rank. True without GPUs.
  bool is_direct() const;
  /// After connect(): how the messages of this rank travel, as text for the user.
  std::string description() const;

 private:
  using Links = PeerLinks<Space>;
  enum class Route { direct, shared, in_place, staged };
  static bool is_linked(Route route) { return route == Route::direct || route == Route::shared; }
  struct Outgoing {
    View<const std::byte> data;
    int to;
    Route route;
  };
  struct Incoming {
    View<std::byte> data;  ///< null until it has arrived, if it needs no place here
    int from;
    Route route;
    bool has_place;                    ///< the receiver said where it is to be
    std::size_t at = 0;                ///< linked: offset from the first message of that rank; staged: offset in inbox_
    std::vector<Requests> requests{};  ///< one for each piece
  };

  Route route_to(int rank) const;
  Links& links_of(Route route) { return *(route == Route::direct ? gpu_links_ : host_links_); }
  void make_links();
  bool has_in_place() const;
  bool needs_no_place(const Incoming& message) const;
  void check_room() const;
  void make_places();
  void start_receives();
  void start_sends();
  void start_linked_sends(Route route);
  void announce_room();
  void post_staged(Incoming& message, std::byte* staging);
  void take_linked(Incoming& message);
  void take_staged(Incoming& message, const std::byte* staging);

  using HostMemory = typename Space::HostMemory;
  Space* space_;
  const Communicator* comm_;
  TransportWay way_;
  bool is_connected_ = false;
  std::unique_ptr<Links> gpu_links_, host_links_;  ///< null where not wanted
  bool mpi_in_place_;                              ///< MPI reads and writes the memory of the space
  Tag tag_ = Tag::particles;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
  std::size_t largest_outbox_ = 0;
  View<std::byte> room_;         ///< of this set
  bool is_room_shared_ = false;  ///< it is the outbox of gpu_links_
  bool has_copies_ = false;      ///< copies between memories of this set are enqueued on their stream
  bool has_staged_ = false;      ///< copies between staging memory and device may be in flight
  bool has_shared_ = false;      ///< copies to the outbox on the host may be in flight, and read what is sent
  Requests sends_in_flight_;
  Buffer<Space, std::byte> own_room_;  ///< room_, where it is no outbox
  Buffer<Space, std::byte> arrived_;   ///< messages without a place that are not read where they were sent
  Buffer<HostMemory, std::byte> outbox_, inbox_;
  Buffer<HostMemory, std::byte> late_inbox_;  ///< for messages that did not fit into an outbox
};

/// The bytes of `items`.
template <class T>
View<std::byte> bytes_of(View<T> items) {
  return {reinterpret_cast<std::byte*>(items.data), items.size * sizeof(T)};
}
template <class T>
View<const std::byte> bytes_of(View<const T> items) {
  return {reinterpret_cast<const std::byte*>(items.data), items.size * sizeof(T)};
}

}  // namespace grove
