// Links between GPUs of one node, without copies by MPI: a rank reads what another one has put into its outbox, a block of its GPU's memory
// (CUDA IPC) or, where GPUs cannot reach each other, of page-locked host memory that processes share.
//
// A sender puts all its messages into its outbox and announces to each receiver where they begin. The receiver reads them there, or copies
// them, and acknowledges once that is enqueued. Interprocess events order the reads after the outbox is filled, and the next use of the
// outbox after the reads. The host does not wait for the GPU, except when an outbox must grow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// Where an outbox is.
enum class LinkMemory { gpu, host };

/// What reads the outbox of another rank: copies, on their stream, or work, on its own.
enum class LinkReader { copies, work };

/// The links of one rank, with one outbox.
template <class Space, bool on_gpu = Space::on_gpu>
class PeerLinks {
 public:
  /// Finds the ranks of the node that can be reached: every pair reads a word of each other's outbox. A pair has a link if both succeed.
  /// Collective.
  PeerLinks(Space& space, const Communicator& comm, LinkMemory where);
  /// Collective, unless an exception is being thrown.
  ~PeerLinks();
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;

  bool reaches(int rank) const;
  /// Number of ranks with a link.
  int count() const;
  /// Why this rank has no links at all, where it knows; else empty.
  const std::string& why_none() const;

  /// Begins a set with `bytes` to send. Waits until the receivers of the last set have enqueued what reads it. False where the outbox is
  /// too small and the host has no memory for a larger one; for want of memory of the GPU it throws SystemError.
  bool begin_outbox(std::size_t bytes);
  /// The outbox, of as many bytes as begin_outbox() was asked for. Work enqueued later may write it where it is memory of the GPU.
  std::byte* outbox() const;
  /// Enqueues a copy to offset `at` of the outbox, after those of the last set: on the stream for work to memory of the GPU, on the stream
  /// for copies to memory of the host. `data` must not change before Transport::finish().
  void fill_outbox(std::size_t at, const void* data, std::size_t bytes);
  /// The outbox is filled once the copies, or the work, enqueued so far are done.
  void seal_outbox();
  /// Tells rank `to` that its messages begin at `offset` of the outbox; without an offset, that they come through the host. Does not block.
  void announce(int to, std::optional<std::size_t> offset);

  /// Waits until rank `from` has announced its messages. Where they begin, for what `reader` enqueues until release(); null if they come
  /// through the host.
  const std::byte* open(int from, LinkReader reader);
  /// Call when all that reads the messages of `from` is enqueued: as work, or as copies after which work is ordered. A second call does
  /// nothing.
  void release(int from);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Ranks without GPUs have none: MPI moves their messages.
template <class Space>
class PeerLinks<Space, false> {
 public:
  PeerLinks(Space&, const Communicator&, LinkMemory) {}
  bool reaches(int) const { return false; }
  int count() const { return 0; }
  const std::string& why_none() const {
    static const std::string nothing;
    return nothing;
  }
  bool begin_outbox(std::size_t) { return true; }
  std::byte* outbox() const { return nullptr; }
  void fill_outbox(std::size_t, const void*, std::size_t) {}
  void seal_outbox() {}
  void announce(int, std::optional<std::size_t>) {}
  const std::byte* open(int, LinkReader) { return nullptr; }
  void release(int) {}
};

}  // namespace grove
