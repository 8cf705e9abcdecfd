#include "src/process/worker_thread.hpp"

#include <csignal>
#include <stdexcept>
#include <utility>

namespace grove {

namespace {

/// Blocks signals for this thread during its lifetime, and for the threads made meanwhile.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

 private:
  sigset_t former_{};
};

}  // namespace

WorkerThread::WorkerThread() {
  const NoSignals during_creation;
  thread_ = std::thread([this] { work(); });
}

WorkerThread::~WorkerThread() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkerThread::start(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (task_ || error_) throw std::logic_error("a task is started before the one before was waited for");
    task_ = std::move(task);
  }
  changed_.notify_all();
}

void WorkerThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !task_; });
  has_failed_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return task_ || is_over_; });
    if (!task_) return;
    lock.unlock();
    std::exception_ptr error;
    try {
      task_();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    task_ = nullptr;
    error_ = std::move(error);
    has_failed_ = error_ != nullptr;
    changed_.notify_all();
  }
}

}  // namespace grove
