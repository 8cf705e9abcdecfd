#include "decomposition/ranks/reachable_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"

namespace grove {
namespace {

TEST(GreetingPartners, AreMutualAndMeetEveryNode) {
  for (const int size : {1, 2, 3, most_partners, most_partners + 1, 300}) {
    const int ranks_per_node = (size + most_partners - 1) / most_partners;
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<int> partners = greeting_partners(rank, size);
      EXPECT_LE(static_cast<int>(partners.size()), 2 * most_partners);
      if (size <= most_partners) {
        EXPECT_EQ(static_cast<int>(partners.size()), size - 1);
      }
      std::vector<bool> meets(static_cast<std::size_t>(size / ranks_per_node), false);
      meets[static_cast<std::size_t>(std::min(rank / ranks_per_node, size / ranks_per_node - 1))] = true;
      for (const int other : partners) {
        const std::vector<int> back = greeting_partners(other, size);
        EXPECT_TRUE(std::count(back.begin(), back.end(), rank) == 1) << rank << " and " << other << " of " << size;
        if (other / ranks_per_node < static_cast<int>(meets.size())) meets[static_cast<std::size_t>(other / ranks_per_node)] = true;
      }
      EXPECT_EQ(std::count(meets.begin(), meets.end(), false), 0) << "rank " << rank << " of " << size;
    }
  }
}

TEST(ReachableRanks, AreAllHere) {
  const Communicator comm(MPI_COMM_WORLD);
  for (int i = 0; i < 10; ++i) require_reachable_ranks(comm.raw(), [](const std::string& text) { ADD_FAILURE() << text; });
}

TEST(ReachableRanks, NamesTheRanksThatDoNotAnswerAndItsOwnHost) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank has no others";
  const int last = comm.size() - 1;
  if (comm.rank() != last) {
    const GreetingLimits limits{0.1, 0.3};
    std::string note;
    const auto began = std::chrono::steady_clock::now();
    try {
      require_reachable_ranks(
          comm.raw(), [&](const std::string& text) { note += text; }, limits);
      ADD_FAILURE() << "no error";
    } catch (const CommunicationError& error) {
      const std::string expected = "rank " + std::to_string(comm.rank()) + " on " + host_name() + " cannot exchange messages with rank " +
                                   std::to_string(last) + " (waited ";
      EXPECT_EQ(std::string(error.what()).substr(0, expected.size() + 6), expected + "0.3 s)");
      EXPECT_EQ(note.substr(0, expected.size() + 6), expected + "0.1 s)") << "once";
      EXPECT_EQ(note.size(), std::string(error.what()).size());
    }
    EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), limits.end_s);
  }
  comm.barrier();
  if (comm.rank() == last) require_reachable_ranks(comm.raw(), [](const std::string&) {});  // the others have given up
}

TEST(AllShareThisNode, IsKnownFromTheLauncher) {
  const char* const name = "OMPI_COMM_WORLD_LOCAL_SIZE";
  const char* const before = std::getenv(name);
  const std::string kept = before ? before : "";
  setenv(name, "4", 1);
  EXPECT_TRUE(all_share_this_node(4));
  EXPECT_FALSE(all_share_this_node(8));
  before ? setenv(name, kept.c_str(), 1) : unsetenv(name);
}

}  // namespace
}  // namespace grove
