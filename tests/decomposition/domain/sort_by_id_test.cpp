#include "decomposition/domain/sort_by_id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

constexpr std::uint64_t largest_id = ~std::uint64_t{0};

/// All fields follow from the id, so that a particle torn apart shows.
void add_particle(ParticleSet& particles, std::uint64_t id, bool with_forces) {
  const auto x = static_cast<double>(id % 1000003);
  particles.position.insert(particles.position.end(), {x, x + 0.25, x + 0.5});
  particles.velocity.insert(particles.velocity.end(), {-x, -x - 0.25, -x - 0.5});
  particles.mass.push_back(2 * x);
  particles.id.push_back(id);
  particles.type.push_back(static_cast<std::uint8_t>(id % 6));
  if (!with_forces) return;
  particles.acceleration.insert(particles.acceleration.end(), {3 * x, 4 * x, 5 * x});
  particles.potential.push_back(-6 * x);
}

class SortById : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  std::size_t size = static_cast<std::size_t>(comm.size());
  std::size_t rank = static_cast<std::size_t>(comm.rank());

  ParticleSet share_of(const std::vector<std::uint64_t>& ids, bool with_forces,
                       const std::function<std::size_t(std::size_t)>& rank_of) const {
    ParticleSet particles;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (rank_of(i) == rank) add_particle(particles, ids[i], with_forces);
    return particles;
  }

  /// Gathers everything and compares with a serial sort.
  void expect_sorted(const ParticleSet& sorted, std::vector<std::uint64_t> ids, bool with_forces) const {
    std::sort(ids.begin(), ids.end());
    ParticleSet expected;
    for (const std::uint64_t id : ids) add_particle(expected, id, with_forces);
    EXPECT_EQ(comm.all_gather_vectors<std::uint64_t>(sorted.id), expected.id);
    EXPECT_EQ(comm.all_gather_vectors<double>(sorted.position), expected.position);
    EXPECT_EQ(comm.all_gather_vectors<double>(sorted.velocity), expected.velocity);
    EXPECT_EQ(comm.all_gather_vectors<double>(sorted.mass), expected.mass);
    EXPECT_EQ(comm.all_gather_vectors<std::uint8_t>(sorted.type), expected.type);
    EXPECT_EQ(comm.all_gather_vectors<double>(sorted.acceleration), expected.acceleration);
    EXPECT_EQ(comm.all_gather_vectors<double>(sorted.potential), expected.potential);
  }

  void expect_balanced(const ParticleSet& sorted, std::size_t total) const {
    EXPECT_GE(sorted.size() + 1, total / size);
    EXPECT_LE(sorted.size(), total / size + 1);
  }

  static std::vector<std::uint64_t> random_ids(std::size_t count) {
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> ids{0, largest_id};
    while (ids.size() < count) ids.push_back(random());
    return ids;
  }
};

TEST_F(SortById, SortsRandomIdsOfAll64BitsWithAllFields) {
  const auto ids = random_ids(2000);
  const auto sorted = sort_by_id(share_of(ids, true, [&](std::size_t i) { return i % size; }), comm);
  expect_sorted(sorted, ids, true);
  expect_balanced(sorted, ids.size());
}

TEST_F(SortById, SpreadsParticlesThatAreAllOnOneRank) {
  const auto ids = random_ids(501);
  const auto sorted = sort_by_id(share_of(ids, true, [&](std::size_t) { return size - 1; }), comm);
  expect_sorted(sorted, ids, true);
  expect_balanced(sorted, ids.size());
}

TEST_F(SortById, WorksWithoutAccelerationAndPotential) {
  const auto ids = random_ids(100);
  const auto sorted = sort_by_id(share_of(ids, false, [&](std::size_t i) { return i * size / 100; }), comm);
  expect_sorted(sorted, ids, false);
  EXPECT_TRUE(sorted.acceleration.empty());
}

TEST_F(SortById, WorksWithNoParticleOneParticleAndFewerThanRanks) {
  for (const std::size_t count : {0u, 1u, 2u, 3u}) {
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(100 - i);
    expect_sorted(sort_by_id(share_of(ids, true, [&](std::size_t) { return 0; }), comm), ids, true);
  }
}

TEST_F(SortById, KeepsTheOrderOfEqualIds) {
  ParticleSet local;
  for (int i = 0; i < 3; ++i) {
    add_particle(local, 7, false);
    local.mass.back() = static_cast<double>(10 * rank) + i;
  }
  const auto masses = comm.all_gather_vectors<double>(sort_by_id(local, comm).mass);
  EXPECT_EQ(masses.size(), 3 * size);
  EXPECT_TRUE(std::is_sorted(masses.begin(), masses.end()));
}

TEST_F(SortById, RefusesForcesKnownOnSomeRanksOnly) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  ParticleSet local;
  add_particle(local, rank, rank == 0);
  EXPECT_THROW(sort_by_id(local, comm), AgreedError);
}

class UniqueIds : public SortById {
 protected:
  std::string message_for(const std::vector<std::uint64_t>& ids) const {
    try {
      require_unique_ids(ids, "input.tab", comm);
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.exit_code(), 3);
      return error.what();
    }
    return "";
  }
};

TEST_F(UniqueIds, AcceptsDistinctIdsAndNone) {
  const auto all = random_ids(1000);
  std::vector<std::uint64_t> local;
  for (std::size_t i = rank; i < all.size(); i += size) local.push_back(all[i]);
  EXPECT_EQ(message_for(local), "");
  EXPECT_EQ(message_for({}), "");
}

TEST_F(UniqueIds, NamesTheLowestIdThatOccursTwiceOnAllRanks) {
  std::vector<std::uint64_t> local;
  for (std::uint64_t i = 0; i < 50; ++i) local.push_back(1000 * (rank + 1) + i);
  if (rank == 0) local.push_back(1000 * size + 7);
  if (rank == size - 1) local.push_back(1000 * size + 9);
  const std::string message = message_for(local);
  EXPECT_NE(message.find("input.tab"), std::string::npos) << message;
  EXPECT_NE(message.find("id " + std::to_string(1000 * size + 7) + " "), std::string::npos) << message;
}

TEST_F(UniqueIds, SeesTheLargestIdTwice) {
  std::vector<std::uint64_t> local{rank};
  if (rank == 0) local.push_back(largest_id);
  if (rank == size - 1) local.push_back(largest_id);
  EXPECT_NE(message_for(local).find(std::to_string(largest_id)), std::string::npos);
}

TEST_F(UniqueIds, SeesOneIdOnEveryRank) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  EXPECT_NE(message_for({42}).find("id 42 "), std::string::npos);
}

}  // namespace
}  // namespace grove
