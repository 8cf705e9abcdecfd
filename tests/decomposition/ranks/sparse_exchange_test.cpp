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
  EXPECT_EQ(exchange_items(comm, counts_to_send(), std::span<const std::uint64_t>(values_to_send())), values_to_receive());
}

TEST_F(SparseExchangeTest, DeliversItemsOfSeveralValues) {
  std::vector<double> pairs;
  for (const std::uint64_t value : values_to_send())
    pairs.push_back(static_cast<double>(value)), pairs.push_back(-static_cast<double>(value));
  const std::vector<double> received_pairs = exchange_items(comm, counts_to_send(), std::span<const double>(pairs), 2);
  const auto expected = values_to_receive();
  ASSERT_EQ(received_pairs.size(), 2 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(received_pairs[2 * i], static_cast<double>(expected[i]));
    EXPECT_EQ(received_pairs[2 * i + 1], -static_cast<double>(expected[i]));
  }
}

TEST_F(SparseExchangeTest, SendsNothingWhenNobodyHasAnything) {
  EXPECT_TRUE(exchange_items(comm, std::vector<std::uint64_t>(size, 0), std::span<const std::byte>()).empty());
}

TEST_F(SparseExchangeTest, GathersEverythingOnOneRank) {
  std::vector<std::uint64_t> counts(size, 0);
  counts.back() = rank + 1;
  const std::vector<std::byte> sent(rank + 1, static_cast<std::byte>(rank));
  const std::vector<std::byte> received = exchange_items(comm, counts, std::span<const std::byte>(sent));
  std::vector<std::byte> expected;
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
  const std::vector<std::uint64_t> received = exchange_items(comm, counts, std::span<const std::uint64_t>(sent));
  ASSERT_EQ(received.size(), size * length);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t i = 0; i < length; i += 999) ASSERT_EQ(received[r * length + i], r * size + rank + i);
}

TEST_F(SparseExchangeTest, RefusesBuffersOfTheWrongLength) {
  std::vector<std::uint64_t> sent = values_to_send();
  sent.push_back(0);
  EXPECT_THROW(exchange_items(comm, counts_to_send(), std::span<const std::uint64_t>(sent)), Error);
  EXPECT_THROW(exchange_items(comm, std::vector<std::uint64_t>(size + 1), std::span<const std::uint64_t>()), Error);
}

}  // namespace
}  // namespace grove
