// What each thread is doing, for a watchdog (src/process/watchdog.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace grove {

/// What one thread is doing, such as a phase of a step or writing a file. The thread sets it, at the cost of a few atomic stores; other
/// threads can read it at any time, also while the thread hangs.
class Activity {
 public:
  static constexpr std::uint64_t no_step = std::numeric_limits<std::uint64_t>::max();

  /// What other threads see.
  struct Look {
    const Activity* of = nullptr;
    std::uint64_t number = 0;      ///< number of the activity, in the order of the thread
    const char* name = nullptr;    ///< null: nothing watched
    std::uint64_t step = no_step;  ///< no_step: outside of steps
    double lasts_s = 0;            ///< so far [s]
    double usual_s = -1;           ///< mean of earlier activities of this name [s]; negative if there was none
    double waits_s = 0;            ///< time of the present wait for other ranks [s]; 0: it does not wait
  };

  /// Ends the last activity and begins another. `name` is a string literal; null: nothing watched.
  void begin(const char* name);
  /// Sets the number of the present step.
  void set_step(std::uint64_t step) { step_ = step; }
  /// Waits for other ranks may be nested.
  void begin_wait();
  void end_wait();

  /// Called by other threads.
  Look look() const;

 private:
  struct Usual {
    const char* name = nullptr;
    double seconds = 0;
    std::uint64_t count = 0;
  };
  Usual* usual_of(const char* name);

  static constexpr std::size_t most_names = 48;  ///< further names have no usual time
  // Used only by the thread of this activity.
  std::array<Usual, most_names> usual_{};
  double thread_began_s_ = 0;
  const char* thread_name_ = nullptr;
  int waits_ = 0;
  // Shared. The number is odd while the other values change.
  std::atomic<std::uint64_t> number_ = 0, step_ = no_step;
  std::atomic<const char*> name_ = nullptr;
  std::atomic<double> began_s_ = 0, usual_s_ = -1, waits_since_s_ = 0;
};

/// While it exists, `activity` is that of this thread and is seen by looks_at_all_threads(). The activity must outlive it.
class WatchedThread {
 public:
  explicit WatchedThread(Activity& activity);
  WatchedThread(const WatchedThread&) = delete;
  WatchedThread& operator=(const WatchedThread&) = delete;
  ~WatchedThread();

 private:
  Activity* activity_;
  Activity* former_;
};

/// What all watched threads of this process are doing.
std::vector<Activity::Look> looks_at_all_threads();

/// Begins an activity of this thread: `name` is a string literal; null: nothing watched. No effect on a thread that is not watched.
void begin_activity(const char* name);
/// Sets the present step of this thread.
void begin_step_of_activity(std::uint64_t step);

/// While it exists, this thread waits for other ranks.
class WaitForRanks {
 public:
  WaitForRanks();
  WaitForRanks(const WaitForRanks&) = delete;
  WaitForRanks& operator=(const WaitForRanks&) = delete;
  ~WaitForRanks();

 private:
  Activity* activity_;
};

}  // namespace grove
