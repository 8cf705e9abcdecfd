// Messages between the device memories of ranks. Every byte follows from who sends it, to whom, which message it is and where in it.
#include "decomposition/ranks/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/support/space_support.hpp"

namespace grove {
namespace {

constexpr std::size_t several_megabytes = (std::size_t{5} << 20) + 3;

/// Who sends what.
struct Message {
  int from, to;
  std::size_t number, bytes;
};

std::byte byte_of(const Message& message, std::size_t at) {
  std::uint64_t x = (static_cast<std::uint64_t>(message.from) * 8 + static_cast<std::uint64_t>(message.to)) * 64 + message.number;
  x = (x * 1000003 + at / 8 + 1) * 0x9e3779b97f4a7c15ULL;
  x ^= x >> 29;
  return static_cast<std::byte>((x >> (8 * (at % 8))) & 0xff);
}

std::vector<std::byte> bytes_of(const Message& message) {
  std::vector<std::byte> bytes(message.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(message, i);
  return bytes;
}

/// Messages one after the other in memory of the space, each with untouched bytes before and behind it.
class Mailbox {
 public:
  Mailbox(BackEnd& space, const std::vector<Message>& messages) : space_(space), messages_(messages), memory_(space) {
    for (const Message& message : messages_) {
      start_.push_back(size_ + margin);
      size_ += margin + message.bytes + margin;
    }
    memory_ = tests::upload(space_, std::vector<std::byte>(size_, empty));
  }

  std::size_t count() const { return messages_.size(); }
  const Message& message(std::size_t k) const { return messages_[k]; }
  View<std::byte> view(std::size_t k) const { return memory_.view().part(start_[k], messages_[k].bytes); }

  void fill() {
    std::vector<std::byte> all(size_, empty);
    for (std::size_t k = 0; k < count(); ++k) {
      const std::vector<std::byte> bytes = bytes_of(messages_[k]);
      std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<std::ptrdiff_t>(start_[k]));
    }
    copy_from_host<BackEnd, std::byte>(space_, all, memory_.view());
  }

  /// Messages [first, last) have arrived as they were sent, and nothing was written beside any.
  void expect_arrived(std::size_t first, std::size_t last) const {
    const std::vector<std::byte> all = tests::download(space_, memory_);
    for (std::size_t k = 0; k < count(); ++k) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(start_[k]),
                 end = begin + static_cast<std::ptrdiff_t>(messages_[k].bytes);
      const auto is_empty = [](std::byte b) { return b == empty; };
      EXPECT_TRUE(std::all_of(begin - margin, begin, is_empty) && std::all_of(end, end + margin, is_empty)) << "beside message " << k;
      if (k < first || k >= last) continue;
      const Message& m = messages_[k];
      EXPECT_TRUE(std::equal(begin, end, bytes_of(m).begin()))
          << "message " << m.number << " of " << m.bytes << " bytes from rank " << m.from << " to " << m.to;
    }
  }
  void expect_arrived() const { expect_arrived(0, count()); }

 private:
  static constexpr std::byte empty{0x5a};
  static constexpr std::ptrdiff_t margin = 13;

  BackEnd& space_;
  std::vector<Message> messages_;
  std::vector<std::size_t> start_;
  std::size_t size_ = 0;
  Buffer<BackEnd, std::byte> memory_;
};

struct AddOne {
  const std::byte* in;
  std::byte* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::byte>(static_cast<unsigned char>(in[i]) + 1); }
};

struct Fill {
  std::byte* out;
  unsigned char value;
  GROVE_HD void operator()(std::size_t i) const { out[i] = static_cast<std::byte>(value); }
};

/// Some milliseconds of a GPU.
struct TakeLong {
  std::uint64_t* out;
  GROVE_HD void operator()(std::size_t i) const {
    std::uint64_t x = i + 1;
    for (int k = 0; k < 500000; ++k) x = x * 0x9e3779b97f4a7c15ULL + 1;
    *out = x;
  }
};

class TransportTest : public testing::TestWithParam<TransportWay> {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();
  Transport<BackEnd> transport{space, comm, GetParam()};
  int me = comm.rank(), ranks = comm.size();
  int next = (me + 1) % ranks, previous = (me + ranks - 1) % ranks;

  /// `number` messages from every rank to every rank, as this one knows them; message k has bytes(from, to, k) bytes.
  struct Traffic {
    Mailbox sent, received;
  };
  template <class Bytes>
  Traffic between_all(std::size_t number, Bytes bytes) {
    std::vector<Message> sent, received;
    for (int shift = 0; shift < ranks; ++shift) {
      const int to = (me + shift) % ranks, from = ranks - 1 - shift;
      for (std::size_t k = 0; k < number; ++k) sent.push_back({me, to, k, bytes(me, to, k)});
      for (std::size_t k = 0; k < number; ++k) received.push_back({from, me, k, bytes(from, me, k)});
    }
    return {Mailbox(space, sent), Mailbox(space, received)};
  }

  void declare_sends(Transport<BackEnd>& by, const Mailbox& sent) {
    for (std::size_t k = 0; k < sent.count(); ++k) by.send(sent.view(k), sent.message(k).to);
  }
  void declare_receives(Transport<BackEnd>& by, const Mailbox& received) {
    for (std::size_t k = 0; k < received.count(); ++k) by.receive(received.view(k), received.message(k).from);
  }

  /// A whole set.
  void expect_delivered(Traffic& traffic) {
    traffic.sent.fill();
    transport.begin(Tag::particles);
    declare_receives(transport, traffic.received);
    declare_sends(transport, traffic.sent);
    EXPECT_EQ(transport.receive_count(), traffic.received.count());
    transport.start();
    transport.dispatch();
    transport.arrive(0, transport.receive_count());
    transport.finish();
    traffic.received.expect_arrived();
  }

  /// A message of `bytes` bytes to the next rank, and one from the rank before.
  Traffic to_next(std::size_t bytes) { return {Mailbox(space, {{me, next, 0, bytes}}), Mailbox(space, {{previous, me, 0, bytes}})}; }
};

TEST_P(TransportTest, DeliversMessagesOfAnySizeBetweenAllRanksAndToTheSenderItself) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{4097}, several_megabytes}) {
    Traffic traffic = between_all(1, [&](int, int, std::size_t) { return size; });
    expect_delivered(traffic);
  }
}

TEST_P(TransportTest, DeliversMessagesOfTheSameTwoRanksInTheOrderOfTheirDeclaration) {
  // Small messages behind large ones: MPI hands them over by different ways.
  const std::vector<std::size_t> sizes{3, several_megabytes, 0, 1, 70000, 1, 70000, 0, several_megabytes, 5};
  Traffic traffic = between_all(sizes.size(), [&](int, int, std::size_t k) { return sizes[k]; });
  expect_delivered(traffic);
}

TEST_P(TransportTest, DeliversMessagesOfDifferentSizesToEveryRank) {
  Traffic traffic =
      between_all(2, [](int from, int to, std::size_t k) { return static_cast<std::size_t>(1000 * from + 100 * to) * k + k; });
  expect_delivered(traffic);
}

TEST_P(TransportTest, CarriesNothingWhenNothingIsDeclared) {
  transport.begin(Tag::particles);
  transport.start();
  transport.dispatch();
  EXPECT_EQ(transport.receive_count(), 0U);
  transport.arrive(0, 0);
  transport.finish();
}

TEST_P(TransportTest, KeepsSetsApartThatFollowEachOther) {
  for (const std::size_t size : {std::size_t{100}, several_megabytes, std::size_t{2}, std::size_t{0}, std::size_t{200000}}) {
    Traffic traffic = between_all(2, [&](int, int to, std::size_t k) { return size + k * static_cast<std::size_t>(to); });
    expect_delivered(traffic);
  }
}

TEST_P(TransportTest, KeepsSetsApartOfWhichNobodyWaitsForTheData) {
  // As in a ring: the next set begins while the device still copies what the one before has brought.
  std::vector<Traffic> sets;
  for (std::size_t k = 0; k < 6; ++k) {
    sets.push_back({Mailbox(space, {{me, next, k, several_megabytes}}), Mailbox(space, {{previous, me, k, several_megabytes}})});
    sets.back().sent.fill();
  }
  for (Traffic& set : sets) {
    transport.begin(Tag::ring_block);
    declare_receives(transport, set.received);
    declare_sends(transport, set.sent);
    transport.start();
    transport.dispatch();
    transport.arrive(0, 1);
    transport.finish();
  }
  for (const Traffic& set : sets) set.received.expect_arrived();
}

TEST_P(TransportTest, SendsWhatTheWorkEnqueuedBeforeStartHasMade) {
  Traffic traffic = to_next(several_megabytes);
  transport.begin(Tag::ring_block);
  declare_sends(transport, traffic.sent);
  declare_receives(transport, traffic.received);
  for (const unsigned char value : {1, 2, 3}) space.for_each(several_megabytes, Fill{traffic.sent.view(0).data, value});
  Buffer<BackEnd, std::byte> made = tests::upload(space, bytes_of(traffic.sent.message(0)));
  space.copy(traffic.sent.view(0).data, made.data(), several_megabytes);
  transport.start();
  transport.dispatch();
  transport.arrive(0, 1);
  transport.finish();
  traffic.received.expect_arrived();
}

TEST_P(TransportTest, LetsWorkEnqueuedBeforeStartReadWhatTheMessageReplaces) {
  Traffic traffic = to_next(several_megabytes);
  traffic.sent.fill();
  const View<std::byte> place = traffic.received.view(0);
  Buffer<BackEnd, std::byte> seen(space);
  seen.resize_discard(several_megabytes);
  space.for_each(several_megabytes, Fill{place.data, 77});
  space.for_each(several_megabytes, AddOne{place.data, seen.data()});
  transport.begin(Tag::ring_block);
  declare_receives(transport, traffic.received);
  declare_sends(transport, traffic.sent);
  transport.start();
  transport.dispatch();
  transport.arrive(0, 1);
  transport.finish();
  traffic.received.expect_arrived();
  const std::vector<std::byte> read = tests::download(space, seen);
  EXPECT_EQ(std::count(read.begin(), read.end(), std::byte{78}), static_cast<std::ptrdiff_t>(read.size()));
}

TEST_P(TransportTest, LetsWorkEnqueuedAfterArriveSeeTheData) {
  for (const std::size_t size : {std::size_t{1}, several_megabytes}) {
    Traffic traffic = to_next(size);
    traffic.sent.fill();
    Buffer<BackEnd, std::byte> sum(space);
    sum.resize_discard(size);
    transport.begin(Tag::ring_block);
    declare_receives(transport, traffic.received);
    declare_sends(transport, traffic.sent);
    transport.start();
    transport.dispatch();
    transport.arrive(0, 1);
    space.for_each(size, AddOne{traffic.received.view(0).data, sum.data()});
    transport.finish();
    std::vector<std::byte> expected = bytes_of(traffic.received.message(0));
    for (std::byte& b : expected) b = static_cast<std::byte>(static_cast<unsigned char>(b) + 1);
    EXPECT_TRUE(tests::download(space, sum) == expected);
  }
}

TEST_P(TransportTest, LetsAPartArriveBeforeTheRestIsSent) {
  const std::size_t size = 300000;
  Mailbox sent(space, {{me, next, 0, size}, {me, next, 1, size}, {me, next, 2, size}});
  Mailbox received(space, {{previous, me, 0, size}, {previous, me, 1, size}, {previous, me, 2, size}});
  sent.fill();
  // By other objects, which are another message space for direct links: only MPI brings these together.
  Transport<BackEnd> all(space, comm, TransportWay::staged), first(space, comm, TransportWay::staged),
      rest(space, comm, TransportWay::staged);
  all.begin(Tag::tree_data);
  declare_receives(all, received);
  all.start();
  all.dispatch();
  first.begin(Tag::tree_data);
  first.send(sent.view(0), next);
  first.start();
  first.dispatch();

  all.arrive(0, 0);
  all.arrive(0, 1);
  received.expect_arrived(0, 1);
  // A rank that waited for all messages would not come to this point: the rest is sent behind it.
  comm.barrier();

  rest.begin(Tag::tree_data);
  rest.send(sent.view(1), next);
  rest.send(sent.view(2), next);
  rest.start();
  rest.dispatch();
  all.arrive(1, 2);
  received.expect_arrived(0, 2);
  all.arrive(2, 3);
  all.finish();
  first.finish();
  rest.finish();
  received.expect_arrived();
}

TEST_P(TransportTest, KeepsMessagesOfOtherTagsInFlightApart) {
  const std::size_t size = 100000;
  Mailbox sent(space, {{me, next, 0, size}, {me, next, 1, size}}), received(space, {{previous, me, 0, size}, {previous, me, 1, size}});
  sent.fill();
  Transport<BackEnd> other(space, comm, GetParam());
  transport.begin(Tag::particles);
  other.begin(Tag::tree_data);
  // Both are of one length: only the tag tells them apart, as the second is sent first.
  transport.receive(received.view(0), previous);
  other.receive(received.view(1), previous);
  transport.send(sent.view(0), next);
  other.send(sent.view(1), next);
  transport.start();
  other.start();
  other.dispatch();
  transport.dispatch();
  other.arrive(0, 1);
  transport.arrive(0, 1);
  transport.finish();
  other.finish();
  received.expect_arrived();
}

TEST_P(TransportTest, SendsLargeSetsByWayOfTheHostWhenTheOutboxMustStaySmall) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{1000}, several_megabytes}) {
    Traffic traffic = between_all(3, [](int, int to, std::size_t k) { return 5000 * k + static_cast<std::size_t>(to); });
    traffic.sent.fill();
    transport.begin(Tag::particles, limit);
    declare_receives(transport, traffic.received);
    declare_sends(transport, traffic.sent);
    transport.start();
    transport.dispatch();
    transport.arrive(0, transport.receive_count());
    transport.finish();
    traffic.received.expect_arrived();
  }
}

/// A set of messages that are written to the room of the transport, and read where they arrive.
struct RoomSet {
  std::size_t size, limit;
  bool to_itself;  ///< each rank sends to itself, too
  bool of_evens;   ///< only ranks with even numbers send
  bool has_sent(int from, int to) const { return (to_itself || from != to) && !(of_evens && from % 2 == 1); }
  Message message(int from, int to, std::size_t number) const {
    return {from, to, number, (size + static_cast<std::size_t>(17 * from + 5 * to) + 63) / 64 * 64};
  }
};

TEST_P(TransportTest, CarriesWhatIsWrittenToItsRoom) {
  constexpr std::size_t no_limit = Transport<BackEnd>::no_limit, limit = 100000;
  std::vector<RoomSet> sets;
  // First the largest, so that the next sets use the same memory; at last a larger one.
  for (const std::size_t size : {several_megabytes, std::size_t{70000}, std::size_t{1}, 2 * several_megabytes})
    for (const bool to_itself : {false, true})
      for (const bool of_evens : {false, true})
        for (const std::size_t most : {no_limit, limit}) sets.push_back({size, most, to_itself, of_evens});
  struct Place {
    Message message;
    Buffer<BackEnd, std::byte> bytes;
  };
  std::vector<std::vector<Place>> made(sets.size()), seen(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (int r = 0; r < ranks; ++r) {
      const Message sent = sets[s].message(me, r, s), received = sets[s].message(r, me, s);
      if (sets[s].has_sent(me, r)) made[s].push_back({sent, tests::upload(space, bytes_of(sent))});
      if (!sets[s].has_sent(r, me)) continue;
      seen[s].push_back({received, Buffer<BackEnd, std::byte>(space)});
      seen[s].back().bytes.resize_discard(received.bytes);
    }
  Buffer<BackEnd, std::uint64_t> nothing(space);
  nothing.resize_discard(1);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::size_t total = 0, at = 0;
    for (const Place& place : made[s]) total += place.message.bytes;
    transport.begin(Tag::tree_data, sets[s].limit);
    const View<std::byte> room = transport.room(total);
    ASSERT_EQ(room.size, total);
    space.for_each(1, TakeLong{nothing.data()});
    for (const Place& place : made[s]) {
      space.copy(room.data + at, place.bytes.data(), place.message.bytes);
      transport.send(room.part(at, place.message.bytes), place.message.to);
      at += place.message.bytes;
    }
    for (const Place& place : seen[s]) transport.receive(place.message.bytes, place.message.from);
    transport.start();
    transport.dispatch();
    transport.arrive(0, transport.receive_count());
    // The next set must not be written before this one is read.
    space.for_each(1, TakeLong{nothing.data()});
    for (std::size_t k = 0; k < seen[s].size(); ++k)
      space.for_each(seen[s][k].message.bytes, AddOne{transport.message(k), seen[s][k].bytes.data()});
    transport.finish();
  }
  for (const std::vector<Place>& of_set : seen)
    for (const Place& place : of_set) {
      std::vector<std::byte> expected = bytes_of(place.message);
      for (std::byte& b : expected) b = static_cast<std::byte>(static_cast<unsigned char>(b) + 1);
      EXPECT_TRUE(tests::download(space, place.bytes) == expected) << "set " << place.message.number << " from rank " << place.message.from;
    }
}

// Where ranks send that receive nothing, through the host, too.
TEST_P(TransportTest, SendsWhatEarlierWorkHasMadeWhereARankReceivesNothing) {
  for (const std::size_t limit : {std::size_t{1000}, Transport<BackEnd>::no_limit}) {
    Traffic traffic = to_next(several_megabytes);
    Buffer<BackEnd, std::byte> made = tests::upload(space, bytes_of(traffic.sent.message(0)));
    Buffer<BackEnd, std::uint64_t> nothing(space);
    nothing.resize_discard(1);
    const bool sends = me % 2 == 0 && next != me, receives = previous % 2 == 0 && previous != me;
    transport.begin(Tag::ring_block, limit);
    if (sends) {
      space.for_each(1, TakeLong{nothing.data()});
      space.copy(traffic.sent.view(0).data, made.data(), several_megabytes);
      transport.send(traffic.sent.view(0), next);
    }
    if (receives) transport.receive(traffic.received.view(0), previous);
    transport.start();
    transport.dispatch();
    transport.arrive(0, transport.receive_count());
    transport.finish();
    if (receives) traffic.received.expect_arrived();
  }
}

TEST_P(TransportTest, RefusesMessagesBesideItsRoomAndSeveralForOneRank) {
  Buffer<BackEnd, std::byte> beside(space);
  beside.resize_discard(64);
  transport.begin(Tag::particles);
  transport.room(64);
  transport.send(beside.view(), next);
  EXPECT_THROW(transport.start(), std::logic_error);
  transport.begin(Tag::particles);
  const View<std::byte> room = transport.room(128);
  transport.send(room.part(0, 64), next);
  transport.send(room.part(64, 64), next);
  EXPECT_THROW(transport.start(), std::logic_error);
}

/// All ways that there are on every machine, and that of an MPI that knows GPU memory, where the test runs with one.
std::vector<TransportWay> ways() {
  std::vector<TransportWay> ways{TransportWay::automatic, TransportWay::shared, TransportWay::staged};
  if (std::getenv("GROVE_TEST_GPU_MEMORY_MPI")) ways.push_back(TransportWay::mpi);
  return ways;
}

std::string name_of(const testing::TestParamInfo<TransportWay>& way) {
  switch (way.param) {
    case TransportWay::shared:
      return "Shared";
    case TransportWay::staged:
      return "Staged";
    case TransportWay::mpi:
      return "Mpi";
    default:
      return "Automatic";
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, TransportTest, testing::ValuesIn(ways()), name_of);

TEST(TransportWays, HaveNamesAndSayHowMessagesTravel) {
  const Communicator comm(MPI_COMM_WORLD);
  BackEnd space = tests::make_space();
  for (const char* name : {"auto", "shared", "staged"}) {
    Transport<BackEnd> transport(space, comm, transport_way_named(name));
    transport.connect();
    EXPECT_NE(transport.description(), "") << name;
  }
  // A way that does not exist here is refused on all ranks; one that exists works.
  for (const char* name : {"direct", "mpi"}) {
    try {
      Transport<BackEnd> transport(space, comm, transport_way_named(name));
      transport.connect();
      EXPECT_TRUE(name != std::string("direct") || transport.is_direct());
    } catch (const AgreedError& error) {
      EXPECT_TRUE(BackEnd::on_gpu) << error.what();
    }
  }
  EXPECT_THROW(transport_way_named("pigeon"), ConfigError);
}

}  // namespace
}  // namespace grove
