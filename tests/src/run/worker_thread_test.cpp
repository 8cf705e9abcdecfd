#include "src/run/worker_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <limits>
#include <stdexcept>
#include <vector>

#include "src/run/host_memory.hpp"

namespace grove {
namespace {

TEST(WorkerThread, DoesOneTaskAfterTheOtherBesideTheThreadThatOwnsIt) {
  WorkerThread worker;
  std::vector<int> done;
  for (const int i : {1, 2, 3}) {
    std::promise<void> go;
    worker.start([&, i] {
      go.get_future().wait();
      done.push_back(i);
    });
    go.set_value();  // would never be reached if start() did the task
    worker.wait();
  }
  worker.wait();
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
}

TEST(WorkerThread, ThrowsWhatTheTaskHasThrownOnceAndWorksOn) {
  WorkerThread worker;
  worker.start([] { throw std::out_of_range("thrown by a task"); });
  while (!worker.has_failed()) std::this_thread::yield();
  try {
    worker.wait();
    FAIL() << "no exception";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "thrown by a task");
  }
  EXPECT_FALSE(worker.has_failed());
  bool done = false;
  worker.start([&] { done = true; });
  worker.wait();
  EXPECT_TRUE(done);
}

TEST(WorkerThread, RefusesATaskBeforeTheOneBeforeWasWaitedFor) {
  WorkerThread worker;
  std::promise<void> go;
  worker.start([&] { go.get_future().wait(); });
  EXPECT_THROW(worker.start([] {}), std::logic_error);
  go.set_value();
  worker.wait();
}

TEST(WorkerThread, EndsItsTaskBeforeItGoes) {
  std::promise<void> go;
  bool done = false, is_seen = false;
  {
    WorkerThread worker;
    worker.start([&] {
      go.get_future().wait();
      done = true;
    });
    go.set_value();
  }
  EXPECT_TRUE(done);
  {
    WorkerThread worker;
    worker.start([&] {
      is_seen = true;
      throw std::runtime_error("nobody asks");
    });
  }
  EXPECT_TRUE(is_seen);
}

TEST(WorkerThread, TakesNoSignals) {
  WorkerThread worker;
  sigset_t mask;
  worker.start([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); });
  worker.wait();
  EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

TEST(HostMemory, IsWhatTheSystemAndTheControlGroupLeave) {
  constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(available_in_meminfo("MemTotal:  9 kB\nMemAvailable:    3 kB\nBuffers: 7 kB\n"), 3072U);
  EXPECT_EQ(available_in_meminfo("MemTotal:  9 kB\n"), unlimited);
  EXPECT_EQ(free_in_control_group("1000\n", "900\n", "anon 500\ninactive_file 150\nactive_file 50\n"), 300U);
  EXPECT_EQ(free_in_control_group("1000\n", "1900\n", ""), 0U);
  EXPECT_EQ(free_in_control_group("max\n", "900\n", ""), unlimited);
  EXPECT_EQ(free_in_control_group("", "", ""), unlimited);
  EXPECT_GT(free_host_memory(), 0U);
  EXPECT_LT(free_host_memory(), unlimited) << "Linux says how much is available";
}

}  // namespace
}  // namespace grove
