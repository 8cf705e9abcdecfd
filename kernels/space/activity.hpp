// What a thread does at present, for whoever looks at it from outside: src/run/watchdog.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace grove {

/// What one thread does: a phase of a step, a file that it writes. The thread itself says so, at the cost of some atomic stores; any other
/// can look at any time, also while the thread hangs.
class Activity {
 public:
  static constexpr std::uint64_t no_step = std::numeric_limits<std::uint64_t>::max();

  /// What is seen from outside.
  struct Look {
    const Activity* of = nullptr;
    std::uint64_t number = 0;      ///< of all that the thread has begun
    const char* name = nullptr;    ///< null: nothing that is watched
    std::uint64_t step = no_step;  ///< no_step: outside the steps
    double lasts_s = 0;            ///< so far
    double usual_s = -1;           ///< mean of those of this name before; negative: there was none
    double waits_s = 0;            ///< of lasts_s, the time since it waits for other ranks without a break; 0: it does not wait
  };

  /// Ends what went on. `name` is a string literal; without a name the thread does nothing that is watched.
  void begin(const char* name);
  /// The steps that follow have this number.
  void set_step(std::uint64_t step) { step_ = step; }
  /// Waits for other ranks may lie within each other.
  void begin_wait();
  void end_wait();

  /// For other threads.
  Look look() const;

 private:
  struct Usual {
    const char* name = nullptr;
    double seconds = 0;
    std::uint64_t count = 0;
  };
  Usual* usual_of(const char* name);

  static constexpr std::size_t most_names = 48;  ///< names after these have no usual time
  // Of the thread that the activity belongs to alone.
  std::array<Usual, most_names> usual_{};
  double thread_began_s_ = 0;
  const char* thread_name_ = nullptr;
  int waits_ = 0;
  // For both sides. The number is odd while the others change.
  std::atomic<std::uint64_t> number_ = 0, step_ = no_step;
  std::atomic<const char*> name_ = nullptr;
  std::atomic<double> began_s_ = 0, usual_s_ = -1, waits_since_s_ = 0;
};

/// While an object lives, an activity is that of this thread, and looked at by looks_at_all_threads(). The activity outlives the object.
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

/// What the watched threads of this process do.
std::vector<Activity::Look> looks_at_all_threads();

/// The present thread does what `name`, a string literal, says; null: nothing that is watched. Without effect on a thread that nobody
/// watches.
void begin_activity(const char* name);
/// The present thread is in this step from now on.
void begin_step_of_activity(std::uint64_t step);

/// While an object lives, the present thread waits for other ranks.
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
