// Messages between the device memories of ranks: the one place that knows which way they take.
//
// Messages between GPUs are staged through pinned host memory: copied to the host, sent by MPI, copied to the device. On the CPU, MPI sends
// and receives them where they are.
#pragma once

#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A set of messages in flight. Keeps its staging memory from one set to the next.
///
///     transport.begin(comm, Tag::particles);
///     transport.receive(...); transport.send(...);   // any number of each
///     transport.start();
///     ...                                             // work on the device
///     transport.dispatch();
///     ...
///     transport.arrive(0, transport.receive_count());
///     transport.finish();
///
/// Messages between two ranks arrive in the order in which they are declared; both sides give the same number of bytes. Not collective.
template <class Space>
class Transport {
 public:
  explicit Transport(Space& space) : space_(&space), outbox_(space.host_memory()), inbox_(space.host_memory()) {}

  /// Starts a new set. The one before must be finished. `comm` must outlive the set.
  void begin(const Communicator& comm, Tag tag);
  /// Declares a message to rank `to`. It has the contents of `data` at start(); they must not change before finish().
  void send(View<const std::byte> data, int to);
  /// Declares a message from rank `from`. Nothing else may use `data` before arrive().
  void receive(View<std::byte> data, int from);
  /// Posts all receives, and starts to copy what is to be sent, once the work enqueued so far is done. Does not block.
  void start();
  /// Hands all that is to be sent to MPI. Blocks until it has been copied to the host, not until it has left.
  void dispatch();
  std::size_t receive_count() const { return receives_.size(); }
  /// Waits for the receives [first, last), in the order of their declaration. Work enqueued later finds them in place.
  void arrive(std::size_t first, std::size_t last);
  /// Waits until all that this rank sent has left.
  void finish() { sends_in_flight_.wait_all(); }

 private:
  struct Outgoing {
    View<const std::byte> data;
    int to;
  };
  struct Incoming {
    View<std::byte> data;
    int from;
    std::size_t staged_at;  ///< offset in inbox_
    Requests requests;
  };

  using HostMemory = typename Space::HostMemory;
  Space* space_;
  const Communicator* comm_ = nullptr;
  Tag tag_ = Tag::particles;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
  std::size_t inbox_bytes_ = 0;
  Requests sends_in_flight_;
  Buffer<HostMemory, std::byte> outbox_, inbox_;
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
