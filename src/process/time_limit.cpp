#include "src/process/time_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "kernels/base/parse_number.hpp"
#include "src/process/wall_clock.hpp"

namespace grove {

namespace {

constexpr double longest_reserve_s = 10, reserve_share = 0.1, no_limit = std::numeric_limits<double>::infinity();

/// Seconds from now to a calendar time; infinity if it is not known.
double seconds_until(const std::string& since_1970) {
  const std::optional<std::int64_t> end_s = parse_number<std::int64_t>(since_1970);
  if (!end_s || *end_s <= 0) return no_limit;
  const double now_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return static_cast<double>(*end_s) - now_s;
}

}  // namespace

TimeLimit::TimeLimit(double max_minutes, const std::string& end_of_job)
    : began_s_(wall_clock_s()), left_at_start_s_(seconds_until(end_of_job)) {
  if (max_minutes > 0) left_at_start_s_ = std::min(left_at_start_s_, 60 * max_minutes);
}

double TimeLimit::left_s() const { return left_at_start_s_ - (wall_clock_s() - began_s_); }

bool TimeLimit::is_near(double needed_s) const {
  return exists() && left_s() <= needed_s + std::clamp(reserve_share * left_at_start_s_, 0.0, longest_reserve_s);
}

double signal_before_end_s() { return std::getenv("SLURM_JOB_ID") ? 120 : no_limit; }

std::string end_of_slurm_job() {
  const char* const end = std::getenv("SLURM_JOB_END_TIME");
  return end ? end : "";
}

}  // namespace grove
