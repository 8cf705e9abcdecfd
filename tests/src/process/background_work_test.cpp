#include "src/process/background_work.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

class BackgroundWorkTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  /// 1 + 2 + ... over the ranks.
  int sum_of_ranks = comm.size() * (comm.size() + 1) / 2;
};

TEST_F(BackgroundWorkTest, IsDoneWhileTheStepsGoOn) {
  BackgroundWork beside(comm, thread_level_of_mpi());
  ASSERT_TRUE(beside.can_start());
  for (int times = 1; times <= 3; ++times) {
    std::promise<void> go;
    int sum = 0;
    beside.start("work of a test", [&](const Communicator& own) {
      go.get_future().wait();
      sum = own.sum(times * (own.rank() + 1));
    });
    // Would never be reached if start() did the work.
    EXPECT_EQ(comm.sum(comm.rank() + 1), sum_of_ranks);
    go.set_value();
    beside.wait();
    EXPECT_EQ(sum, times * sum_of_ranks);
    EXPECT_TRUE(beside.can_start());
  }
}

TEST_F(BackgroundWorkTest, HasMessagesThatDoNotMeetThoseOfTheSteps) {
  BackgroundWork beside(comm, thread_level_of_mpi());
  ASSERT_TRUE(beside.can_start());
  // The ranks begin their two sums in different orders.
  const auto come_late = [](bool is_late) {
    if (is_late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  };
  for (int times = 0; times < 3; ++times) {
    int sum = 0;
    beside.start("work of a test", [&](const Communicator& own) {
      come_late(!own.is_root());
      sum = own.sum(own.rank() + 1);
    });
    come_late(comm.is_root());
    EXPECT_EQ(comm.sum(10 * (comm.rank() + 1)), 10 * sum_of_ranks);
    beside.wait();
    EXPECT_EQ(sum, sum_of_ranks);
  }
}

TEST_F(BackgroundWorkTest, IsNotToBeHadOnAnyRankWhereMpiDoesNotAllowItOnOne) {
  const int last = comm.size() - 1;
  BackgroundWork beside(comm, comm.rank() == last ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE);
  for (int times = 0; times < 2; ++times) {
    EXPECT_FALSE(beside.can_start());
    EXPECT_FALSE(beside.has_failed());
    beside.wait();
  }
}

TEST_F(BackgroundWorkTest, PassesTheErrorThatAllRanksKnowOfAndWorksOn) {
  BackgroundWork beside(comm, thread_level_of_mpi());
  ASSERT_TRUE(beside.can_start());
  const int last = comm.size() - 1;
  beside.start("work of a test", [&](const Communicator& own) {
    own.agree([&] {
      if (own.rank() == last) throw DataError("a failure of the last rank");
    });
  });
  while (!beside.has_failed()) std::this_thread::yield();
  try {
    beside.wait();
    ADD_FAILURE() << "no error";
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find("a failure of the last rank"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(beside.has_failed());
  bool is_done = false;
  beside.start("work of a test", [&](const Communicator&) { is_done = true; });
  beside.wait();
  EXPECT_TRUE(is_done);
}

TEST_F(BackgroundWorkTest, IsSeenByTheWatchdogUnderItsName) {
  BackgroundWork beside(comm, thread_level_of_mpi());
  ASSERT_TRUE(beside.can_start());
  const auto is_seen = [] {
    for (const Activity::Look& look : looks_at_all_threads())
      if (look.name && std::string(look.name) == "work of a test") return true;
    return false;
  };
  bool is_seen_meanwhile = false;
  beside.start("work of a test", [&](const Communicator&) { is_seen_meanwhile = is_seen(); });
  beside.wait();
  EXPECT_TRUE(is_seen_meanwhile);
  EXPECT_FALSE(is_seen());
}

TEST_F(BackgroundWorkTest, EndsItsWorkBeforeItGoes) {
  std::promise<void> go;
  int sum = 0;
  {
    BackgroundWork beside(comm, thread_level_of_mpi());
    ASSERT_TRUE(beside.can_start());
    beside.start("work of a test", [&](const Communicator& own) {
      go.get_future().wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      sum = own.sum(own.rank() + 1);
    });
    go.set_value();
  }
  EXPECT_EQ(sum, sum_of_ranks);
}

}  // namespace
}  // namespace grove
