#include "decomposition/ranks/sparse_exchange.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

class SparseExchangeTest : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  std::size_t size = static_cast<std::size_t>(comm.size());
  std::size_t rank = static_cast<std::size_t>(comm.rank());

  /// Items from `source` to `destination`: some pairs have none, the self part is never empty.
  static std::size_t items(std::size_t source, std::size_t destination) {
    return source == destination ? 3 : (source * 7 + destination * 3) % 4;
  }
  static std::uint64_t item(std::size_t source, std::size_t destination, std::size_t i) { return source * 10000 + destination * 100 + i; }

  std::vector<std::uint64_t> counts_to_send() const {
    std::vector<std::uint64_t> counts;
    for (std::size_t r = 0; r < size; ++r) counts.push_back(items(rank, r));
    return counts;
  }
  std::vector<std::uint64_t> values_to_send() const {
    std::vector<std::uint64_t> values;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t i = 0; i < items(rank, r); ++i) values.push_back(item(rank, r, i));
    return values;
  }
  std::vector<std::uint64_t> values_to_receive() const {
    std::vector<std::uint64_t> values;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t i = 0; i < items(r, rank); ++i) values.push_back(item(r, rank, i));
    return values;
  }
};

TEST_F(SparseExchangeTest, DeliversItemsInOrderOfTheirSource) {
  SparseExchange exchange(comm, counts_to_send());
  const auto sent = values_to_send();
  std::vector<std::uint64_t> received(exchange.receive_total());
  exchange.begin(std::span<const std::uint64_t>(sent), std::span(received));
  exchange.end();
  EXPECT_EQ(received, values_to_receive());
  for (std::size_t r = 0; r < size; ++r) EXPECT_EQ(exchange.receive_counts()[r], items(r, rank));
}

TEST_F(SparseExchangeTest, KeepsFieldsBegunTogetherApart) {
  SparseExchange exchange(comm, counts_to_send());
  const auto sent = values_to_send();
  std::vector<double> pairs;
  for (const std::uint64_t value : sent) pairs.push_back(static_cast<double>(value)), pairs.push_back(-static_cast<double>(value));
  std::vector<std::uint64_t> received(exchange.receive_total());
  std::vector<double> received_pairs(2 * exchange.receive_total());
  exchange.begin(std::span<const std::uint64_t>(sent), std::span(received));
  exchange.begin(std::span<const double>(pairs), std::span(received_pairs), 2);
  exchange.end();
  const auto expected = values_to_receive();
  EXPECT_EQ(received, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(received_pairs[2 * i], static_cast<double>(expected[i]));
    EXPECT_EQ(received_pairs[2 * i + 1], -static_cast<double>(expected[i]));
  }
}

TEST_F(SparseExchangeTest, SendsNothingWhenNobodyHasAnything) {
  const std::vector<std::uint64_t> counts(size, 0);
  SparseExchange exchange(comm, counts);
  exchange.begin(std::span<const std::byte>(), std::span<std::byte>(), 1);
  exchange.end();
  EXPECT_EQ(exchange.receive_counts(), counts);
}

TEST_F(SparseExchangeTest, GathersEverythingOnOneRank) {
  std::vector<std::uint64_t> counts(size, 0);
  counts.back() = rank + 1;
  const std::vector<std::byte> sent(rank + 1, static_cast<std::byte>(rank));
  SparseExchange exchange(comm, counts);
  std::vector<std::byte> received(exchange.receive_total()), expected;
  exchange.begin(sent, received, 1);
  exchange.end();
  if (rank == size - 1)
    for (std::size_t r = 0; r < size; ++r) expected.insert(expected.end(), r + 1, static_cast<std::byte>(r));
  EXPECT_EQ(received, expected);
}

TEST_F(SparseExchangeTest, MovesMessagesLargerThanAnEagerPacket) {
  const std::size_t length = 300000;
  const std::vector<std::uint64_t> counts(size, length);
  std::vector<std::uint64_t> sent;
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t i = 0; i < length; ++i) sent.push_back(rank * size + r + i);
  SparseExchange exchange(comm, counts);
  std::vector<std::uint64_t> received(exchange.receive_total());
  exchange.begin(std::span<const std::uint64_t>(sent), std::span(received));
  exchange.end();
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t i = 0; i < length; i += 999) ASSERT_EQ(received[r * length + i], r * size + rank + i);
}

TEST_F(SparseExchangeTest, RefusesBuffersOfTheWrongLength) {
  SparseExchange exchange(comm, counts_to_send());
  std::vector<std::byte> sent(exchange.send_total() + 1), received(exchange.receive_total());
  EXPECT_THROW(exchange.begin(sent, received, 1), Error);
  EXPECT_THROW(SparseExchange(comm, std::vector<std::uint64_t>(size + 1)), Error);
}

}  // namespace
}  // namespace grove
