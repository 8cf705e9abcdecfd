// A thread that does one task at a time for the thread that owns it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace grove {

/// Used by the thread that made it. Signals go to other threads.
class WorkerThread {
 public:
  /// Throws std::system_error when there is no thread to be had.
  WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  /// Waits for the task. Its exceptions are lost.
  ~WorkerThread();

  /// Starts a task. wait() must have been called for the previous one.
  void start(std::function<void()> task);
  /// Waits for the task, if any, and throws its exception.
  void wait();
  /// Whether the task has ended with an exception, which wait() will throw. Does not block.
  bool has_failed() const { return has_failed_; }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;  ///< empty: there is none, or it is done
  bool is_over_ = false;
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace grove
