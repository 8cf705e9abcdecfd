// Work that goes on beside the steps of a run: on a thread of each rank, with messages of its own.
#pragma once

#include <functional>
#include <memory>

#include "decomposition/communicator.hpp"
#include "kernels/space/activity.hpp"
#include "src/run/worker_thread.hpp"

namespace grove {

/// What MPI lets the threads of this process do: MPI_THREAD_SINGLE or more.
int thread_level_of_mpi();

/// Does one piece of work at a time, on all ranks together, while the thread that owns the object takes steps. What the work uses must
/// outlive the object: as a rule the object is the last member of its owner.
class BesideTheSteps {
 public:
  using Work = std::function<void(const Communicator& comm)>;

  /// `comm` must outlive the object. `thread_level`: as thread_level_of_mpi() says.
  BesideTheSteps(const Communicator& comm, int thread_level) : comm_(comm), thread_level_(thread_level) {}
  BesideTheSteps(const BesideTheSteps&) = delete;
  BesideTheSteps& operator=(const BesideTheSteps&) = delete;
  /// Waits for the work. What it throws is lost.
  ~BesideTheSteps() = default;

  /// Whether start() may be called: MPI lets two threads use it (MPI_THREAD_MULTIPLE), and all ranks have the thread. The first call makes
  /// thread and messages. Collective.
  bool can_start();
  /// Starts work, which gets the communicator of the thread; the watchdog sees it by the name `activity`, a string literal. wait() must
  /// have been called for the work before. All ranks start the same.
  void start(const char* activity, Work work);
  /// Waits for the work, if there is some, and throws what it has thrown: on all ranks, if that is an AgreedError.
  void wait();
  /// Whether the work has ended with an exception, which wait() will throw. Does not wait, does not communicate.
  bool has_failed() const { return thread_ && thread_->has_failed(); }

 private:
  void prepare();

  const Communicator& comm_;
  const int thread_level_;
  bool is_prepared_ = false;
  Activity activity_;                       ///< of the thread
  std::unique_ptr<Communicator> own_comm_;  ///< of the thread
  std::unique_ptr<WorkerThread> thread_;    ///< null: the steps wait. Last, so that it ends first: it uses the others
};

}  // namespace grove
