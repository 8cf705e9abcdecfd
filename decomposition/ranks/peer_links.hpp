// Direct links between GPUs of one node by CUDA IPC: a rank reads the memory of another rank's GPU, without the host.
//
// A sender copies all its messages into its outbox, a block of its GPU's memory, and announces to each receiver where they begin. The
// receiver copies them and acknowledges once its copies are enqueued. Interprocess events order the copies after the outbox is filled, and
// the next use of the outbox after the copies. The host does not wait for the GPU, except when an outbox must grow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// The links of one rank, with one outbox.
template <class Space, bool on_gpu = Space::on_gpu>
class PeerLinks {
 public:
  /// Finds the ranks of the node that can be reached: every pair reads a word of each other's memory. A pair has a link if both succeed and
  /// `wanted` is true on both. Collective.
  PeerLinks(Space& space, const Communicator& comm, bool wanted);
  /// Collective, unless an exception is being thrown.
  ~PeerLinks();
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;

  bool reaches(int rank) const;
  /// Number of ranks with a link.
  int count() const;

  /// Memory for `bytes` to send. Waits until the receivers of the last set have enqueued their copies. Work enqueued later runs after these
  /// copies.
  std::byte* outbox(std::size_t bytes);
  /// The outbox is filled once the work enqueued so far is done.
  void seal_outbox();
  /// Tells rank `to` that its messages begin at `offset` of the outbox; without an offset, that they come through the host. Does not block.
  void announce(int to, std::optional<std::size_t> offset);

  /// Waits until rank `from` has announced its messages. Returns where they begin, for copies enqueued later on the stream for copies; null
  /// if they come through the host.
  const std::byte* messages_of(int from);
  /// Call when all copies of the messages of `from` are enqueued.
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
