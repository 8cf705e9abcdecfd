// Names a rank that takes much longer than usual for an activity, also if it hangs in MPI, a file system or a GPU.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/activity.hpp"
#include "src/process/worker_thread.hpp"

namespace grove {

/// When an activity takes too long.
struct WatchdogLimits {
  double shortest_s = 60;   ///< shorter ones are never named
  double usual_times = 20;  ///< multiple of the usual time of the activity
  double first_s = 600;     ///< for an activity without a usual time yet
  double interval_s = 1;    ///< between two looks
  double signal_s = 3;      ///< a step that lasts so long after a stop signal is named
};

/// During its lifetime, a thread looks at the activities of the watched threads. For one that takes too long it prints a line, and another
/// whenever the time has doubled. It does not use MPI. Of ranks that wait for others, only the first of each node prints. If a run does not
/// stop soon after a signal, because a step is long, the root prints that it will.
class Watchdog {
 public:
  using Say = std::function<void(const std::string& line)>;

  /// Watches the thread that makes it. `say` is called on another thread; empty: lines go to standard error. If no thread can be made,
  /// nothing is watched. Not collective.
  explicit Watchdog(const Communicator& comm, const WatchdogLimits& limits = {}, Say say = {});
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

 private:
  struct Named {
    std::uint64_t number = 0;
    double again_s = 0;  ///< when it is named again
  };
  /// The steps as the watchdog sees them, to about the interval between two looks.
  struct StepsSeen {
    std::uint64_t first = Activity::no_step, present = Activity::no_step;
    double first_began_s = 0, present_began_s = 0;
  };
  void watch();
  void look_at(const Activity::Look& look);
  void look_at_signal(const Activity::Look& look);

  std::string place_;
  bool speaks_of_waits_, is_root_;
  WatchdogLimits limits_;
  Say say_;
  Activity activity_;
  WatchedThread watched_;
  std::map<const Activity*, Named> named_;
  StepsSeen steps_;
  double signal_seen_s_ = 0;
  bool has_told_signal_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::unique_ptr<WorkerThread> thread_;  ///< last, because it uses the others
};

/// A line on a rank: "rank 3 on node17 is in 'walk' of step 1200 for 61 s; usually 0.8 s".
std::string watchdog_line(const std::string& place, const Activity::Look& look);

}  // namespace grove
