#include "src/run/run_requests.hpp"

#include <unistd.h>

#include "src/run/wall_clock.hpp"

namespace grove {

namespace {

constexpr double interval_s = 0.5;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

RunRequests::Answer RunRequests::look(double needed_s) {
  const double now_s = wall_clock_s();
  if (now_s >= looked_s_ + interval_s) {
    looked_s_ = now_s;
    files_.stop = exists(directory_.stop_request()) ? StopCause::file : StopCause::none;
    files_.checkpoint = exists(directory_.checkpoint_request());
  }
  Answer answer = files_;
  if (answer.stop == StopCause::none && limit_.is_near(needed_s)) answer.stop = StopCause::time_limit;
  return answer;
}

void RunRequests::settle(const Answer& done) {
  if (done.stop == StopCause::file) ::unlink(directory_.stop_request().c_str());
  if (done.checkpoint) ::unlink(directory_.checkpoint_request().c_str());
  files_ = {};
}

}  // namespace grove
