#include "decomposition/ranks/communicator.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <numeric>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"

namespace grove {
namespace {

/// Of one rank; no two values of a rank, and no two ranks have the same.
std::vector<std::uint64_t> values_of(int rank, std::size_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), (std::uint64_t{1} << 40) * static_cast<std::uint64_t>(rank + 1));
  return values;
}

TEST(SumOnRoot, IsThatOfAllRanksOnTheRootAndLeavesTheValuesOfOthers) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::size_t count : {0, 1, 7, 300000}) {
    std::vector<std::uint64_t> values = values_of(comm.rank(), count), expected = values;
    if (comm.is_root())
      for (int rank = 1; rank < comm.size(); ++rank) {
        const std::vector<std::uint64_t> others = values_of(rank, count);
        for (std::size_t i = 0; i < count; ++i) expected[i] += others[i];
      }
    comm.sum_on_root(std::span<std::uint64_t>(values));
    EXPECT_TRUE(values == expected) << "of " << count << " values on rank " << comm.rank();
  }
}

TEST(SumOnRoot, IsThatOfFloatingPointNumbersToo) {
  const Communicator comm(MPI_COMM_WORLD);
  double value = 0.5 * (comm.rank() + 1);
  comm.sum_on_root(std::span<double>(&value, 1));
  EXPECT_EQ(value, comm.is_root() ? 0.25 * comm.size() * (comm.size() + 1) : 0.5 * (comm.rank() + 1));
}

TEST(Extremes, OfUnsignedNumbersCountTheHighestBit) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::uint64_t largest = ~std::uint64_t{0}, other = 42;
  const std::uint64_t own = comm.is_root() ? largest : other;
  EXPECT_EQ(comm.min(own), comm.size() > 1 ? other : largest);
  EXPECT_EQ(comm.max(own), largest);
  std::vector<std::uint64_t> several{own, 7};
  comm.min(std::span<std::uint64_t>(several));
  EXPECT_EQ(several, (std::vector<std::uint64_t>{comm.size() > 1 ? other : largest, 7}));
}

TEST(SumOnRoot, RefusesMoreValuesThanOneCallOfMpiTakes) {
  const Communicator comm(MPI_COMM_WORLD);
  std::uint64_t value = 1;
  // Refused before the values are looked at.
  const std::span<std::uint64_t> too_many(&value, static_cast<std::size_t>(INT_MAX) + 1);
  EXPECT_THROW(comm.sum_on_root(too_many), SystemError);
  EXPECT_THROW(comm.sum(too_many), SystemError);
}

// Of processes of which each has a communicator of its own.
TEST(RankPlace, KnowsTheNumberOfAProcessOnItsNodeFromItsLauncher) {
  const char* const name = "OMPI_COMM_WORLD_LOCAL_RANK";
  const char* const before = std::getenv(name);
  const std::string kept = before ? before : "";
  setenv(name, "3", 1);
  EXPECT_EQ(local_number_of_process(), 3);
  setenv(name, "-1", 1);
  EXPECT_EQ(local_number_of_process(), 0);
  before ? setenv(name, kept.c_str(), 1) : unsetenv(name);
}

}  // namespace
}  // namespace grove
