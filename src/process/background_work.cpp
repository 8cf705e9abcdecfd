#include "src/process/background_work.hpp"

#include <system_error>
#include <utility>

namespace grove {

int thread_level_of_mpi() {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

bool BackgroundWork::can_start() {
  if (is_prepared_) return thread_ != nullptr;
  is_prepared_ = true;
  std::unique_ptr<WorkerThread> thread;
  try {
    if (thread_level_ >= MPI_THREAD_MULTIPLE) thread = std::make_unique<WorkerThread>();
  } catch (const std::system_error&) {
    // Without a thread the steps wait.
  }
  // All ranks have the thread and its communicator, or none has.
  if (comm_.min(thread ? 1 : 0) == 0) return false;
  own_comm_ = std::make_unique<Communicator>(comm_.raw());
  thread_ = std::move(thread);
  return true;
}

void BackgroundWork::start(const char* activity, Work work) {
  thread_->start([this, activity, work = std::move(work)] {
    const WatchedThread watched(activity_);
    begin_activity(activity);
    work(*own_comm_);
  });
}

void BackgroundWork::wait() {
  if (!thread_) return;
  begin_activity(nullptr);  // the activity of the thread says how long this takes
  thread_->wait();
}

}  // namespace grove
