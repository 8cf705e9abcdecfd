#include "decomposition/ranks/peer_links.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "decomposition/ranks/link_memory.cuh"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// First word of a new outbox of `rank`, by which others check the link.
std::uint64_t mark_of(int rank) { return 0x47726f7665000000ULL + static_cast<std::uint64_t>(rank); }

class Event {
 public:
  Event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventInterprocess), "cudaEventCreate"); }
  /// The event of another process; event() is null if it cannot be opened.
  explicit Event(const cudaIpcEventHandle_t& name) {
    if (!succeeds(cudaIpcOpenEventHandle(&event_, name))) event_ = nullptr;
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  cudaEvent_t event() const { return event_; }
  bool name(cudaIpcEventHandle_t& name) const { return succeeds(cudaIpcGetEventHandle(&name, event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The memory of an outbox. A larger one follows it, of the next generation.
struct Outbox {
  LinkBlock block;
  std::uint64_t generation = 0;
  std::optional<LinkName> name;
};

/// What a rank sends to the others of its node once.
struct Card {
  LinkName memory;
  cudaIpcEventHandle_t sealed;
  bool valid = false;
};

/// Whether `rank` can read the memory of `about`, and the event that `about` is to open.
struct Verdict {
  int rank, about;
  bool reached;
  cudaIpcEventHandle_t taken;
};

/// Where the messages for one rank begin.
struct Announcement {
  LinkName memory;
  std::uint64_t generation;  ///< of the outbox
  std::uint64_t offset;      ///< by_host: they come through the host
};
constexpr std::uint64_t by_host = ~std::uint64_t{0};

/// The other end of a link.
struct Peer {
  int rank = 0;
  bool reached = false;                 ///< this rank can read its memory
  Event taken;                          ///< recorded here after what reads its outbox
  std::unique_ptr<Event> other_sealed;  ///< recorded there when its outbox is filled
  std::unique_ptr<Event> other_taken;
  OpenBlock opened;              ///< its outbox
  std::uint64_t generation = 0;  ///< of `opened`
  Announcement sent{}, received{};
  std::byte ack_sent{}, ack_received{};
  Requests send, ack_in, ack_out;
  bool awaits_ack = false, announced = false;
  std::uint64_t generation_there = 1;  ///< generation of this rank's outbox that the other rank has open
  void finish() {
    send.wait_all();
    ack_in.wait_all();
    ack_out.wait_all();
  }
};

/// Smaller blocks would share an allocation, and its handle, with other memory.
constexpr std::size_t smallest_outbox = std::size_t{2} << 20;

}  // namespace

template <class Space, bool on_gpu>
struct PeerLinks<Space, on_gpu>::State {
  Space& space;
  const Communicator comm;  ///< separate from other messages
  const LinkMemory where;
  std::string why_none;
  Event sealed;
  Outbox outbox;
  std::vector<Outbox> retired;  ///< old outboxes, which others may still have open
  std::map<int, Peer> peers;    ///< by rank

  State(Space& s, const Communicator& parent, LinkMemory memory) : space(s), comm(parent.raw()), where(memory) {}
  ~State() {
    // All ranks come here, even after an error: a rank that fails alone ends the program at once. After an error the other ranks may never
    // read the last announcements, and never acknowledge them: waiting would hang.
    const bool is_unwinding = std::uncaught_exceptions() > 0;
    if (!is_unwinding)
      for (auto& [rank, peer] : peers) peer.finish();
    cudaStreamSynchronize(space.copy_stream());
    cudaStreamSynchronize(space.stream());
    for (auto& [rank, peer] : peers) peer.opened = {};
    // The outbox must not be open anywhere when it is freed. MPI may still read and write what messages in flight have: that is never
    // freed.
    if (is_unwinding)
      static_cast<void>(new std::map<int, Peer>(std::move(peers)));
    else
      comm.barrier();
  }

  /// The stream that fills the outbox.
  cudaStream_t filling() const { return where == LinkMemory::gpu ? space.stream() : space.copy_stream(); }

  Outbox make_outbox(std::size_t bytes, std::uint64_t generation) {
    Outbox made{LinkBlock(space, where, bytes), generation, {}};
    made.name = made.block.name();
    const std::uint64_t mark = mark_of(comm.rank());
    check_cuda(cudaMemcpyAsync(made.block.data(), &mark, sizeof(mark), cudaMemcpyDefault, space.stream()), "cudaMemcpyAsync");
    space.synchronize();
    return made;
  }

  Card card() const {
    Card own{};
    own.memory = outbox.name.value_or(LinkName{});
    own.valid = outbox.name && sealed.name(own.sealed);
    return own;
  }

  /// Opens the outbox and the event of another rank, and reads its first word.
  bool try_peer(const Card& card, Peer& peer) {
    peer.other_sealed = std::make_unique<Event>(card.sealed);
    if (!peer.other_sealed->event() || !open(card.memory, 1, peer)) return false;
    std::uint64_t mark = 0;
    return succeeds(cudaMemcpyAsync(&mark, peer.opened.data(), sizeof(mark), cudaMemcpyDefault, space.stream())) &&
           succeeds(cudaStreamSynchronize(space.stream())) && mark == mark_of(peer.rank);
  }

  /// Opens an outbox unless it is open, and closes the last one.
  bool open(const LinkName& memory, std::uint64_t of, Peer& peer) {
    if (peer.generation == of) return true;
    if (peer.opened.data()) {
      // What reads it may still run.
      space.wait_for_copies();
      space.synchronize();
      peer.opened = {};
    }
    std::optional<OpenBlock> block = OpenBlock::open(where, memory);
    if (!block) return false;
    peer.opened = std::move(*block);
    peer.generation = of;
    return true;
  }

  /// Frees the old outboxes that no rank has open. All announcements must be acknowledged.
  void free_retired() {
    std::erase_if(retired, [&](const Outbox& old) {
      return std::none_of(peers.begin(), peers.end(), [&](const auto& peer) { return peer.second.generation_there == old.generation; });
    });
  }

  Peer& peer_of(int rank) { return peers.at(rank); }
};

template <class Space, bool on_gpu>
PeerLinks<Space, on_gpu>::PeerLinks(Space& space, const Communicator& comm, LinkMemory where)
    : state_(std::make_unique<State>(space, comm, where)) {
  State& s = *state_;
  try {
    s.outbox = s.make_outbox(smallest_outbox, 1);
  } catch (const SystemError& error) {
    // Without such memory on the host there are no links.
    if (where == LinkMemory::gpu) throw;
    s.why_none = error.what();
  }
  const Card own = s.card();
  const Communicator node = comm.node();
  const std::vector<Card> cards = node.all_gather(own);
  const std::vector<int> ranks = node.all_gather(comm.rank());
  std::vector<Verdict> found;
  std::map<int, Peer> tried;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == comm.rank()) continue;
    Peer peer;
    peer.rank = ranks[i];
    Verdict verdict{comm.rank(), ranks[i], false, {}};
    verdict.reached = own.valid && cards[i].valid && s.try_peer(cards[i], peer) && peer.taken.name(verdict.taken);
    peer.reached = verdict.reached;
    found.push_back(verdict);
    tried.emplace(ranks[i], std::move(peer));
  }
  for (const Verdict& theirs : node.all_gather_vectors(std::span<const Verdict>(found))) {
    const bool both = theirs.about == comm.rank() && theirs.reached && tried.at(theirs.rank).reached;
    if (!both) continue;
    Peer& peer = tried.at(theirs.rank);
    peer.other_taken = std::make_unique<Event>(theirs.taken);
    if (!peer.other_taken->event()) throw SystemError("CUDA: an event of rank " + std::to_string(theirs.rank) + " cannot be opened");
    s.peers.emplace(theirs.rank, std::move(peer));
    tried.erase(theirs.rank);
  }
}

template <class Space, bool on_gpu>
PeerLinks<Space, on_gpu>::~PeerLinks() = default;

template <class Space, bool on_gpu>
bool PeerLinks<Space, on_gpu>::reaches(int rank) const {
  return state_->peers.contains(rank);
}

template <class Space, bool on_gpu>
int PeerLinks<Space, on_gpu>::count() const {
  return static_cast<int>(state_->peers.size());
}

template <class Space, bool on_gpu>
const std::string& PeerLinks<Space, on_gpu>::why_none() const {
  return state_->why_none;
}

template <class Space, bool on_gpu>
bool PeerLinks<Space, on_gpu>::begin_outbox(std::size_t bytes) {
  State& s = *state_;
  for (auto& [rank, peer] : s.peers) {
    if (!peer.awaits_ack) continue;
    peer.send.wait_all();
    peer.ack_in.wait_all();
    peer.awaits_ack = false;
    peer.generation_there = peer.sent.generation;
    check_cuda(cudaStreamWaitEvent(s.filling(), peer.other_taken->event()), "cudaStreamWaitEvent");
  }
  s.free_retired();
  if (bytes <= s.outbox.block.bytes()) return true;
  std::optional<Outbox> larger;
  try {
    larger = s.make_outbox(bytes + bytes / 4, s.outbox.generation + 1);
  } catch (const SystemError&) {
    if (s.where == LinkMemory::gpu) throw;
    return false;
  }
  // Receivers close the old block when the new one is announced. Until then it must stay.
  s.retired.push_back(std::move(s.outbox));
  s.outbox = std::move(*larger);
  return true;
}

template <class Space, bool on_gpu>
std::byte* PeerLinks<Space, on_gpu>::outbox() const {
  return state_->outbox.block.data();
}

template <class Space, bool on_gpu>
void PeerLinks<Space, on_gpu>::fill_outbox(std::size_t at, const void* data, std::size_t bytes) {
  State& s = *state_;
  check_cuda(cudaMemcpyAsync(s.outbox.block.data() + at, data, bytes, cudaMemcpyDefault, s.filling()), "cudaMemcpyAsync");
}

template <class Space, bool on_gpu>
void PeerLinks<Space, on_gpu>::seal_outbox() {
  check_cuda(cudaEventRecord(state_->sealed.event(), state_->filling()), "cudaEventRecord");
}

template <class Space, bool on_gpu>
void PeerLinks<Space, on_gpu>::announce(int to, std::optional<std::size_t> offset) {
  State& s = *state_;
  Peer& peer = s.peer_of(to);
  if (!s.outbox.name) throw SystemError("CUDA gives no name for " + std::to_string(s.outbox.block.bytes() >> 20) + " MiB of GPU memory");
  peer.sent.memory = *s.outbox.name;
  peer.sent.generation = s.outbox.generation;
  peer.sent.offset = offset.value_or(by_host);
  s.comm.receive_bytes(std::span(&peer.ack_received, 1), to, Tag::peer_ack, peer.ack_in);
  s.comm.send_bytes(std::as_bytes(std::span(&peer.sent, 1)), to, Tag::peer_announcement, peer.send);
  peer.awaits_ack = true;
}

template <class Space, bool on_gpu>
const std::byte* PeerLinks<Space, on_gpu>::open(int from, LinkReader reader) {
  State& s = *state_;
  Peer& peer = s.peer_of(from);
  if (!peer.announced) {
    Requests arrival;
    s.comm.receive_bytes(std::as_writable_bytes(std::span(&peer.received, 1)), from, Tag::peer_announcement, arrival);
    arrival.wait_all();
    if (!s.open(peer.received.memory, peer.received.generation, peer))
      throw SystemError("the memory in which rank " + std::to_string(from) + " of this node sends can no longer be opened");
    check_cuda(cudaStreamWaitEvent(reader == LinkReader::copies ? s.space.copy_stream() : s.space.stream(), peer.other_sealed->event()),
               "cudaStreamWaitEvent");
    peer.announced = true;
  }
  return peer.received.offset == by_host ? nullptr : peer.opened.data() + peer.received.offset;
}

template <class Space, bool on_gpu>
void PeerLinks<Space, on_gpu>::release(int from) {
  State& s = *state_;
  Peer& peer = s.peer_of(from);
  if (!peer.announced) return;
  check_cuda(cudaEventRecord(peer.taken.event(), s.space.stream()), "cudaEventRecord");
  peer.ack_out.wait_all();
  s.comm.send_bytes(std::span(&peer.ack_sent, 1), from, Tag::peer_ack, peer.ack_out);
  peer.announced = false;
}

template class PeerLinks<CudaSpace>;

}  // namespace grove
