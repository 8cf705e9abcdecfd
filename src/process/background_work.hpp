// Work in the background of the steps: on a thread of each rank, with messages of its own.
#pragma once

#include <functional>
#include <memory>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/activity.hpp"
#include "src/process/worker_thread.hpp"

namespace grove {

/// What MPI lets the threads of this process do: MPI_THREAD_SINGLE or more.
int thread_level_of_mpi();

/// Does one piece of work at a time, on all ranks together, while the thread that owns the object takes steps. What the work uses must
/// outlive the object, which is therefore usually the last member of its owner.
class BackgroundWork {
 public:
  using Work = std::function<void(const Communicator& comm)>;

  /// `comm` must outlive the object. `thread_level`: as thread_level_of_mpi() says.
  BackgroundWork(const Communicator& comm, int thread_level) : comm_(comm), thread_level_(thread_level) {}
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  /// Waits for the work. Its exceptions are lost.
  ~BackgroundWork() = default;

  /// Whether start() may be called: MPI allows two threads (MPI_THREAD_MULTIPLE), and all ranks have the thread. The first call makes the
  /// thread and its communicator. Collective.
  bool can_start();
  /// Starts work, which gets the communicator of the thread; the watchdog knows it by the name `activity`, a string literal. wait() must
  /// have been called for the previous work. All ranks start the same.
  void start(const char* activity, Work work);
  /// Waits for the work, if any, and throws its exception: on all ranks, if that is an AgreedError.
  void wait();
  /// Whether the work has ended with an exception, which wait() will throw. Neither waits nor communicates.
  bool has_failed() const { return thread_ && thread_->has_failed(); }

 private:
  const Communicator& comm_;
  const int thread_level_;
  bool is_prepared_ = false;
  Activity activity_;                       ///< of the thread
  std::unique_ptr<Communicator> own_comm_;  ///< of the thread
  std::unique_ptr<WorkerThread> thread_;    ///< null: the steps wait. Last, because it uses the others
};

}  // namespace grove
