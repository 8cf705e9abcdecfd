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

/// Messages between all ranks, which are written to the room of the transport and read where they arrive. They say of which set they are.
TEST_P(TransportTest, CarriesWhatIsWrittenToItsRoom) {
  const bool to_itself_too[] = {false, true};
  const std::size_t sizes[] = {1, 70000, several_megabytes, 4096, 300};  // the outbox grows, and others still have the former one open
  struct Read {
    Message message;
    Buffer<BackEnd, std::byte> seen;
  };
  std::vector<Read> read;
  std::size_t set = 0;
  for (const bool to_itself : to_itself_too)
    for (const std::size_t limit : {Transport<BackEnd>::no_limit, std::size_t{100000}, Transport<BackEnd>::no_limit})
      for (const std::size_t size : sizes) {
        const auto to_rank = [&](int from, int to) {
          const auto bytes = (size + static_cast<std::size_t>(17 * from + 5 * to) + 63) / 64 * 64;
          return Message{from, to, set, bytes};
        };
        const auto is_sent = [&](int rank) { return to_itself || rank != me; };
        std::size_t total = 0;
        for (int r = 0; r < ranks; ++r) total += is_sent(r) ? to_rank(me, r).bytes : 0;
        transport.begin(Tag::tree_data, limit);
        const View<std::byte> room = transport.room(total);
        ASSERT_EQ(room.size, total);
        std::size_t at = 0;
        std::vector<Buffer<BackEnd, std::byte>> made;
        for (int r = 0; r < ranks; ++r) {
          if (!is_sent(r)) continue;
          const Message message = to_rank(me, r);
          made.push_back(tests::upload(space, bytes_of(message)));
          space.copy(room.data + at, made.back().data(), message.bytes);
          transport.send(room.part(at, message.bytes), r);
          at += message.bytes;
        }
        const std::size_t first = read.size();
        for (int r = 0; r < ranks; ++r) {
          if (!is_sent(r)) continue;
          read.push_back({to_rank(r, me), Buffer<BackEnd, std::byte>(space)});
          transport.receive(read.back().message.bytes, r);
        }
        transport.start();
        transport.dispatch();
        transport.arrive(0, transport.receive_count());
        for (std::size_t k = first; k < read.size(); ++k) {
          read[k].seen.resize_discard(read[k].message.bytes);
          space.for_each(read[k].message.bytes, AddOne{transport.message(k - first), read[k].seen.data()});
        }
        transport.finish();
        ++set;
      }
  for (const Read& one : read) {
    std::vector<std::byte> expected = bytes_of(one.message);
    for (std::byte& b : expected) b = static_cast<std::byte>(static_cast<unsigned char>(b) + 1);
    EXPECT_TRUE(tests::download(space, one.seen) == expected) << "set " << one.message.number << " from rank " << one.message.from;
  }
}

TEST_P(TransportTest, RefusesMessagesBesideItsRoom) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  transport.begin(Tag::particles);
  const View<std::byte> room = transport.room(64);
  Buffer<BackEnd, std::byte> beside(space);
  beside.resize_discard(64);
  transport.send(beside.view(), next);
  if (BackEnd::on_gpu && transport.is_direct()) {
    EXPECT_THROW(transport.start(), std::logic_error);
  } else {
    EXPECT_NE(room.data, nullptr);
  }
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
