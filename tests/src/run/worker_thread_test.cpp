#include "src/run/worker_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/run/read_ahead.hpp"

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

/// Particles whose fields are noted when they are fetched; one of them cannot be.
class NotedColumns final : public ParticleColumns {
 public:
  std::vector<std::string> fetched;
  std::string broken;

  const FieldTablePtr& table() const override { return standard_fields(); }
  std::size_t size() const override { return 1; }
  bool knows(const ParticleField&) const override { return true; }
  std::span<const std::byte> values(const ParticleField& field) override {
    fetched.push_back(field.name);
    if (field.name == broken) throw std::runtime_error(field.name + " cannot be fetched");
    return {reinterpret_cast<const std::byte*>(field.name.data()), field.name.size()};
  }
};

class ReadAheadTest : public testing::Test {
 protected:
  NotedColumns columns;
  WorkerThread thread;
  const ParticleField &mass = *standard_fields()->find("mass"), &id = *standard_fields()->find("id"),
                      &type = *standard_fields()->find("type");

  static std::string text_of(std::span<const std::byte> values) { return {reinterpret_cast<const char*>(values.data()), values.size()}; }
};

TEST_F(ReadAheadTest, FetchesEachFieldOnceAndTheNextOneBeforeItIsAskedFor) {
  {
    ReadAhead ahead(columns, {&mass, &id, &type}, thread);
    EXPECT_EQ(text_of(ahead.values(mass)), "mass");
    EXPECT_EQ(text_of(ahead.values(mass)), "mass");
  }
  EXPECT_EQ(columns.fetched, (std::vector<std::string>{"mass", "id"}));
  columns.fetched.clear();
  ReadAhead ahead(columns, {&mass, &id, &type}, thread);
  for (const ParticleField* field : {&mass, &id, &type}) EXPECT_EQ(text_of(ahead.values(*field)), field->name);
  EXPECT_EQ(columns.fetched, (std::vector<std::string>{"mass", "id", "type"}));
  EXPECT_EQ(text_of(ahead.values(type)), "type");
}

TEST_F(ReadAheadTest, ThrowsWhatFetchingHasThrownWhenTheFieldIsAskedFor) {
  columns.broken = "id";
  ReadAhead ahead(columns, {&mass, &id, &type}, thread);
  EXPECT_EQ(text_of(ahead.values(mass)), "mass");
  EXPECT_THROW(ahead.values(id), std::runtime_error);
}

TEST_F(ReadAheadTest, RefusesAFieldThatIsNotNext) {
  ReadAhead ahead(columns, {&mass, &id}, thread);
  EXPECT_THROW(ahead.values(id), std::logic_error);
  EXPECT_EQ(text_of(ahead.values(mass)), "mass");
  EXPECT_EQ(text_of(ahead.values(id)), "id");
  EXPECT_THROW(ahead.values(type), std::logic_error);
}

}  // namespace
}  // namespace grove
