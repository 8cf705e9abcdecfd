#include "kernels/base/activity.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

namespace grove {

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

thread_local Activity* present = nullptr;

struct Watched {
  std::mutex mutex;
  std::vector<const Activity*> activities;
};

Watched& watched() {
  static Watched instance;
  return instance;
}

}  // namespace

Activity::Usual* Activity::usual_of(const char* name) {
  for (Usual& usual : usual_) {
    if (!usual.name) usual.name = name;
    if (usual.name == name || std::strcmp(usual.name, name) == 0) return &usual;
  }
  return nullptr;
}

void Activity::begin(const char* name) {
  const double now = now_s();
  if (Usual* const ended = thread_name_ ? usual_of(thread_name_) : nullptr) {
    ended->seconds += now - thread_began_s_;
    ++ended->count;
  }
  thread_name_ = name;
  thread_began_s_ = now;
  const Usual* const before = name ? usual_of(name) : nullptr;
  ++number_;
  name_ = name;
  began_s_ = now;
  usual_s_ = before && before->count > 0 ? before->seconds / static_cast<double>(before->count) : -1.0;
  ++number_;
}

void Activity::begin_wait() {
  if (waits_++ == 0) waits_since_s_ = now_s();
}

void Activity::end_wait() {
  if (--waits_ == 0) waits_since_s_ = 0;
}

Activity::Look Activity::look() const {
  Look look;
  look.of = this;
  look.number = number_;
  if (look.number % 2 != 0) return look;  // an activity begins at this moment
  const double now = now_s(), waits_since = waits_since_s_;
  look.step = step_;
  look.usual_s = usual_s_;
  look.lasts_s = now - began_s_;
  look.waits_s = waits_since > 0 ? std::min(now - waits_since, look.lasts_s) : 0;
  const char* const name = name_;
  if (number_ == look.number) look.name = name;
  return look;
}

WatchedThread::WatchedThread(Activity& activity) : activity_(&activity), former_(present) {
  present = activity_;
  const std::lock_guard lock(watched().mutex);
  watched().activities.push_back(activity_);
}

WatchedThread::~WatchedThread() {
  activity_->begin(nullptr);
  present = former_;
  const std::lock_guard lock(watched().mutex);
  std::erase(watched().activities, activity_);
}

std::vector<Activity::Look> looks_at_all_threads() {
  const std::lock_guard lock(watched().mutex);
  std::vector<Activity::Look> looks;
  for (const Activity* activity : watched().activities) looks.push_back(activity->look());
  return looks;
}

void begin_activity(const char* name) {
  if (present) present->begin(name);
}

void begin_step_of_activity(std::uint64_t step) {
  if (present) present->set_step(step);
}

WaitForRanks::WaitForRanks() : activity_(present) {
  if (activity_) activity_->begin_wait();
}

WaitForRanks::~WaitForRanks() {
  if (activity_) activity_->end_wait();
}

}  // namespace grove
