// Direct links between GPUs of one node: a rank reads the memory of another rank's GPU, without the host (CUDA IPC).
//
// A rank that sends puts all its messages into its outbox, a block of its GPU's memory, and tells each receiver where they lie. The
// receiver copies them from there, and tells the sender once its copies are enqueued. Interprocess events order the copies after the outbox
// was filled, and the next use of the outbox after the copies. The host does not wait for
// the GPU, unless an outbox must grow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// The links of one rank. Each object has an outbox of its own.
template <class Space, bool on_gpu = Space::on_gpu>
class PeerLinks {
 public:
  /// Tries which ranks of the node can be reached: every pair reads a word of each other's memory. A pair has a link if both succeed, and
  /// neither of them is told not to by `wanted`. Collective.
  PeerLinks(Space& space, const Communicator& comm, bool wanted);
  /// Collective, unless an exception is on its way.
  ~PeerLinks();
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;

  bool reaches(int rank) const;
  /// Number of ranks that are reached.
  int count() const;

  /// Memory for what is to be sent, `bytes` in all. Waits until the receivers of the set before have enqueued their copies. Work enqueued
  /// later, on the stream for work, runs after these copies.
  std::byte* outbox(std::size_t bytes);
  /// All that was put into the outbox on the stream for work is ready once the work enqueued so far is done.
  void seal_outbox();
  /// Tells rank `to` that its messages begin at `offset` of the outbox; without an offset, that they come by way of the host. Does not
  /// block.
  void announce(int to, std::optional<std::size_t> offset);

  /// Waits until rank `from` has announced its messages. Returns where they begin; copies enqueued later, on the stream for copies, find
  /// them there. Null: they come by way of the host.
  const std::byte* messages_of(int from);
  /// All copies of the messages of `from` are enqueued.
  void release(int from);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Ranks without GPUs: MPI moves their messages.
template <class Space>
class PeerLinks<Space, false> {
 public:
  PeerLinks(Space&, const Communicator&, bool) {}
  bool reaches(int) const { return false; }
  int count() const { return 0; }
  std::byte* outbox(std::size_t) { return nullptr; }
  void seal_outbox() {}
  void announce(int, std::optional<std::size_t>) {}
  const std::byte* messages_of(int) { return nullptr; }
  void release(int) {}
};

}  // namespace grove
