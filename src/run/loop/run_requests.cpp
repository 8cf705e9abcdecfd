#include "src/run/loop/run_requests.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <optional>

#include "kernels/base/text_table.hpp"
#include "src/process/wall_clock.hpp"

namespace grove {

namespace {

constexpr double interval_s = 0.5;

/// Steps and checkpoints sometimes take longer.
double needed_with_margin_s(double needed_s) { return 2 * needed_s + 10; }

/// Whether it is a regular file. Anything else could not be removed after it was obeyed.
bool exists(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

/// Identifies a directory, whatever its name; empty: there is none. Nothing where the system cannot tell at the moment.
std::optional<std::string> place_of(const std::string& directory) {
  struct stat there {};
  if (::stat(directory.c_str(), &there) == 0) return fmt::format("{} {}", there.st_dev, there.st_ino);
  return errno == ENOENT || errno == ENOTDIR || errno == ESTALE ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace

RunRequests::RunRequests(const OutputDirectory& directory, const TimeLimit& limit, double signal_s)
    : directory_(directory), limit_(limit), signal_s_(signal_s), place_(place_of(directory.path())) {}

RunRequests::Answer RunRequests::look(double needed_s) {
  const double now_s = wall_clock_s();
  if (now_s >= looked_s_ + interval_s) {
    looked_s_ = now_s;
    files_.stop = exists(directory_.stop_request()) ? StopCause::file : StopCause::none;
    files_.checkpoint = exists(directory_.checkpoint_request());
    const std::optional<std::string> now = place_of(directory_.path());
    if (!place_) place_ = now;
    files_.is_lost = now && *now != *place_;
  }
  Answer answer = files_;
  if (answer.stop == StopCause::none && limit_.is_near(needed_s)) answer.stop = StopCause::time_limit;
  return answer;
}

std::string RunRequests::advice(double turn_s, double checkpoint_s) {
  const double needed_s = turn_s + checkpoint_s;
  if (has_advised_ || limit_.exists() || needed_s <= signal_s_) return "";
  has_advised_ = true;
  return fmt::format(
      "a step with its output takes up to {} and a checkpoint {}: a signal must come so long before the end of the job, which is "
      "not known (SLURM_JOB_END_TIME, run.max_wall_time). Submit it with --signal=B:USR1@{:.0f}",
      format_seconds(turn_s), format_seconds(checkpoint_s), 10 * std::ceil(needed_with_margin_s(needed_s) / 10));
}

std::string RunRequests::forget_earlier() const {
  std::string names;
  for (const std::string& path : {directory_.stop_request(), directory_.checkpoint_request()})
    if (::unlink(path.c_str()) == 0) names += (names.empty() ? "" : " and ") + path;
  return names.empty() ? "" : names + ": older than this run, and removed; made now it would be obeyed";
}

void RunRequests::settle(const Answer& done) {
  if (done.stop == StopCause::file) ::unlink(directory_.stop_request().c_str());
  if (done.checkpoint) ::unlink(directory_.checkpoint_request().c_str());
  files_ = {};
}

}  // namespace grove
