#include "decomposition/ranks/node_flag.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"

namespace grove {
namespace {

TEST(NodeFlag, IsRaisedByOneRankOfTheNode) {
  const Communicator comm(MPI_COMM_WORLD);
  NodeFlag flag(comm);
  comm.barrier();
  const int first = flag.raise() ? 1 : 0;
  EXPECT_FALSE(flag.raise());
  EXPECT_EQ(comm.sum(first) * comm.local_size(), comm.size());
}

TEST(NodeFlag, CanBeRaisedWhileOthersWaitInMpi) {
  const Communicator comm(MPI_COMM_WORLD);
  NodeFlag flag(comm);
  if (comm.local_rank() == comm.local_size() - 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(flag.raise());
  }
  comm.barrier();
  EXPECT_FALSE(flag.raise());
}

TEST(RankPlace, StandsBeforeFailuresOfTheMachineAndNotBeforeMistakes) {
  const Communicator comm(MPI_COMM_WORLD);
  name_rank(comm.rank(), comm.size());
  name_device("GPU 3, a GPU");
  const std::string place = "rank " + std::to_string(comm.rank()) + " on " + host_name() + " (GPU 3, a GPU)";
  EXPECT_EQ(place_of_this_rank(), place);
  EXPECT_EQ(failure_message(SystemError("it broke")), comm.size() > 1 ? place + ": it broke" : "it broke");
  EXPECT_EQ(failure_message(ConfigError("wrong")), "wrong");
  EXPECT_EQ(failure_message(DataError("bad")), "bad");
  EXPECT_EQ(failure_message(AgreedError("known", 4)), "known");
  EXPECT_NE(failure_message(std::bad_alloc()).find("the host is out of memory"), std::string::npos);
  EXPECT_EQ(exit_code_of(std::bad_alloc()), 4);
}

TEST(RankPlace, OfTheFailingRankReachesAllRanksInAnAgreedSection) {
  const Communicator comm(MPI_COMM_WORLD);
  name_rank(comm.rank(), comm.size());
  const int last = comm.size() - 1;
  try {
    comm.agree([&] {
      if (comm.rank() == last) throw std::bad_alloc();
    });
    ADD_FAILURE() << "no error";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.exit_code(), 4);
    const std::string message = error.what(), wanted = "rank " + std::to_string(last) + " on ";
    EXPECT_EQ(message.rfind(wanted, 0) == 0, comm.size() > 1) << message;
  }
}

}  // namespace
}  // namespace grove
