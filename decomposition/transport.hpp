// Messages between the device memories of ranks: the one place that knows which way they take.
//
// Ranks without GPUs: MPI sends and receives messages where they are. GPUs: a message goes
//   directly from GPU to GPU, if both are on one node and can reach each other (see peer_links.hpp);
//   by an MPI that reads and writes GPU memory, if the MPI library says that it does;
//   otherwise through pinned host memory, in pieces: those that have arrived are copied while others travel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/peer_links.hpp"
#include "decomposition/transport_way.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A set of messages in flight. Keeps its staging memory from one set to the next.
///
///     transport.begin(Tag::particles);
///     transport.receive(...); transport.send(...);   // any number of each
///     transport.start();
///     ...                                             // work on the device
///     transport.dispatch();
///     ...
///     transport.arrive(0, transport.receive_count());
///     transport.finish();
///
/// Messages between two ranks arrive in the order in which they are declared; both sides give the same number of bytes. Not collective,
/// but for connect() and the first begin(). All ranks that exchange messages begin their sets in the same order.
template <class Space>
class Transport {
 public:
  /// `comm` must outlive it.
  Transport(Space& space, const Communicator& comm, TransportWay way = TransportWay::automatic);

  /// Finds out which ways there are; does nothing when it is known. Collective. Throws AgreedError when the way asked for does not exist.
  void connect();
  /// Starts a new set, and connects before the first one. The one before must be finished. Of a set with more than `largest_outbox` bytes
  /// to send, direct messages go through host memory, too: the outbox would keep that memory of the GPU.
  void begin(Tag tag, std::size_t largest_outbox = ~std::size_t{0});
  /// Declares a message to rank `to`. It has the contents of `data` at start(); they must not change before finish().
  void send(View<const std::byte> data, int to);
  /// Declares a message from rank `from`. Nothing else may use `data` before arrive().
  void receive(View<std::byte> data, int from);
  /// Posts all receives, and starts to copy what is to be sent, once the work enqueued so far is done. Waits at most for messages of the
  /// set before.
  void start();
  /// Hands all that is to be sent to MPI. Blocks until it has been copied to the host, not until it has left.
  void dispatch();
  std::size_t receive_count() const { return receives_.size(); }
  /// Waits for the receives [first, last), in the order of their declaration. Work enqueued later finds them in place.
  void arrive(std::size_t first, std::size_t last);
  /// Waits until what was given to send() may change again.
  void finish() { sends_in_flight_.wait_all(); }
  /// Gives the staging memory on the host back; after finish().
  void release();

  /// After connect(): whether messages between this rank and every other one go directly from GPU to GPU. True without GPUs.
  bool is_direct() const;
  /// After connect(): how the messages of this rank travel, for the user.
  std::string description() const;

 private:
  enum class Route { in_place, direct, staged };
  struct Outgoing {
    View<const std::byte> data;
    int to;
  };
  struct Incoming {
    View<std::byte> data;
    int from;
    Route route;
    std::size_t at;                    ///< direct: offset from the first message of that rank; staged: offset in inbox_
    bool last_of_rank = false;         ///< direct: no message of that rank follows
    std::vector<Requests> requests{};  ///< of its pieces
  };

  Route route_to(int rank) const;
  Route route_of_send(int rank) const;
  void start_receives();
  void start_sends();
  void start_direct_sends();
  void post_staged(Incoming& message, std::byte* staging);
  void take_direct(std::size_t number);
  void take_staged(Incoming& message, const std::byte* staging);

  using HostMemory = typename Space::HostMemory;
  Space* space_;
  const Communicator* comm_;
  TransportWay way_;
  std::unique_ptr<PeerLinks<Space>> links_;  ///< null before connect()
  bool mpi_in_place_;                        ///< MPI reads and writes the memory of the space
  Tag tag_ = Tag::particles;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
  std::size_t largest_outbox_ = 0;
  bool outbox_too_large_ = false;  ///< direct messages of this set go through host memory
  bool has_staged_ = false;        ///< copies between staging memory and device may be on their way
  Requests sends_in_flight_;
  Buffer<HostMemory, std::byte> outbox_, inbox_;
  Buffer<HostMemory, std::byte> late_inbox_;  ///< for direct messages that come by way of the host
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
