// The threads of the live view's server.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace grove {

/// Gives each connection a thread as long as it is open, so that slow ones do not delay others. Those beyond the most wait for one that
/// ends.
class ThreadPerConnection final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> connection) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(connection));
    if (running_ < most_connections && starts_thread()) ++running_;
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  /// Where the system gives no more threads, an earlier one takes the connection.
  bool starts_thread() {
    try {
      std::thread([this] { work(); }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      const std::function<void()> connection = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      connection();
      lock.lock();
    }
    --running_;
    ended_.notify_all();
  }

  // A page has up to six connections; slow ones of other users may come to them.
  static constexpr std::size_t most_connections = 1000;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
};

}  // namespace grove
