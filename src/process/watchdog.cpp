#include "src/process/watchdog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/text_table.hpp"
#include "src/process/standard_error.hpp"
#include "src/process/stop_signals.hpp"
#include "src/process/wall_clock.hpp"

namespace grove {

namespace {

/// A rank that spends this share of the time waiting for others is said to wait.
constexpr double waiting_share = 0.5;

bool waits(const Activity::Look& look) { return look.waits_s > waiting_share * look.lasts_s; }

void print(const std::string& line) { say_on_stderr("\ngrove: " + line); }

}  // namespace

std::string watchdog_line(const std::string& place, const Activity::Look& look) {
  const std::string step = look.step == Activity::no_step ? "" : fmt::format(" of step {}", look.step);
  const std::string usual = look.usual_s < 0 ? "" : "; usually " + format_seconds(look.usual_s);
  return fmt::format("{} {} '{}'{} for {:.0f} s{}", place, waits(look) ? "waits for other ranks in" : "is in", look.name, step,
                     look.lasts_s, usual);
}

Watchdog::Watchdog(const Communicator& comm, const WatchdogLimits& limits, Say say)
    : place_(fmt::format("rank {} on {}", comm.rank(), host_name())),
      speaks_of_waits_(comm.local_rank() == 0),
      is_root_(comm.is_root()),
      limits_(limits),
      say_(say ? std::move(say) : print),
      watched_(activity_) {
  try {
    thread_ = std::make_unique<WorkerThread>();
    thread_->start([this] { watch(); });
  } catch (const std::system_error&) {
    // The run does not need it.
  }
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::duration<double>(limits_.interval_s), [this] { return is_over_; }))
    for (const Activity::Look& look : looks_at_all_threads()) {
      look_at(look);
      if (is_root_ && look.of == &activity_) look_at_signal(look);
    }
}

void Watchdog::look_at(const Activity::Look& look) {
  if (!look.name) return;
  Named& named = named_[look.of];
  if (named.number != look.number)
    named = {look.number, look.usual_s < 0 ? limits_.first_s : std::max(limits_.shortest_s, limits_.usual_times * look.usual_s)};
  if (look.lasts_s <= named.again_s) return;
  named.again_s = 2 * look.lasts_s;
  if (!waits(look) || speaks_of_waits_) say_(watchdog_line(place_, look));
}

void Watchdog::look_at_signal(const Activity::Look& look) {
  if (look.step == Activity::no_step || !look.name) return;
  const double now_s = wall_clock_s();
  if (look.step != steps_.present) {
    steps_.present = look.step;
    steps_.present_began_s = now_s;
    if (steps_.first == Activity::no_step) steps_.first = look.step, steps_.first_began_s = now_s;
  }
  const int signal = StopSignals::received();
  if (signal == 0 || has_told_signal_) return;
  if (signal_seen_s_ == 0) signal_seen_s_ = now_s;
  if (now_s - signal_seen_s_ < limits_.signal_s || std::string(look.name) == "checkpoint") return;
  has_told_signal_ = true;
  const auto before = static_cast<double>(steps_.present - steps_.first);
  const std::string usual = before > 0 ? fmt::format(" of usually {:.0f} s", (steps_.present_began_s - steps_.first_began_s) / before) : "";
  say_(fmt::format(
      "{} has come: the run stops after the present step {}, which has taken {:.0f} s{}; a second signal ends it at once, at its "
      "last checkpoint",
      name_of_signal(signal), look.step, now_s - steps_.present_began_s, usual));
}

}  // namespace grove
