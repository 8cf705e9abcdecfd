#include "decomposition/domain/order_by_id.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "decomposition/domain/sort_by_id.hpp"
#include "kernels/particles/host_columns.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/space_support.hpp"

namespace grove {
namespace {

constexpr std::uint64_t largest_id = ~std::uint64_t{0};

class OrderByIdTest : public testing::Test {
 protected:
  BackEnd space = tests::make_space();
  Communicator comm{MPI_COMM_WORLD};
  Transport<BackEnd> transport{space, comm, TransportWay::automatic};
  std::size_t size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());

  /// This rank's part of the ids. Masses count the particles of all ranks, rank by rank, so that equal ids can be told apart.
  ParticleSet share_of(const std::vector<std::uint64_t>& ids, const std::function<std::size_t(std::size_t)>& rank_of) const {
    ParticleSet particles;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (rank_of(i) != rank) continue;
      const auto x = static_cast<double>(ids[i] % 1000003);
      particles.position.insert(particles.position.end(), {x, x + 0.25, x + 0.5});
      particles.velocity.insert(particles.velocity.end(), {-x, -x - 0.25, -x - 0.5});
      particles.mass.push_back(static_cast<double>(rank * ids.size() + particles.mass.size()));
      particles.id.push_back(ids[i]);
      particles.type.push_back(static_cast<std::uint8_t>(ids[i] % 6));
    }
    return particles;
  }

  /// As sort_by_id() does it on the host.
  void expect_sorted(const ParticleSet& local) {
    Particles<BackEnd> particles(space);
    upload(space, local, particles);
    OrderById<BackEnd> order(space, comm, transport, particles);
    const ParticleSet expected = sort_by_id(local, comm);
    ASSERT_EQ(order.size(), expected.size());
    std::vector<const ParticleField*> fields;
    for (const char* name : {"position", "velocity", "mass", "id", "type"}) fields.push_back(particles.table()->find(name));
    HostCopy<BackEnd> copy(space, particles.table());
    copy.reserve(HostCopy<BackEnd>::bytes_of(order.size(), fields));
    copy.take(fields, order);
    for (const ParticleField* field : fields)
      EXPECT_TRUE(std::ranges::equal(copy.values(*field), expected.bytes(*field))) << field->name << " on rank " << rank;
  }

  static std::vector<std::uint64_t> random_ids(std::size_t count) {
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> ids{0, largest_id};
    while (ids.size() < count) ids.push_back(random());
    return ids;
  }
};

TEST_F(OrderByIdTest, BringsParticlesInManyRounds) {
  const std::size_t count = (BackEnd::on_gpu ? 700001 : 180001) * size;
  expect_sorted(share_of(random_ids(count), [&](std::size_t i) { return i % size; }));
}

TEST_F(OrderByIdTest, BringsParticlesWhoseIdsFollowTheRanksOrRunAgainstThem) {
  std::vector<std::uint64_t> ids(120000 * size);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * 1000;
  expect_sorted(share_of(ids, [&](std::size_t i) { return i * size / ids.size(); }));
  expect_sorted(share_of(ids, [&](std::size_t i) { return size - 1 - i * size / ids.size(); }));
}

TEST_F(OrderByIdTest, SpreadsParticlesThatAreAllOnOneRank) {
  expect_sorted(share_of(random_ids(100003), [&](std::size_t) { return size - 1; }));
}

TEST_F(OrderByIdTest, WorksWithNoParticleOneParticleAndFewerThanRanks) {
  for (const std::size_t count : {0u, 1u, 2u, 3u}) {
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(100 - i);
    expect_sorted(share_of(ids, [&](std::size_t) { return 0; }));
  }
}

TEST_F(OrderByIdTest, KeepsTheOrderOfEqualIds) {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < 200000; ++i) ids.push_back(i % 7 == 0 ? largest_id : i % 4 == 0 ? i / 1000 : 7);
  expect_sorted(share_of(ids, [&](std::size_t i) { return i % size; }));
}

}  // namespace
}  // namespace grove
