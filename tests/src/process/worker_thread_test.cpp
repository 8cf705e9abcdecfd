#include "src/process/worker_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

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

}  // namespace
}  // namespace grove
